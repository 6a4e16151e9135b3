"""Git's own lock on the index, taken by linking a file of ours, the journal, to `index.lock`.

Whoever finds the lock can tell from its content which run of ours holds it; a lock of anybody else is never removed.
"""

import contextlib
import errno
import os
import time

from gitedit.errors import ConflictError, OperationError
from gitedit.git.worktree import write_all

_SECONDS = 5.0
_POLL_SECONDS = 0.01
# Bytes from the start of the file.
_TOKEN_WITHIN = 128


class IndexLock:
    """The lock of one index file, held or not."""

    def __init__(self, index_file: str, token_file: str, token: str) -> None:
        """`token_file` begins with `token`, near enough, and is on the same file system as the index, if possible."""
        self._index_file = index_file
        self._token_file = token_file
        self._token = token.encode("ascii")

    @property
    def path(self) -> str:
        """Where git looks for the lock."""
        return self._index_file + ".lock"

    def wait_until_free(self, seconds: float) -> None:
        """Wait for somebody's lock to go; raise ConflictError `locked`."""
        deadline = time.monotonic() + seconds
        while os.path.lexists(self.path):
            if time.monotonic() > deadline:
                raise self._busy()
            time.sleep(_POLL_SECONDS)

    def acquire(self) -> None:
        """Take the lock, waiting up to five seconds; raise ConflictError `locked`."""
        deadline = time.monotonic() + _SECONDS
        while not self._try():
            if time.monotonic() > deadline:
                raise self._busy()
            time.sleep(_POLL_SECONDS)

    def install(self, index: str) -> None:
        """Make the file `index` the index; the lock must be held."""
        if not self.held():
            raise OperationError("io-error", "somebody removed our lock on the index")
        os.rename(index, self._index_file)

    def held(self) -> bool:
        """Return whether the lock that is there is this run's."""
        try:
            with open(self.path, "rb") as stream:
                return self._token in stream.read(_TOKEN_WITHIN)
        except FileNotFoundError:
            return False

    def release(self) -> None:
        """Remove the lock if it is this run's."""
        if self.held():
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.path)

    def _try(self) -> bool:
        try:
            os.link(self._token_file, self.path)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in {errno.EPERM, errno.EXDEV, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}:
                raise OperationError("io-error", f"cannot lock the index: {error.strerror}") from error
            return self._create()
        return True

    def _create(self) -> bool:
        """Make the lock where the file system has no links."""
        try:
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError:
            return False
        try:
            write_all(descriptor, self._token)
        finally:
            os.close(descriptor)
        return True

    def _busy(self) -> ConflictError:
        hint = "retry; if no git process is running, remove the file by hand"
        return ConflictError("locked", f"the index is locked by another process: {self.path} exists", hint)
