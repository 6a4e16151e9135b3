"""What keeps a record: each test is one operation that people do, with real git."""

import pytest

from tests.audit.recorded import audited, begun, edit, edits, head, line, message, prepended, squash, text

VERIFIED = "verified"


@pytest.fixture
def work(repo):
    return begun(repo)


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
