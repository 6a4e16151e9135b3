"""What breaks a record: each test is one operation that people do, with real git."""

import pytest

from tests.audit.recorded import amend, audited, begun, edit, head, line, message, prepended, squash, text

VERIFIED = "verified"


@pytest.fixture
def work(repo):
    return begun(repo)


def test_amended_outside_the_regions_is_modified(work):
    amend(work, {"a": work.read("a").replace(b"line 30\n", b"line thirty\n")})
    [report] = audited(work).commits
    assert (report.status, report.findings[0].reason) == ("modified", "outside-region")
    assert (report.findings[0].path, report.findings[0].line) == ("a", 31)
    assert "all 2 recorded regions are here" in report.findings[0].message


def test_amended_before_the_regions_is_modified_and_says_that_the_regions_are_here(work):
    amend(work, {"a": work.read("a").replace(b"line 4\n", b"line four\nand more\n")})
    [report] = audited(work).commits
    assert (report.status, report.findings[0].reason, report.findings[0].line) == ("modified", "outside-region", 4)
    assert "all 2 recorded regions are here" in report.findings[0].message


def test_amended_inside_a_region_is_modified(work):
    amend(work, {"a": work.read("a").replace(b"twenty\n", b"twentz\n")})
    [report] = audited(work).commits
    assert (report.status, report.findings[0].reason, report.findings[0].line) == ("modified", "inside-region", 20)


@pytest.mark.parametrize("moved", [0, 2])
@pytest.mark.parametrize(("number", "new"), [(10, b"ten\n"), (20, b"twenty\n"), (40, b"forty\n")])
def test_region_taken_out_is_modified_and_named_by_its_line(repo, number, new, moved):
    repo.commit({"a": text()})
    recorded = edit(repo, "a", (line(10), "ten\n"), (line(20), "twenty\n"), (line(40), "forty\n"))
    if moved:
        repo.git("checkout", "-q", "-b", "other", "HEAD~1")
        prepended(repo)
        repo.git("cherry-pick", recorded)
    amend(repo, {"a": repo.read("a").replace(new, line(number).encode())})
    [report] = audited(repo).commits
    [finding] = report.findings
    assert (report.status, finding.reason, finding.line) == ("modified", "missing-region", number + moved)
    assert "2 of 3 recorded regions are here" in finding.message


def test_region_that_the_base_already_has_is_missing(work):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": work.read("a").replace(b"line 10\n", b"ten\n")}, "upstream")
    work.git("cherry-pick", recorded)
    [report] = audited(work).commits
    assert (report.findings[0].reason, report.findings[0].line) == ("missing-region", 10)
    assert "1 of 2 recorded regions are here" in report.findings[0].message


def test_last_line_taken_out_is_named_by_the_line_before(work):
    amend(work, {"a": work.read("a").removesuffix(b"line 40\n")})
    [report] = audited(work).commits
    count = work.read("a").count(b"\n")
    assert (report.findings[0].reason, report.findings[0].line) == ("outside-region", count)


def test_one_flipped_line_ending_is_modified(repo):
    repo.commit({"a": b"one\r\ntwo\nthree\r\nfour\n"})
    edit(repo, "a", ("two", "2"))
    amend(repo, {"a": b"one\r\n2\nthree\nfour\n"})
    [report] = audited(repo).commits
    assert (report.status, report.findings[0].reason, report.findings[0].line) == ("modified", "line-endings", 3)


def test_flattened_line_endings_are_modified(repo):
    repo.commit({"a": b"one\r\ntwo\nthree\r\nfour\n"})
    edit(repo, "a", ("two", "2"))
    amend(repo, {"a": b"one\n2\nthree\nfour\n"})
    [report] = audited(repo).commits
    assert (report.status, report.findings[0].reason, report.findings[0].line) == ("modified", "line-endings", 1)


def test_extra_file_is_modified(work):
    amend(work, {"extra": "x\n", "b": text(word="row").replace("row 7\n", "ROW\n")})
    [report] = audited(work).commits
    found = [(finding.reason, finding.path, finding.line) for finding in report.findings]
    assert (report.status, found) == ("modified", [("extra-path", "b", 7), ("extra-path", "extra", 1)])


def test_deleted_extra_file_is_modified(work):
    work.git("rm", "-q", "b")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert head(work) == ("modified", None, ["extra-path"])


def test_deleted_recorded_file_is_modified(work):
    work.git("rm", "-q", "a")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert head(work) == ("modified", None, ["mode"])


def test_changed_mode_is_modified(work):
    work.git("update-index", "--chmod=+x", "a")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert head(work) == ("modified", None, ["mode"])


def test_fixup_is_modified(work):
    body = message(work)
    edit(work, "a", (line(30), "thirty\n"))
    work.git("reset", "-q", "--soft", "HEAD~2")
    work.commit(None, body)
    assert head(work) == ("modified", None, ["outside-region"])


def test_hand_resolved_conflict_is_modified(work):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": text().replace("line 10\n", "upstream 10\n")})
    assert work.git("cherry-pick", recorded, check=False)
    work.commit(
        {"a": text().replace("line 10\n", "upstream ten\n").replace("line 20\n", "twenty\nand a half\n")},
        message(work, recorded),
    )
    status, _, reasons = head(work)
    assert (status, reasons) == ("modified", ["inside-region"])


def test_record_copied_to_another_commit_is_modified(work):
    body = message(work)
    work.commit({"b": "other\n"}, body)
    assert head(work) == ("modified", None, ["extra-path", "missing-path"])
    work.commit({"a": "other\n"}, body)
    assert head(work)[0] == "modified"


def test_record_copied_to_an_empty_commit_is_modified(work):
    work.commit(None, message(work))
    assert head(work) == ("modified", None, ["missing-path"])


def test_squash_of_recorded_and_hand_made_commits_is_modified(work):
    work.commit({"a": work.read("a").replace(b"line 33\n", b"by hand\n")})
    edit(work, "a", (line(38), "r38\n"))
    squash(work)
    [report] = audited(work).commits
    assert (report.status, report.findings[0].reason, report.findings[0].line) == ("modified", "outside-region", 34)
    assert "all 3 recorded regions are here; a:34 is explained by no record" in report.findings[0].message


def test_squash_is_unverifiable_when_records_overlap_on_another_base(work):
    edit(work, "a", ("ten\n", "TEN\n"))
    edit(work, "a", (line(30), "thirty\n"))
    work.git("checkout", "-q", "-b", "up", "HEAD~3")
    prepended(work)
    work.git("merge", "--squash", "-q", "main")
    work.git("commit", "-q", "--no-edit")
    assert head(work) == ("unverifiable", None, ["unverifiable"])


def test_squash_is_forged_when_something_else_slips_in_between(work):
    first = message(work)
    edit(work, "a", (line(5), "five\n"))
    second = message(work)
    edit(work, "a", (line(6), "six\n"))
    third = message(work)
    work.git("reset", "-q", "--soft", "HEAD~3")
    work.commit(None, b"one\n\n" + first + b"\n" + second + b"\n" + third)
    assert head(work) == (VERIFIED, "squash(3)", [])
    work.commit(None, b"one\n\n" + first + b"\n" + third, "--amend")
    assert head(work)[0] == "modified"
