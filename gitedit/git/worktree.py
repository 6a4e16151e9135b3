"""Files on disk: read one with everything that its replacement must keep, and exchange it for that.

Where the system can exchange two names (renameat2 on Linux), no save of anybody is ever overwritten: whatever stood at
the name at that very moment is in our hands afterwards, and goes back if it is not what was read.
"""

import contextlib
import errno
import functools
import os
import stat
from collections.abc import Callable, Iterator
from typing import NamedTuple

from gitedit.errors import ConflictError, RepositoryError
from gitedit.git.paths import shown

_SPECIAL = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_UNFINISHED, _ASIDE = ".new", ".old"
_PIECE = 1 << 16
_AT_FDCWD, _RENAME_EXCHANGE = -100, 2
# What a kernel, a file system or a sandbox answers that has no RENAME_EXCHANGE.
_UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EPERM, errno.ENOTSUP}


class DiskFile(NamedTuple):
    """A regular file as it was read."""

    content: bytes
    device: int
    inode: int
    permissions: int
    """The permission bits of st_mode."""
    owner: int
    group: int
    modified: int
    """Nanoseconds."""

    @property
    def executable(self) -> bool:
        """Return whether git would store it as 100755."""
        return bool(self.permissions & stat.S_IXUSR)


def read(top: str, path: str) -> DiskFile:
    """Read a file of the work tree, refusing whatever is not one plain file of its own.

    Raises RepositoryError: `missing-file`, `symlink`, `not-regular`, `hard-link`.
    """
    try:
        descriptor = _open_below(top, path)
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
        raise OSError(error.errno, error.strerror, os.path.join(top, path)) from error
    try:
        facts = os.fstat(descriptor)
        _check_kind(facts, path)
        return _disk_file(_whole(descriptor, facts.st_size), facts)
    finally:
        os.close(descriptor)


def _whole(descriptor: int, size: int) -> bytes:
    """Return all bytes from here on, `size` of them if nobody writes meanwhile; a file object costs twice the time."""
    pieces = []
    wanted = size + 1
    while piece := os.read(descriptor, wanted):
        pieces.append(piece)
        wanted = _PIECE
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def _disk_file(content: bytes, facts: os.stat_result) -> DiskFile:
    permissions = stat.S_IMODE(facts.st_mode)
    return DiskFile(content, facts.st_dev, facts.st_ino, permissions, facts.st_uid, facts.st_gid, facts.st_mtime_ns)


def _open_below(top: str, path: str) -> int:
    """Open a file folder by folder, through no link: a folder may have become one since the path was looked at.

    What is read is what the run later exchanges, as it must be the same inode then.
    """
    *folders, name = path.split("/")
    # O_PATH needs no right to list a folder.
    enter = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    here = os.open(top, enter & ~os.O_NOFOLLOW)
    try:
        for folder in folders:
            below = os.open(folder, enter, dir_fd=here)
            os.close(here)
            here = below
        # O_NONBLOCK: a FIFO must be refused, not waited for.
        return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=here)
    finally:
        os.close(here)


def _check_kind(facts: os.stat_result, path: str) -> None:
    if stat.S_ISDIR(facts.st_mode):
        raise RepositoryError("not-regular", f"{shown(path)}: is a folder, not a file", "name a file in it")
    if not stat.S_ISREG(facts.st_mode):
        raise RepositoryError("not-regular", f"{shown(path)}: is not a regular file")
    if facts.st_mode & _SPECIAL:
        raise RepositoryError("not-regular", f"{shown(path)}: has a setuid, setgid or sticky bit")
    if facts.st_nlink > 1:
        hint = "the other name would keep the old content; make it a file of its own first"
        raise RepositoryError("hard-link", f"{shown(path)}: has {facts.st_nlink} names (hard links)", hint)


def write_temporary(target: str, temporary: str, content: bytes, like: DiskFile, *, durable: bool) -> DiskFile:
    """Write `temporary` beside `target`: same permissions, extended attributes and, where permitted, owner."""
    try:
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
            return _disk_file(content, os.fstat(descriptor))
        finally:
            os.close(descriptor)
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from error


def write_whole(target: str, temporary: str, content: bytes, like: DiskFile) -> None:
    """Write `temporary` as `write_temporary` does, durably; it gets its name when it is whole."""
    write_temporary(target, temporary + _UNFINISHED, content, like, durable=True)
    os.rename(temporary + _UNFINISHED, temporary)


def settle_temporary(temporary: str) -> None:
    """Bring what a killed run left beside a file to one name: `temporary` is E(W), or what stood at the file's name."""
    remove(temporary + _UNFINISHED)
    aside = temporary + _ASIDE
    if os.path.lexists(temporary):
        # A second name of a file that was not replaced yet.
        remove(aside)
    else:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.rename(aside, temporary)


