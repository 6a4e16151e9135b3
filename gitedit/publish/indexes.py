"""Second names of the index in run/: the next one, for git to rewrite, and the old one, for the way back."""

import contextlib
import os

from gitedit.git import hooks, worktree
from gitedit.git.process import Git
from gitedit.publish.workspace import Workspace

OLD = "run/old.index"
"""The index as it was, once the next one stands in its place."""


def following(workspace: Workspace) -> str:
    """Return a second name (else a copy) of the index, for git to rewrite into the next one.

    The name is of this process alone: a git child that outlived its killed run may still write to the name of that.
    """
    name = f"run/next.{workspace.token}"
    path = workspace.path(name)
    source = workspace.repository.index_file
    worktree.remove(path)
    try:
        os.link(source, path)
    except OSError:
        with open(source, "rb") as stream:
            workspace.save(name, stream.read(), durable=False)
    return path


def git_for(git: Git, index_file: str) -> Git:
    """Return a git that works on another index file, with no hook that would take it for the real one.

    It lets shared parts of older ones be: they may come back.
    """
    options = (*hooks.NONE, "-c", "splitIndex.sharedIndexExpire=never")
    return git.with_variables(GIT_INDEX_FILE=index_file).with_options(*options)


def keep_old(workspace: Workspace) -> None:
    """Give the index a second name before it is replaced: the way back that needs no space."""
    with contextlib.suppress(OSError):
        os.link(workspace.repository.index_file, workspace.path(OLD))
