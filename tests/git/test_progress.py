"""What git is in the middle of: a commit must wait, the files need not, for that is how conflicts are resolved."""

import os

import pytest
from witness import LINES, batch_for, commits, edits, make_busy, refuses, script, stages

CONFLICT = LINES.replace(b"line 20", b"ours 20")


@pytest.fixture
def forked(repo):
    """A repository with a branch `theirs` that changes the same line of `f` in other ways than `main` does."""
    repo.commit({"f": LINES, "g": LINES})
    repo.git("checkout", "-q", "-b", "theirs")
    repo.commit({"f": LINES.replace(b"line 20", b"theirs 20"), "h": LINES})
    repo.commit({"f": LINES.replace(b"line 20", b"theirs 20").replace(b"line 22", b"theirs 22")})
    repo.git("checkout", "-q", "main")
    repo.commit({"f": CONFLICT})
    return repo


def _am(repo):
    patch = repo.git("format-patch", "-1", "--stdout", "theirs~1")
    repo.git("am", "-q", "--3way", check=False, data=patch)


BEGUN = {
    "a merge": lambda repo: repo.git("merge", "-q", "theirs", check=False),
    "a rebase": lambda repo: repo.git("rebase", "-q", "theirs", check=False),
    "a cherry-pick": lambda repo: repo.git("cherry-pick", "theirs~1", check=False),
    "a revert": lambda repo: repo.git("revert", "--no-edit", "theirs~1", check=False),
    "an am": _am,
}


@pytest.mark.parametrize("words", BEGUN)
def test_commit_waits_and_files_do_not_when_in_the_middle_of(forked, words):
    BEGUN[words](forked)
    assert forked.git("ls-files", "-u", "f") != b""
    assert words in refuses(forked, "in-progress", batch_for("g")).facts["error"]["message"]
    refuses(forked, "unmerged", batch_for("f"), "--stage")
    edits(forked, "f")
    stages(forked, "g")


def test_commit_waits_when_a_rebase_stops_without_a_conflict(forked):
    forked.git("rebase", "-q", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i s/pick/edit/")
    assert "a rebase" in refuses(forked, "in-progress").facts["error"]["message"]


def test_commit_waits_when_an_old_rebase_stopped(forked):
    forked.git("rebase", "-q", "--apply", "theirs", check=False)
    assert "a rebase" in refuses(forked, "in-progress", batch_for("g")).facts["error"]["message"]


def test_commit_waits_when_a_merge_is_held_back(forked):
    forked.git("merge", "-q", "--no-commit", "-s", "ours", "theirs")
    assert "a merge" in refuses(forked, "in-progress").facts["error"]["message"]


def test_commit_waits_when_several_picks_are_half_done(forked):
    forked.git("cherry-pick", "theirs~1", "theirs", check=False)
    forked.write("f", LINES)
    forked.git("add", "f")
    forked.commit()
    assert not os.path.exists(os.path.join(forked.path, ".git/CHERRY_PICK_HEAD"))
    assert "of several commits" in refuses(forked, "in-progress").facts["error"]["message"]


def test_commit_waits_for_its_own_worktree_alone_when_another_merges(forked):
    forked.git("worktree", "add", "-q", "../linked", "-b", "topic")
    BEGUN["a merge"](forked)
    forked.path = os.path.join(os.path.dirname(forked.path), "linked")
    commits(forked, clean=True)


def test_commit_is_made_when_bisecting_for_real(forked):
    forked.git("bisect", "start", "HEAD", "HEAD~1")
    commits(forked, clean=True)


def test_commit_is_made_when_a_squash_merge_waits(forked):
    forked.git("checkout", "-q", "-b", "third", "main~1")
    forked.git("merge", "-q", "--squash", "theirs")
    commits(forked, "g", clean=True)


@pytest.fixture
def unmerged(forked):
    """A repository with an unmerged entry for `f` and nothing in progress, as `git stash pop` leaves it."""
    forked.write("f", CONFLICT.replace(b"ours 20", b"stashed 20"))
    forked.git("stash", "-q")
    forked.commit({"f": CONFLICT.replace(b"ours 20", b"later 20")})
    assert forked.git("stash", "pop", "-q", check=False) == 1
    return forked


def test_other_files_are_committed_when_an_entry_is_unmerged(unmerged):
    refuses(unmerged, "unmerged")
    refuses(unmerged, "unmerged", None, "--stage")
    commits(unmerged, "g", clean=True)
    edits(unmerged)


def test_commit_is_refused_when_an_entry_is_unmerged_and_hooks_must_run(unmerged):
    script(unmerged, ".git/hooks/pre-commit", "exit 0\n")
    refuses(unmerged, "unmerged", batch_for("g"), stored=True)


def test_commit_is_made_when_notes_or_stashes_are_there(repo):
    busy = make_busy(repo)
    busy.git("notes", "add", "-m", "a note")
    busy.git("stash", "store", busy.oid("HEAD"), "-m", "a stash")
    commits(busy)
