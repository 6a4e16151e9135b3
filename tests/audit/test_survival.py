"""What keeps a record and what breaks it: each test is one operation that people do, with real git."""

import re

import pytest

from tests.audit.recorded import audited, edit, edits, head, line, message, text

VERIFIED = "verified"


@pytest.fixture
def work(repo):
    """Return a repository with two files, then one recorded commit that edits line 10 and 20 of `a`."""
    repo.commit({"a": text(), "b": text(word="row"), "mixed": b"one\r\ntwo\nthree\r\nfour\n" * 3 + b"end\r\n"})
    edit(repo, "a", (line(10), "ten\n"), (line(20), "twenty\nand a half\n"))
    return repo


def amend(repo, files, *args):
    for path, content in files.items():
        repo.write(path, content)
        repo.git("add", path)
    repo.git("commit", "-q", "--amend", "--no-edit", *args)


def prepended(repo, path="a"):
    repo.commit({path: b"new first\nnew second\n" + repo.read(path)}, "upstream")


# -- what keeps it


def test_plain_is_exact(work):
    assert head(work) == (VERIFIED, "exact", [])


def test_amend_no_edit_is_exact(work):
    work.git("commit", "-q", "--amend", "--no-edit", "--reset-author")
    assert head(work) == (VERIFIED, "exact", [])


def test_reworded_is_exact(work):
    work.commit(
        None, b"Other words\n\nA body.\n\n" + message(work).partition(b"\n\n- ")[2].partition(b"\n\n")[2], "--amend"
    )
    assert head(work) == (VERIFIED, "exact", [])


@pytest.mark.parametrize("option", [(), ("-x",)])
def test_cherry_pick_onto_shifted_lines_is_moved(work, option):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    prepended(work)
    work.git("cherry-pick", *option, recorded)
    assert head(work) == (VERIFIED, "moved", [])


def test_cherry_pick_onto_the_same_blobs_is_exact(work):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"c": "c\n"})
    work.git("cherry-pick", recorded)
    assert head(work) == (VERIFIED, "exact", [])


def test_rebase_is_moved(work):
    work.git("branch", "up", "HEAD~1")
    edit(work, "a", (line(30), "thirty\n"))
    work.git("checkout", "-q", "up")
    prepended(work)
    work.git("rebase", "-q", "up", "main")
    statuses = [(report.status, report.detail) for report in audited(work, "up..main").commits]
    assert statuses == [(VERIFIED, "moved")] * 2


def test_reorder_is_moved(work):
    first = work.oid()
    second = edit(work, "a", (line(3), "three\n"))
    work.git("reset", "-q", "--hard", "HEAD~2")
    work.git("cherry-pick", second, first)
    statuses = [(report.status, report.detail) for report in audited(work, "HEAD~2..HEAD").commits]
    assert statuses == [(VERIFIED, "moved")] * 2


def squash(repo, *, forge=False):
    """Squash `main` onto its root as `git merge --squash` does, or as a forge's button does."""
    commits = repo.git("rev-list", "--reverse", "HEAD").split()[1:]
    bodies = [message(repo, commit.decode()) for commit in commits]
    repo.git("checkout", "-q", "-b", "squashed", repo.git("rev-list", "--max-parents=0", "HEAD").decode())
    repo.git("merge", "--squash", "-q", "main")
    if forge:
        repo.commit(
            None, b"Title (#7)\n\n" + b"".join(b"* " + body.replace(b"\n\n- ", b"\n\n- ") + b"\n" for body in bodies)
        )
    else:
        repo.git("commit", "-q", "--no-edit")


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_verified_when_records_chain(work, forge):
    edit(work, "a", (line(5), "five\n"))
    edits(work, {"b": [(line(1, "row"), "r\n")], "a": [(line(35), "")]})
    squash(work, forge=forge)
    assert head(work) == (VERIFIED, "squash(3)", [])


def test_squash_is_verified_when_records_overlap_and_chain(work):
    edit(work, "a", ("ten\n", "TEN\n"), (line(21), ""))
    edit(work, "a", ("TEN\n" + line(11), "t\n"))
    squash(work)
    assert head(work) == (VERIFIED, "squash(3)", [])


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_incomplete_when_the_ref_of_a_large_record_was_not_fetched(repo, forge):
    repo.commit({"a": text(200)})
    edit(repo, "a", *((line(number), f"new {number}\n") for number in range(100, 190, 2)), lines_in_ref=True)
    edit(repo, "a", (line(5), "five\n"))
    squash(repo, forge=forge)
    status, _, _ = head(repo)
    assert status == "incomplete"


