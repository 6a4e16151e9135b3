"""What a work tree is in the middle of: a merge, a rebase, a hook."""

import os
from collections.abc import Mapping

from gitedit.git.repository import Repository

# Where git leaves a mark, in the order of git's own wt_status_get_state; bisect is no obstacle.
_MARKS = (
    ("rebase-apply/applying", "an am"),
    ("rebase-apply", "a rebase"),
    ("rebase-merge", "a rebase"),
    ("MERGE_HEAD", "a merge"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("sequencer", "a cherry-pick or revert of several commits"),
)


def in_progress(repository: Repository) -> str | None:
    """Return what is under way in this work tree, in words, or None."""
    for mark, words in _MARKS:
        if os.path.lexists(os.path.join(repository.git_dir, mark)):
            return words
    return None


def inside_hook(environment: Mapping[str, str]) -> bool:
    """Return whether this process runs in a hook of `git commit`: git then sets both variables."""
    return "GIT_INDEX_FILE" in environment and "GIT_EXEC_PATH" in environment


def foreign_git_dir(repository: Repository, environment: Mapping[str, str]) -> str | None:
    """Return an inherited GIT_DIR that names another repository than the one found, or None."""
    inherited = environment.get("GIT_DIR")
    # As for `git -C DIR`, a relative one starts from DIR.
    whole = os.path.join(repository.git.directory, inherited or "")
    if inherited is None or os.path.realpath(whole) == os.path.realpath(repository.git_dir):
        return None
    return inherited
