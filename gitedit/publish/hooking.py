"""The commit hooks: run on a scratch index that holds exactly the commit, and held to what they may change.

A hook may refuse, and it may add trailers to the message. It may not change the tree or our record.
"""

import os
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gitedit.errors import HookError, RepositoryError
from gitedit.git import index
from gitedit.git.hooks import Hooks
from gitedit.publish.recover import index_git
from gitedit.publish.workspace import Workspace
from gitedit.record.model import Record
from gitedit.record.read import read_message

_SCRATCH = ("-c", "core.hooksPath=" + os.devnull)


class HookRun(NamedTuple):
    """The hooks of one commit."""

    workspace: Workspace
    hooks: Hooks
    tree: str
    """What the scratch index must hold, before and after."""
    rows: Mapping[str, tuple[str, str]]
    """Path -> (mode, blob id) of the batch's files in that tree."""
    same_on_disk: list[str]
    """Paths whose file on disk is that very content."""
    verify: bool
    """False: skip pre-commit and commit-msg."""

    def run(self, message: str, record: Record) -> str:
        """Run the hooks; return the message as they left it.

        Raises HookError: `hook-rejected`, `hook-changed-commit`.
        """
        scratch = self._scratch_index()
        self._check_tree(scratch, "the scratch index of the hooks is not what was planned")
        if self.verify:
            self._call("pre-commit", scratch)
            self._check_tree(scratch, "a pre-commit hook staged other content")
        path = self.workspace.save("run/COMMIT_EDITMSG", message.encode("utf-8", "surrogateescape"), durable=False)
        self._call("prepare-commit-msg", scratch, path, "message")
        if self.verify:
            self._call("commit-msg", scratch, path)
        self._check_tree(scratch, "a message hook staged other content")
        with open(path, "rb") as stream:
            return checked(stream.read(), record)

    def _call(self, name: str, scratch: str, *arguments: str) -> None:
        status = self.hooks.run(name, scratch, *arguments)
        if status:
            how = f"was killed by signal {-status}" if status < 0 else f"exited with {status}"
            hint = "everything is as it was; see the hook's output above"
            raise HookError("hook-rejected", f"the {name} hook {how}", hint)

    def _scratch_index(self) -> str:
        """Make the index of the commit: the real one's stat data, HEAD's entries, our new blobs."""
        path = self.workspace.path("run", "hooks.index")
        with open(self.workspace.repository.index_file, "rb") as stream:
            self.workspace.save("run/hooks.index", stream.read(), durable=False)
        git = index_git(self.workspace.git, path).with_options(*_SCRATCH)
        git.run("read-tree", "-i", "-m", "HEAD")
        index.update(git, self.rows, self.same_on_disk)
        return path

    def _check_tree(self, scratch: str, what: str) -> None:
        # Plain write-tree downloads the blobs of a partial clone.
        answer = index_git(self.workspace.git, scratch).with_options(*_SCRATCH).ask("write-tree", "--missing-ok")
        if answer.status or answer.out.decode("ascii").strip() != self.tree:
            hint = "everything is as it was; run the hook's fixes first, then apply the batch"
            raise HookError("hook-changed-commit", what, hint)


def checked(message: bytes, record: Record) -> str:
    """Return the message that the hooks left, if our record still stands in its trailer block, unchanged and alone.

    Raises HookError `hook-changed-commit`.
    """
    hint = "everything is as it was; exempt lines that begin with Gitedit- in that hook"
    text = message.decode("utf-8", "surrogateescape")
    if not text.endswith("\n"):
        text += "\n"
    found = read_message(text).records
    expected = record._replace(files=()) if record.lines_in_ref else record
    sound = [one.record == expected and one.position == "trailer" and not (one.malformed or one.lost) for one in found]
    if sound != [True] or "\0" in text:
        raise HookError("hook-changed-commit", "a message hook changed or removed the record in the message", hint)
    return text


def check_unmerged(hooks: Hooks, unmerged: Callable[[], bool]) -> None:
    """Raise RepositoryError `unmerged` where hooks must run and the index can't be made a tree."""
    if hooks.present - {"post-commit"} and unmerged():
        message = "the index has unresolved merge conflicts, and there are hooks to run"
        raise RepositoryError("unmerged", message, "resolve the conflicts first")