@contextlib.contextmanager
def naming(path: str) -> Iterator[None]:
    """Have an OSError inside name `path`: a failed write(2) names no file, and a temporary name tells nobody much."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error


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


def exchange(target: str, other: str, is_expected: Callable[[str], bool], *, looked_at: bool = False) -> bool:
    """Exchange the files at `target` and `other`, if what is at `target` is what is expected; return whether it was.

    Afterwards `other` is what stood at `target`; if False, it is the file that it was, unless somebody wrote even
    there. `looked_at`: its stat data were right a moment ago, and the look at what was taken out is enough. Where names
    can't be exchanged, a save by rename between the last look and ours is lost, and where there are no links either,
    so is `other`.
    """
    if not (looked_at or is_expected(target)):
        return False
    try:
        ours = _inode(other)
        supported = _exchange(other, target)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not supported:
        return _replace(target, other, is_expected)
    if is_expected(other):
        return True
    _undo_exchange(target, other, ours)
    return False


def _undo_exchange(target: str, other: str, ours: tuple[int, int]) -> None:
    """Put `other`, somebody's save that slipped in, back to `target`, where `ours` was put in its place.

    What comes out must be what went in; if not, it is a newer save yet, and goes back in turn.
    """
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):  # somebody removed it: `other` stays what it is
        while True:
            put_in = _inode(other)
            _exchange(other, target)
            if _inode(other) == ours:
                return
            ours = put_in


def _inode(path: str) -> tuple[int, int]:
    facts = os.lstat(path)
    return facts.st_dev, facts.st_ino


def _exchange(one: str, two: str) -> bool:
    """Exchange two names in one step; return False where that can't be done here."""
    rename = exchanger()
    if rename is None:
        return False
    code = rename(os.fsencode(one), os.fsencode(two))
    if code in _UNSUPPORTED:
        return False
    if code:
        raise OSError(code, os.strerror(code), two)
    return True


@functools.cache
def exchanger() -> Callable[[bytes, bytes], int] | None:
    """Return renameat2(RENAME_EXCHANGE) as a function that returns errno, or None where there is none.

    ctypes costs 2 ms of import: load it while a child works.
    """
    import ctypes  # noqa: PLC0415

    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return None

    def rename(one: bytes, two: bytes) -> int:
        done = renameat2(_AT_FDCWD, one, _AT_FDCWD, two, _RENAME_EXCHANGE)
        return 0 if done == 0 else ctypes.get_errno()

    return rename


def _replace(target: str, other: str, is_expected: Callable[[str], bool]) -> bool:
    """Do what can be done without exchanging names: a second name shows what is written into the old file."""
    aside = other + _ASIDE
    linked = False
    with contextlib.suppress(OSError):  # EPERM, EXDEV, EMLINK: file systems without links
        os.link(target, aside, follow_symlinks=False)
        linked = True
    if not is_expected(target):
        remove(aside)
        return False
    os.replace(other, target)
    if not linked:
        return True
    if is_expected(aside):
        os.rename(aside, other)
        return True
    os.replace(aside, target)
    return False


def rewrite(top: str, path: str, new: bytes, before: DiskFile) -> None:
    """Give a file new content outside a run of ours; raise ConflictError `file-changed` where it is not `before`."""
    target = os.path.join(top, path)
    temporary = os.path.join(os.path.dirname(target), f".gitedit-{os.urandom(8).hex()}")
    write_temporary(target, temporary, new, before, durable=False)
    done = exchange(target, temporary, functools.partial(holds, file=before))
    if done or content(temporary) == new:
        remove(temporary)
    if not done:
        raise ConflictError("file-changed", f"{shown(path)}: changed on disk while it was being edited", _RETRY)


_RETRY = "nothing was changed; read the file again and retry"


def holds(target: str, file: DiskFile) -> bool:
    """Return whether `target` is still that very file with those bytes."""
    found = _regular(target)
    if found is None:
        return False
    descriptor, facts = found
    try:
        same = (facts.st_ino, facts.st_dev, facts.st_size) == (file.inode, file.device, len(file.content))
        return same and _whole(descriptor, facts.st_size) == file.content
    finally:
        os.close(descriptor)


def untouched(target: str, file: DiskFile) -> bool:
    """Return whether `target` is that very file with the same stat data; False: look at its bytes."""
    try:
        facts = os.lstat(target)
    except (FileNotFoundError, NotADirectoryError):
        return False
    told = (facts.st_ino, facts.st_dev, facts.st_size, facts.st_mtime_ns, stat.S_IMODE(facts.st_mode))
    return told == (file.inode, file.device, len(file.content), file.modified, file.permissions)


def content(target: str) -> bytes | None:
    """Return the bytes of a regular file, or None where there is none."""
    found = _regular(target)
    if found is None:
        return None
    descriptor, facts = found
    try:
        return _whole(descriptor, facts.st_size)
    finally:
        os.close(descriptor)


def _regular(target: str) -> tuple[int, os.stat_result] | None:
    """Open a regular file, through no link; None where there is none."""
    try:
        descriptor = os.open(target, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}:
            return None
        raise
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode):
        return descriptor, facts
    os.close(descriptor)
    return None


def remove(path: str) -> None:
    """Remove a file, if it is there."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)