def test_squash_is_verified_when_the_first_record_shrinks_the_file(repo):
    repo.commit({"a": text()})
    edit(repo, "a", (text(9)[text().index("line 2\n") :], ""))
    edit(repo, "a", (line(30), "thirty\n"))
    edit(repo, "a", (line(12), "twelve and more\n"))
    squash(repo)
    assert head(repo) == (VERIFIED, "squash(3)", [])


@pytest.mark.parametrize("forge", [False, True])
@pytest.mark.parametrize("path", ["a", "b"])
def test_squash_is_verified_when_a_recorded_edit_is_taken_back_by_a_recorded_inverse(work, forge, path):
    old = {"a": line(2), "b": line(2, "row")}[path]
    edit(work, path, (old, "two\n"))
    edit(work, path, ("two\n", old))
    squash(work, forge=forge)
    status, detail, notes = head(work)
    # Where no record in the trailer block speaks of the path, the commit has nothing to do with the two.
    quoted = path == "b" and not forge
    assert (status, detail) == (VERIFIED, "exact" if quoted else "squash(3)")
    assert notes == ["quotation"] * 2 * quoted


def test_records_that_cancel_out_are_unverifiable_when_they_begin_at_another_version(work):
    edit(work, "a", (line(2), "two\n"))
    edit(work, "a", ("two\n", line(2)))
    both = message(work, "HEAD~1") + b"\n\n" + message(work)
    prepended(work)
    work.commit(None, both.replace(b"Edit a", b"* Edit a"))
    work.commit(None, message(work, "HEAD~2") + message(work, "HEAD~3").partition(b"\n\n")[2].partition(b"\n\n")[2])
    assert head(work)[0] == "unverifiable"


def test_squash_onto_a_moved_base_is_verified_when_no_records_overlap(work):
    edit(work, "a", (line(30), "thirty\n"))
    edit(work, "a", (line(2), "two\n"))
    work.git("checkout", "-q", "-b", "up", "HEAD~3")
    work.commit({"a": text().replace("line 14\n", "line 14\nupstream\n")})
    work.git("merge", "--squash", "-q", "main")
    work.git("commit", "-q", "--no-edit")
    assert head(work) == (VERIFIED, "squash(3)", [])


def test_cherry_pick_over_an_upstream_chmod_is_moved(work):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.git("update-index", "--chmod=+x", "a")
    work.git("commit", "-q", "-m", "chmod")
    work.git("checkout", "-q", "--", ".")
    work.git("cherry-pick", recorded)
    assert head(work) == (VERIFIED, "moved", [])


def test_cherry_pick_over_an_upstream_rename_is_moved(work):
    recorded = work.oid()
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.git("mv", "a", "renamed")
    work.git("commit", "-q", "-m", "rename")
    work.git("cherry-pick", recorded)
    assert head(work) == (VERIFIED, "moved", ["renamed"])


def test_moved_is_verified_when_a_region_is_deleted_before_a_changed_line(repo):
    repo.commit({"a": text()})
    recorded = edit(repo, "a", (line(10), ""), (line(12), "twelve\n"))
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    prepended(repo)
    repo.git("cherry-pick", recorded)
    assert head(repo) == (VERIFIED, "moved", [])


def refilled(body):
    """Wrap our paragraph at 72 columns, as an editor does."""
    import textwrap  # noqa: PLC0415

    head_text, _, block = body.decode().partition("\n\nGitedit-Record")
    lines = re.sub(r"\n(?= )", "", "Gitedit-Record" + block).splitlines()
    wrapped = [
        textwrap.wrap(item, 72, break_long_words=False, break_on_hyphens=False, subsequent_indent="") for item in lines
    ]
    return head_text + "\n\n" + "\n".join("\n".join(item) for item in wrapped) + "\n"


def unfolded(body):
    head_text, _, block = body.decode().partition("\n\nGitedit-Record")
    return head_text, re.sub(r"\n(?= )", "", "Gitedit-Record" + block).splitlines()


