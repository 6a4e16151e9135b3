"""Tree against tree in the clean room, by one `git diff-tree --stdin` child for any number of pairs."""

import contextlib
import os
import subprocess

from gitedit.errors import OperationError
from gitedit.git.process import Git

_OPTIONS = (
    "--stdin",
    "-r",
    "-z",
    "--raw",
    "--numstat",
    "-p",
    "-U0",
    "--full-index",
    "--no-renames",
    "--no-abbrev",
    "--no-ext-diff",
    "--no-color",
    "--diff-algorithm=myers",
)
_PIECE = 1 << 16


class TreeDiffer:
    """Answers with what git prints for two trees: raw rows, numstat rows, an empty field, the patch."""

    def __init__(self, room: Git) -> None:
        """`room` is a git in the clean room."""
        self._room = room
        self._child: subprocess.Popen[bytes] | None = None

    def show(self, old_tree: str, new_tree: str) -> bytes:
        """Return the output for one pair; raise OperationError where git dies of it."""
        if self._child is None:
            self._child = self._room.start("diff-tree", *_OPTIONS, stderr=subprocess.DEVNULL)
        requests, answers = self._child.stdin, self._child.stdout
        if requests is None or answers is None:
            raise OperationError("internal", "git was started without pipes")
        # A line that names no object is echoed, and only then is the output flushed; nobody can guess this one.
        end = b"end " + os.urandom(16).hex().encode("ascii") + b"\n"
        try:
            requests.write(f"{old_tree} {new_tree}\n".encode() + end)
            requests.flush()
        except BrokenPipeError as error:
            raise self._died() from error
        pieces: list[bytes] = []
        tail = b""
        while not tail.endswith(end):
            piece = os.read(answers.fileno(), _PIECE)
            if not piece:
                raise self._died()
            pieces.append(piece)
            tail = tail[-len(end) :] + piece[-len(end) :]
        header = f"{old_tree} {new_tree}\n".encode()
        return b"".join(pieces).removesuffix(end).removeprefix(header)

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            child, self._child = self._child, None
            with contextlib.suppress(BrokenPipeError):
                child.communicate()

    def _died(self) -> OperationError:
        status = self._child.wait() if self._child else 0
        return OperationError("git-failed", f"git diff-tree ended with {status} while it was needed")
