"""The commit hooks: run on a scratch index that holds exactly the commit, and held to what they may change.

A hook may refuse, and it may add trailers to the message. It may not change the tree or our record.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from gitedit.errors import HookError
from gitedit.git import index, worktree
from gitedit.git.hooks import Hooks
from gitedit.git.paths import shown
from gitedit.publish import indexes
from gitedit.publish.workspace import Workspace
from gitedit.record.message import reads_back
from gitedit.record.model import Record

_NAMES_SHOWN = 5


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
    author: Mapping[str, str]
    """GIT_AUTHOR_* as `git commit` exports them to its hooks."""
    verify: bool
    """False: skip pre-commit and commit-msg."""

    def run(self, message: str, record: Record) -> str:
        """Run the hooks; return the message as they left it.

        Raises HookError: `hook-rejected`, `hook-changed-commit`.
        """
        scratch = self._scratch_index()
        self._check_tree(scratch, "git")
        if self.verify:
            self._call("pre-commit", scratch)
        path = self.workspace.save("run/COMMIT_EDITMSG", message.encode("utf-8", "surrogateescape"), durable=False)
        for name, *source in (("prepare-commit-msg", "message"), ("commit-msg",)):
            if name in self.hooks.present and (self.verify or name == "prepare-commit-msg"):
                self._call(name, scratch, path, *source)
                message = checked(worktree.content(path) or b"", record, name)
        return message

    def _call(self, name: str, scratch: str, *arguments: str) -> None:
        status = self.hooks.run(name, scratch, *arguments, variables=self.author)
        if status:
            how = f"was killed by signal {-status}" if status < 0 else f"exited with {status}"
            hint = "everything is as it was; see the hook's output above"
            raise HookError("hook-rejected", f"the {name} hook {how}", hint)
        if name in self.hooks.present:
            self._check_tree(scratch, f"the {name} hook")

    def _scratch_index(self) -> str:
        """Make the index of the commit: the real one's stat data, HEAD's entries, our new blobs."""
        path = self.workspace.path("run", "hooks.index")
        with open(self.workspace.repository.index_file, "rb") as stream:
            self.workspace.save("run/hooks.index", stream.read(), durable=False)
        git = indexes.git_for(self.workspace.git, path)
        git.run("read-tree", "-i", "-m", self.workspace.repository.head or "HEAD")
        index.update(git, self.rows, self.same_on_disk)
        return path

    def _check_tree(self, scratch: str, who: str) -> None:
        """Raise HookError `hook-changed-commit` where the scratch index is not the planned tree any more."""
        git = indexes.git_for(self.workspace.git, scratch)
        # Plain write-tree downloads the blobs of a partial clone.
        answer = git.ask("write-tree", "--missing-ok")
        tree = answer.out.decode("ascii").strip()
        if answer.status == 0 and tree == self.tree:
            return
        what = "left an index that is no tree"
        if answer.status == 0:
            names = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", self.tree, tree).split(b"\0")[:-1]
            more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
            what = (
                "staged other content: " + ", ".join(shown(os.fsdecode(name)) for name in names[:_NAMES_SHOWN]) + more
            )
        hint = "everything is as it was; make the hook's change part of the batch, or commit it first"
        raise HookError("hook-changed-commit", f"{who} {what}", hint)


def checked(message: bytes, record: Record, hook: str) -> str:
    """Return the message that a hook left, if our record still stands in its trailer block, unchanged and alone.

    Raises HookError `hook-changed-commit`.
    """
    try:
        text = message.decode("utf-8")
    except UnicodeDecodeError:
        # commit-tree would take each such byte for Latin-1 and rewrite it.
        hint = "everything is as it was; the message must stay UTF-8"
        raise HookError("hook-changed-commit", f"the {hook} hook left a message that is not UTF-8", hint) from None
    if not text.endswith("\n"):
        text += "\n"
    if not reads_back(text, record):
        hint = "everything is as it was; exempt lines that begin with Gitedit- in that hook, and put nothing below them"
        what = "changed the record in the commit message, or put a paragraph below it"
        raise HookError("hook-changed-commit", f"the {hook} hook {what}", hint)
    return text
