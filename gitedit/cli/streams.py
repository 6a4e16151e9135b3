"""Standard input, output and error as bytes; every write says whether it arrived."""

import contextlib
import errno
import os
import select
import sys
from collections.abc import Iterable
from typing import IO

from gitedit.errors import OperationError, RepositoryError
from gitedit.report.escapes import shown_path

BATCH_LIMIT = 64 << 20
"""Bytes; one more is read, so that the reader of the batch can tell."""
_PIECE = 1 << 16
"""Characters."""


class OutputError(OSError):
    """Standard output took not all that was written to it."""


def open_standard_streams() -> None:
    """Open /dev/null where one of the three is closed, as git does, or the next file opened would take its place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - as long as the process


def read_batch(name: str | None, directory: str) -> bytes:
    """Return a batch file's bytes, or standard input's for None and `-`; never more than the limit and one."""
    with open_batch(name, directory) as stream:
        try:
            return stream.read(BATCH_LIMIT + 1)
        except OSError as error:
            raise OperationError("io-error", f"cannot read {_shown(name)}: {error.strerror or error}") from error


def open_batch(name: str | None, directory: str) -> IO[bytes]:
    """Open a batch file, or standard input for None and `-`; raise OperationError."""
    source: str | int = 0 if name is None or name == "-" else os.path.join(directory, name)
    try:
        return open(source, "rb", closefd=source != 0)
    except OSError as error:
        if not os.path.isdir(directory):
            message = f"cannot change to '{directory}': no such directory"
            raise RepositoryError("not-a-repository", message, "name a folder of a work tree") from error
        hint = "a path is relative to the current folder, or to -C; `-` is standard input"
        raise OperationError("io-error", f"cannot read {_shown(name)}: {error.strerror or error}", hint) from error
    except ValueError as error:
        raise OperationError("io-error", f"cannot read {_shown(name)}: no file can have that name") from error


def _shown(name: str | None) -> str:
    return "standard input" if name is None or name == "-" else f"the batch file {shown_path(name)}"


def write(text: str) -> None:
    """Write to standard output, now; raise OutputError."""
    try:
        sys.stdout.flush()
        _write(1, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise OutputError(error.errno, error.strerror) from error


def write_pieces(pieces: Iterable[str]) -> None:
    """Write text as it comes, in pieces that are worth a system call; raise OutputError."""
    waiting: list[str] = []
    size = 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE:
            write("".join(waiting))
            waiting, size = [], 0
    write("".join(waiting))


def say(text: str) -> None:
    """Write to standard error as far as it takes it."""
    with contextlib.suppress(OSError):
        _write(2, text.encode("utf-8", "backslashreplace"))


def _write(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            # A parent (Node.js) may have made its end of the pipe non-blocking, and with it ours.
            select.select([], [descriptor], [])


def is_terminal(descriptor: int) -> bool:
    """Return whether 0, 1 or 2 is a terminal."""
    return os.isatty(descriptor)


def colour(descriptor: int) -> bool:
    """Return whether 1 or 2 is a terminal that wants colour (https://no-color.org)."""
    return is_terminal(descriptor) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Return the columns of the terminal at standard output."""
    try:
        columns = os.get_terminal_size(1).columns
    except OSError:
        columns = 0
    return columns or 80


def reader_is_gone(error: OSError) -> bool:
    """Return whether `error` is the end of standard output's reader, as in `gitedit ... | head -1`.

    A git child that died gives the same error for its own pipe; only the state of ours tells.
    """
    if error.errno != errno.EPIPE:
        return False
    if isinstance(error, OutputError):
        return True
    if not hasattr(select, "poll"):
        return False
    poll = select.poll()
    poll.register(1, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))
