"""Files renamed upstream: whose records still speak of the commit, and whose are mere quotations."""

import pytest

from tests.audit.recorded import audited, edit, edits, head, line, message, text


@pytest.fixture
def work(repo):
    """Return a repository on branch `up`, where `a` has become `sub/renamed`; `main` edits `a` twice, with records."""
    repo.commit({"a": text(), "b": text(word="row")})
    repo.git("branch", "up")
    edit(repo, "a", (line(10), "ten\n"), (line(20), "twenty\n"))
    edit(repo, "a", (line(30), "thirty\n"), (line(11), "eleven\n"))
    repo.git("checkout", "-q", "up")
    move(repo, "a", "sub/renamed")
    return repo


def move(repo, old, new):
    repo.write(new, repo.read(old))
    repo.git("rm", "-q", old)
    repo.git("add", new)
    repo.commit(None, f"move {old}")


def squash(repo, branch="main", *, forge=False):
    """Squash a branch onto HEAD as `git merge --squash` does, or as a forge's button does."""
    bodies = [message(repo, oid.decode()) for oid in repo.git("rev-list", "--reverse", f"HEAD..{branch}").split()]
    repo.git("merge", "--squash", "-q", branch)
    if forge:
        repo.commit(None, b"Title (#7)\n\n" + b"".join(b"* " + body + b"\n" for body in bodies))
    else:
        repo.git("commit", "-q", "--no-edit")


def quoting(body, before="Speak of it"):
    """Return a message that holds a record and ends in prose."""
    block = body.decode().partition("\n\nGitedit-Record")[2]
    return f"{before}\n\nGitedit-Record{block}\nMore prose, no trailer.\n"


# -- what claims the commit


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_verified_when_the_file_was_renamed_upstream(work, forge):
    squash(work, forge=forge)
    assert head(work) == ("verified", "squash(2)", ["renamed"])
    [report] = audited(work).commits
    assert {finding.path for finding in report.findings} == {"sub/renamed"}


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_verified_when_the_file_was_renamed_and_its_lines_shifted(work, forge):
    work.commit({"sub/renamed": b"first\nsecond\n" + work.read("sub/renamed")})
    squash(work, forge=forge)
    # Its records are placed one by one: the first one's lines lie above and below the second one's.
    assert head(work) == ("verified", "squash(2)", ["renamed"])
    places = [edit.placed.line for record in audited(work).commits[0].records for edit in record.files[0].edits]
    assert sorted(places) == [12, 13, 22, 32]


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_verified_when_one_of_its_files_was_renamed(work, forge):
    work.git("checkout", "-q", "main")
    edits(work, {"a": [(line(2), "two\n")], "b": [(line(2, "row"), "zwei\n")]})
    edit(work, "b", (line(9, "row"), "neun\n"))
    work.git("checkout", "-q", "up")
    squash(work, forge=forge)
    assert head(work) == ("verified", "squash(4)", ["renamed"])


def test_squash_is_verified_when_all_its_files_were_renamed(work):
    work.git("checkout", "-q", "main")
    edit(work, "b", (line(2, "row"), "zwei\n"))
    work.git("checkout", "-q", "up")
    move(work, "b", "sub/b")
    squash(work)
    assert head(work) == ("verified", "squash(3)", ["renamed", "renamed"])


def test_squash_is_verified_when_an_edit_of_a_renamed_file_is_taken_back(work):
    work.git("checkout", "-q", "main")
    edit(work, "a", (line(2), "two\n"))
    edit(work, "a", ("two\n", line(2)))
    work.git("checkout", "-q", "up")
    squash(work)
    assert head(work) == ("verified", "squash(4)", ["renamed"])


def test_cherry_pick_is_moved_when_a_folder_of_many_files_was_renamed(repo):
    names = [f"old/{number}/__init__.py" for number in range(70)]
    repo.commit({name: text(30, f"line of {name}") for name in names})
    recorded = edits(repo, {name: [(line(9, f"line of {name}"), "nine\n")] for name in names})
    repo.git("checkout", "-q", "-b", "up", "HEAD~1")
    repo.git("mv", "old", "new")
    repo.commit(None, "move all")
    repo.git("cherry-pick", recorded)
    assert head(repo) == ("verified", "moved", ["renamed"] * 70)


# -- what is not as recorded


def test_squash_is_modified_when_a_renamed_file_holds_only_some_of_what_its_record_says(work):
    work.git("checkout", "-q", "-b", "both", "main~2")
    edits(work, {"a": [(line(2), "two\n")], "b": [(line(2, "row"), "zwei\n")]})
    work.git("checkout", "-q", "up")
    move(work, "b", "sub/b")
    work.git("merge", "--squash", "-q", "both")
    work.git("reset", "-q", "--", "sub/b")
    work.git("commit", "-q", "--no-edit")
    assert head(work) == ("modified", None, ["missing-path", "renamed"])


