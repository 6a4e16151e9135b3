"""Files on disk: read one with everything that its replacement must keep, and replace it atomically."""

import contextlib
import errno
import os
import stat
from typing import NamedTuple

from gitedit.errors import ConflictError, RepositoryError
from gitedit.git.paths import shown

_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX


class DiskFile(NamedTuple):
    """A regular file as it was read."""

    content: bytes
    device: int
    inode: int
    permissions: int
    """The permission bits of st_mode."""
    owner: int
    group: int

    @property
    def executable(self) -> bool:
        """Return whether git would store it as 100755."""
        return bool(self.permissions & stat.S_IXUSR)


def read(top: str, path: str) -> DiskFile:
    """Read a file of the work tree, refusing whatever is not one plain file of its own.

    Raises RepositoryError: `missing-file`, `symlink`, `not-regular`, `hard-link`.
    """
    whole = os.path.join(top, path)
    try:
        # O_NONBLOCK: a FIFO must be refused, not waited for.
        descriptor = os.open(whole, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise RepositoryError("missing-file", f"{shown(path)}: there is no such file on disk") from None
    except NotADirectoryError:
        raise RepositoryError("missing-file", f"{shown(path)}: a part of the path is not a folder") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            hint = "edit the file that it points to, by its own name"
            raise RepositoryError("symlink", f"{shown(path)}: is a symbolic link", hint) from None
        if error.errno == errno.ENXIO:
            raise RepositoryError("not-regular", f"{shown(path)}: is a socket") from None
        raise
    try:
        facts = os.fstat(descriptor)
        _check_kind(facts, path)
        with os.fdopen(descriptor, "rb", closefd=False) as stream:
            content = stream.read()
    finally:
        os.close(descriptor)
    return DiskFile(content, facts.st_dev, facts.st_ino, stat.S_IMODE(facts.st_mode), facts.st_uid, facts.st_gid)


def _check_kind(facts: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise RepositoryError("not-regular", f"{shown(path)}: is a folder, not a file")
    if not stat.S_ISREG(facts.st_mode):
        raise RepositoryError("not-regular", f"{shown(path)}: is not a regular file")
    if facts.st_mode & _SPECIAL:
        raise RepositoryError("not-regular", f"{shown(path)}: has a setuid, setgid or sticky bit")
    if facts.st_nlink > 1:
        hint = "the other name would keep the old content; make it a file of its own first"
        raise RepositoryError("hard-link", f"{shown(path)}: has {facts.st_nlink} names (hard links)", hint)


def write_temporary(target: str, temporary: str, content: bytes, like: DiskFile, *, durable: bool) -> None:
    """Write `temporary` beside `target`: same permissions, extended attributes and, where permitted, owner."""
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        write_all(descriptor, content)
        made = os.fstat(descriptor)
        if (made.st_uid, made.st_gid) != (like.owner, like.group):
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, -1, like.group)
            with contextlib.suppress(PermissionError):
                os.fchown(descriptor, like.owner, -1)
        _copy_attributes(target, descriptor)
        os.fchmod(descriptor, like.permissions)
        if durable:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, content: bytes) -> None:
    """Write every byte; `os.write` may stop early on a full disk before it fails."""
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _copy_attributes(source: str, descriptor: int) -> None:
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError):
        for name in os.listxattr(source, follow_symlinks=False):
            # security.* may not be ours to set; what can't be kept is not worth losing the edit.
            with contextlib.suppress(OSError):
                os.setxattr(descriptor, name, os.getxattr(source, name, follow_symlinks=False))


def replace(target: str, path: str, temporary: str, backup: str, before: DiskFile) -> None:
    """Put `temporary` in the place of `target`, unless somebody else wrote there since `before` was read.

    `backup` becomes a second name of the old file and stays: a write into it between our last look and the rename is
    seen and put back, and the caller can undo without writing a byte. Raises ConflictError `file-changed`.
    """
    linked = False
    with contextlib.suppress(OSError):  # EPERM, EXDEV, EMLINK: file systems without links
        os.link(target, backup, follow_symlinks=False)
        linked = True
    changed = ConflictError("file-changed", f"{shown(path)}: changed on disk while it was being edited", _RETRY)
    if not holds(target, before):
        raise changed
    os.replace(temporary, target)
    if linked and not _same_content(backup, before.content):
        os.replace(backup, target)
        raise changed


_RETRY = "nothing was changed; read the file again and retry"


def holds(target: str, file: DiskFile) -> bool:
    """Return whether `target` is still that very file with those bytes."""
    try:
        facts = os.lstat(target)
    except (FileNotFoundError, NotADirectoryError):
        return False
    same = (facts.st_dev, facts.st_ino) == (file.device, file.inode) and facts.st_size == len(file.content)
    return same and stat.S_ISREG(facts.st_mode) and _same_content(target, file.content)


def content(target: str) -> bytes | None:
    """Return the bytes of a regular file, or None where there is none."""
    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}:
            return None
        raise
    with os.fdopen(descriptor, "rb") as stream:
        return stream.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None


def _same_content(target: str, expected: bytes) -> bool:
    return content(target) == expected