def test_message_rewrapped_at_72_columns_is_exact(work):
    work.commit(None, refilled(message(work)), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_sorted_lines_is_exact(work):
    head_text, lines = unfolded(message(work))
    work.commit(None, head_text + "\n\n" + "\n".join(sorted(lines)) + "\n", "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_each_line_twice_is_exact(work):
    head_text, lines = unfolded(message(work))
    work.commit(None, head_text + "\n\n" + "\n".join(item for item in lines for _ in range(2)) + "\n", "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_each_folded_line_twice_is_exact(work):
    work.commit(None, b"".join(line * 2 for line in message(work).splitlines(keepends=True)), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


def test_message_with_crlf_is_exact(work):
    work.commit(None, message(work).replace(b"\n", b"\r\n"), "--amend")
    assert head(work) == (VERIFIED, "exact", [])


# -- what breaks it


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


# -- the record itself


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (rb"(lines=[0-9a-f]{63})[0-9a-f]", rb"\1x"),
        (rb"delta=[0-9a-f]{8}", b"delta=00000000"),
        (rb"change=[0-9a-f]{8}", b"change=00000000"),
        (rb"mode=strict", b"mode=anchored"),
        (rb"tool=gitedit", b"agent=Other:x tool=gitedit"),
        (rb"edits=2", b"edits=1"),
    ],
)
def test_altered_record_line_is_malformed(work, old, new):
    body, count = re.subn(old, new, message(work), count=1)
    assert count
    work.commit(None, body, "--amend")
    assert head(work) == ("malformed", None, ["malformed"])


@pytest.mark.parametrize(
    ("old", "new", "status"),
    [
        (rb"0\.0 (\d+)\+", rb"0.0 1\1+", "forged"),
        (rb"~(\d+) exact", rb"~9\1 exact", "forged"),
        (rb"(~\d+) exact\n", rb"\1 escape\n", "forged"),
        (rb" a\n(?=Gitedit-Edit)", b" b\n", "forged"),
        (rb"100644:100644", b"100644:100755", "forged"),
        (rb"Gitedit-Edit:[^G]*", b"", "incomplete"),
        (rb"Gitedit-File:[^G]*", b"", "incomplete"),
        (rb"(?s)Gitedit-(File|Edit):.*", b"", "incomplete"),
        (rb"(Gitedit-Edit: )[0-9a-f]{4}", rb"\g<1>0000", "incomplete"),
        (rb"(Gitedit-Edit: [0-9a-f]{16}) 0\.0", rb"\1 0.x", "incomplete"),
    ],
)
def test_altered_lines_are_never_verified(work, old, new, status):
    body, count = re.subn(old, new, message(work), count=1)
    assert count
    work.commit(None, body, "--amend")
    found = head(work)
    assert found[0] == status
    if status == "incomplete":
        [report] = audited(work).commits
        assert {finding.level for finding in report.findings} == {"warning"}


def test_lost_lines_are_an_error_when_the_commit_is_another(work):
    body = re.sub(rb"Gitedit-Edit:[^G]*", b"", message(work), count=1)
    amend(work, {"b": "x\n"})
    work.commit(None, body, "--amend")
    [report] = audited(work).commits
    assert (report.status, report.findings[0].level) == ("incomplete", "error")


def test_lost_record_line_is_incomplete(work):
    body = re.sub(rb"Gitedit-Record:[^G]*", b"", message(work), count=1)
    work.commit(None, body, "--amend")
    assert head(work)[0] == "incomplete"


@pytest.mark.parametrize(
    "wrap",
    [
        lambda body: "```\n" + body + "```\n",
        lambda body: "".join(f"> {item}\n" for item in body.splitlines()),
        lambda body: "".join(f"| {item}\n" for item in body.splitlines()),
        lambda body: "so it says " + " ".join(body.split()) + "\n",
        lambda body: "Gitedit-Record: is a key that we like\n",  # noqa: ARG005
    ],
)
def test_quoted_record_is_no_finding(work, wrap):
    block = message(work).decode().partition("\n\nGitedit-Record")[2]
    work.commit(
        {"a": "other\n"}, "Speak of a record\n\n" + wrap("Gitedit-Record" + block) + "\nMore prose, no trailer.\n"
    )
    assert head(work) == ("no-record", None, [])
    assert audited(work).commits == ()


def test_record_of_other_paths_in_the_body_is_a_quotation(work):
    block = message(work).decode().partition("\n\nGitedit-Record")[2]
    work.commit({"b": "other\n"}, "Speak of it\n\nGitedit-Record" + block + "\nMore prose, no trailer.\n")
    assert head(work) == ("no-record", None, ["quotation"])
