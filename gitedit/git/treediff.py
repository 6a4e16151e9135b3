"""Tree against tree in the clean room, by one `git diff-tree --stdin` child for any number of pairs."""

import contextlib
import os
import subprocess
from collections.abc import Iterator

from gitedit.errors import OperationError
from gitedit.git.process import Git, pipes

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
        self._unread = False

    def stream(self, old_tree: str, new_tree: str) -> Iterator[bytes]:
        """Yield the output for one pair, piece by piece as git makes it; raise OperationError where git dies of it."""
        if self._unread:
            # Whoever asked last had enough before the end.
            self.close()
        if self._child is None:
            self._child = self._room.start("diff-tree", *_OPTIONS, stderr=subprocess.DEVNULL)
        requests, answers = pipes(self._child)
        self._unread = True
        header = f"{old_tree} {new_tree}\n".encode()
        # A line that names no object is echoed, and only then is the output flushed; nobody can guess this one.
        end = b"end " + os.urandom(16).hex().encode("ascii") + b"\n"
        try:
            requests.write(header + end)
            requests.flush()
        except BrokenPipeError as error:
            raise self._died() from error
        # Held back is what may yet turn out to be the header or the end.
        held, least = b"", len(header) + len(end)
        while not held.endswith(end):
            piece = os.read(answers.fileno(), _PIECE)
            if not piece:
                raise self._died()
            held += piece
            if len(held) > least:
                yield held[: -len(end)].removeprefix(header)
                header, held, least = b"", held[-len(end) :], len(end)
        self._unread = False
        yield held.removesuffix(end).removeprefix(header)

    def close(self) -> None:
        """End the child."""
        self._unread = False
        if self._child is not None:
            child, self._child = self._child, None
            # The end of its input may be long in coming: a fork of this process holds it open, too.
            child.terminate()
            with contextlib.suppress(BrokenPipeError):
                child.communicate()

    def _died(self) -> OperationError:
        status = self._child.wait() if self._child else 0
        # The next question goes to another child.
        self.close()
        return OperationError("git-failed", f"git diff-tree ended with {status} while it was needed")
