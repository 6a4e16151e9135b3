"""Notes on verified commits: repeated, taken back, under another name, at one of several places."""

from gitedit.commands.audit import exit_status
from tests.audit.recorded import audited, edit, head, line, message, rules, text


def test_duplicate_is_noted_when_the_record_is_verified_again_on_a_descendant(repo):
    repo.commit({"a": "x\n" + text(5) + "x\n"})
    edit(repo, "a", ("x\n" + line(1), "y\n" + line(1)))
    body = message(repo)
    repo.commit({"a": b"x\nline 1\n" + repo.read("a")})
    repo.commit({"a": b"y\nline 1\n" + repo.read("a")[9:]}, body)
    reports = audited(repo, "HEAD").commits
    assert [(report.status, rules(report)) for report in reports] == [("verified", ["duplicate"]), ("verified", [])]


def test_duplicate_is_not_noted_when_it_was_taken_back_or_is_on_another_branch(work):
    recorded = work.oid()
    work.git("revert", "--no-edit", recorded)
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "HEAD").commits] == [[], ["reverts"], []]
    work.git("reset", "-q", "--hard", recorded)
    work.git("revert", "--no-commit", recorded)
    work.commit(None, "take it back by hand")
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "HEAD").commits] == [[], []]
    work.git("checkout", "-q", "-b", "side", "main~3")
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "side", recorded).commits] == [[], []]


def test_reverts_is_noted_when_the_reverted_commit_is_outside_the_range(work):
    work.git("revert", "--no-edit", "HEAD")
    [report] = audited(work).commits
    assert (report.status, rules(report)) == ("no-record", ["reverts"])
    assert exit_status(audited(work), fail_on="note") == 1
    work.commit({"c": "c\n"}, "no revert\n\nThis reverts commit " + "1" * 40 + ".\n")
    assert audited(work).commits == ()


def test_reverts_is_noted_when_it_is_recorded_itself(work):
    edit(work, "a", ("ten\n", line(10)))
    newest, oldest = audited(work, "HEAD").commits
    assert (newest.status, rules(newest), rules(oldest)) == ("verified", ["reverts"], [])


def test_agent_mismatch_is_noted(work):
    work.commit(None, message(work).replace(b"Assisted-by: Claude:opus", b"Assisted-by: Other:model [tool]"), "--amend")
    assert head(work) == ("verified", "exact", ["agent-mismatch"])
    work.commit(None, message(work).replace(b"Other:model", b"Claude:opus"), "--amend")
    assert head(work) == ("verified", "exact", [])


def test_place_not_unique_is_noted_when_moved(repo):
    repo.commit({"a": "x\n" + text(5) + "x\n" + text(5, "row")})
    edit(repo, "a", ("x\n" + line(1), "y\n"), (line(3), "three\n"))
    recorded = repo.oid()
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit({"a": repo.read("a") + b"line 3\n" * 2})
    repo.git("cherry-pick", recorded)
    assert head(repo) == ("verified", "moved", ["place-not-unique"])
