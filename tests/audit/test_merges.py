"""Merges: none is recorded, and what their messages repeat is held against what they change."""

import pytest

from tests.audit.recorded import audited, edit, head, line, message, rules


def merged(repo, message_text, *, extra=None):
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    edit(repo, "b", (line(2, "row"), "two\n"))
    side = message(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    for path, content in (extra or {}).items():
        repo.write(path, content)
        repo.git("add", path)
    repo.commit(None, message_text(side))
    return side


def test_merge_without_a_record_is_ordinary(work):
    merged(work, lambda _: "Merge side\n")
    assert head(work, revisions=("HEAD^!",), first_parent=True)[0] == "no-record"


def test_merge_that_repeats_the_record_of_what_it_merges_is_verified(work):
    merged(work, lambda side: b"Merge side\n\n" + side)
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert (report.status, report.detail) == ("verified", "merge")


def test_merge_that_repeats_one_of_several_records_is_a_quotation(work):
    work.git("checkout", "-q", "-b", "more", "HEAD~1")
    edit(work, "b", (line(2, "row"), "two\n"))
    first = message(work)
    edit(work, "b", (line(9, "row"), "nine\n"))
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--no-ff", "-m", "x", "more")
    work.commit(None, b"Merge more\n\n" + first, "--amend")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert (report.status, rules(report)) == ("no-record", ["quotation"])


def test_merge_with_somebody_elses_record_is_modified(work):
    own = message(work)
    merged(work, lambda _: b"Merge side\n\n" + own)
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert report.status == "modified"


def test_merge_owes_a_record_only_for_what_it_changes_itself(work):
    merged(work, lambda _: "Merge side\n")
    require = ("author:*example.invalid*", "path:*")
    report = audited(work, "HEAD^1..HEAD", first_parent=True, require=require)
    assert report.commits == ()
    work.write("c", "evil\n")
    work.git("add", "c")
    work.git("commit", "-q", "--amend", "--no-edit")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True, require=("path:c",)).commits
    assert report.status == "missing"
    assert audited(work, "HEAD^1..HEAD", first_parent=True, require=("path:b",)).commits == ()


@pytest.mark.parametrize("rule", ["author:*", "path:c"])
def test_octopus_owes_a_record_for_what_it_changes_itself(work, rule):
    for name in ("x", "y"):
        work.git("checkout", "-q", "-b", name, "HEAD~1")
        edit(work, "b", (line(2 if name == "x" else 20, "row"), "changed\n"))
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "-m", "octopus", "x", "y")
    assert audited(work, "HEAD^1..HEAD", first_parent=True, require=(rule,)).commits == ()
    work.commit({"c": "evil\n"}, "octopus", "--amend")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True, require=(rule,)).commits
    assert report.status == "missing"