@pytest.mark.parametrize("forge", [False, True])
def test_squash_is_never_verified_when_a_renamed_file_holds_more_than_its_records_say(work, forge):
    work.git("checkout", "-q", "main")
    work.commit({"a": work.read("a").replace(b"line 35\n", b"by hand\n")})
    edit(work, "a", (line(2), "two\n"))
    work.git("checkout", "-q", "up")
    squash(work, forge=forge)
    # Without a place for its regions, a record outside the trailer block may be anybody's.
    expected = ("modified", None, ["extra-path", "missing-path"]) if forge else ("no-record", None, ["quotation"] * 3)
    assert head(work) == expected
    [report] = audited(work, require=("path:sub/*",)).commits
    assert report.status == ("modified" if forge else "missing")


def test_squash_is_modified_when_one_more_file_is_in_it(work):
    work.git("merge", "--squash", "-q", "main")
    work.write("extra", "x\n")
    work.git("add", "extra")
    work.git("commit", "-q", "--no-edit")
    assert head(work) == ("modified", None, ["extra-path", "renamed"])


@pytest.mark.parametrize("forge", [False, True])
@pytest.mark.parametrize("first", [False, True])
def test_squash_is_modified_when_it_renames_the_file_itself(repo, first, forge):
    repo.commit({"a": text()})
    repo.git("branch", "up")
    if first:
        move(repo, "a", "c")
    edit(repo, "c" if first else "a", (line(10), "ten\n"))
    if not first:
        move(repo, "a", "c")
    repo.git("checkout", "-q", "up")
    squash(repo, forge=forge)
    status, _, reasons = head(repo)
    assert (status, "mode" in reasons) == ("modified", True)


# -- what is a quotation


@pytest.mark.parametrize("path", ["sub/renamed", "b"])
def test_record_of_a_renamed_file_is_a_quotation_when_its_regions_are_not_here(work, path):
    quoted = quoting(message(work, "main"))
    work.commit({path: work.read(path) + b"by hand\n"}, quoted)
    assert head(work) == ("no-record", None, ["quotation"])
    # As `cherry-pick -x` and a rebase leave it.
    work.commit(None, quoted + "\n(cherry picked from commit " + work.oid("main") + ")\n", "--amend")
    assert head(work) == ("no-record", None, ["quotation"])


def test_record_of_a_renamed_file_is_a_quotation_when_the_commit_takes_it_back(work):
    work.git("cherry-pick", "main~1")
    body = message(work)
    work.git("revert", "--no-commit", "HEAD")
    work.commit(None, quoting(body, "Take it back\n\nThis reverts commit " + work.oid() + "."))
    assert head(work) == ("no-record", None, ["quotation", "reverts"])


def test_record_of_a_deleted_file_is_a_quotation_when_the_commit_brings_it_back(work):
    work.git("rm", "-q", "sub/renamed")
    work.commit(None, "delete")
    work.commit({"sub/renamed": work.git("show", "main:a") + b"\n"}, quoting(message(work, "main")))
    assert head(work) == ("no-record", None, ["quotation"])


def test_record_of_an_existing_file_is_a_quotation_when_its_regions_are_in_another(work):
    """A copy is no rename: the file that the record names is still here, and unchanged."""
    work.git("checkout", "-q", "main~1")
    body = message(work)
    work.git("checkout", "-q", "-b", "copied", "HEAD~1")
    work.commit({"copy": text()})
    work.commit({"copy": work.git("show", "main~1:a") + b"\n"}, quoting(body))
    assert head(work) == ("no-record", None, ["quotation"])


def test_quotation_explains_nothing_when_a_record_in_the_trailers_is_verified(work):
    edit(work, "b", (line(2, "row"), "zwei\n"))
    trailers = message(work)
    body = quoting(message(work, "main")).partition("More prose")[0].encode()
    work.commit(None, body + b"\n" + trailers, "--amend")
    assert head(work) == ("verified", "exact", ["quotation"])
    work.write("sub/renamed", work.read("sub/renamed") + b"by hand\n")
    work.git("add", "sub")
    work.commit(None, body + b"\n" + trailers, "--amend")
    assert head(work) == ("modified", None, ["extra-path", "quotation"])


def test_claim_comes_first_when_a_quoted_record_fits_the_same_renamed_file(work):
    recorded = message(work, "main~1")
    work.git("checkout", "-q", "-b", "older", "main~2")
    move(work, "a", "older")
    edit(work, "older", (line(10), "ten\n"), (line(20), "twenty\n"))
    older = message(work)
    work.git("checkout", "-q", "up")
    work.git("cherry-pick", "main~1")
    for body, trailers in ((older, recorded), (recorded, older)):
        work.commit(None, quoting(body).partition("More prose")[0].encode() + b"\n" + trailers, "--amend")
        assert head(work) == ("verified", "moved", ["quotation", "renamed"])


def test_record_of_a_renamed_file_is_unverifiable_when_blobs_are_missing(work, make_repo):
    squash(work)
    work.git("config", "uploadpack.allowFilter", "true")
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", "file://" + work.path)
    clone.git("fetch", "-q", "--filter=blob:none", "origin", "up")
    [report] = audited(clone, "origin/up^!", cache=True).commits
    assert [(finding.rule, finding.level) for finding in report.findings if finding.rule != "quotation"] == [
        ("unverifiable", "error")
    ]
    clone.git("fetch", "-q", "--refetch", "--no-filter", "origin", "up")
    [report] = audited(clone, "origin/up^!", cache=True).commits
    assert (report.status, report.detail) == ("verified", "squash(2)")
