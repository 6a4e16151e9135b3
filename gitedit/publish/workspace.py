"""Our own folder in the git directory: the lock, the journal, files at work, files kept, and the clean room.

    lock     flock: one writing run at a time, a work tree; its `update-ref` child holds it, too
    draft    the journal of a run that has changed nothing yet
    journal  what `recover` needs to take a killed run back (journal.py)
    aside/   journals that could not be decided, until somebody runs `gitedit recover`
    run/     files of the run under way, or of the one that the journal is of; else wiped
    kept/    bytes of people's files that a run found in its way; never removed, always named to somebody
    room/    the clean room
A dry run has a folder of its own outside the repository instead, and a scratch object directory.
"""

import contextlib
import fcntl
import os
import stat
import time
from collections.abc import Iterator
from typing import NamedTuple

from gitedit.errors import ConflictError
from gitedit.git import cleanroom
from gitedit.git.process import Git
from gitedit.git.repository import Repository, find, still_at
from gitedit.git.worktree import naming, write_all

DRAFT, JOURNAL = "draft", "journal"
_LOCK_SECONDS = 10.0
_POLL_SECONDS = 0.02


class Workspace(NamedTuple):
    """Where one run keeps its files."""

    repository: Repository
    folder: str
    token: str
    """Random; tells this run's files and locks from all others."""
    objects_dir: str
    """Where this run's new objects go."""
    dry: bool
    lock: int
    """Descriptor of the flock; a child that inherits it keeps every other run out for as long as it lives."""

    def path(self, *names: str) -> str:
        """Return the path of something in our folder."""
        return os.path.join(self.folder, *names)

    @property
    def git(self) -> Git:
        """Git at the top of the work tree; new objects go where this run's objects belong."""
        git = self.repository.at_top
        if not self.dry:
            return git
        return git.with_variables(
            GIT_OBJECT_DIRECTORY=self.objects_dir,
            GIT_ALTERNATE_OBJECT_DIRECTORIES=cleanroom.quoted(self.repository.objects_dir),
        )

    def clean_room(self) -> Git:
        """Return a git in the clean room that sees the repository's objects and this run's."""
        cleanroom.make(self.path("room"), self.repository.algorithm)
        directories = [self.objects_dir]
        if self.dry:
            directories.append(self.repository.objects_dir)
        return cleanroom.enter(self.path("room"), directories)

    def scratch(self, name: str) -> str:
        """Return a new empty folder of this run."""
        folder = self.path("run", f"{name}.{os.urandom(4).hex()}")
        os.mkdir(folder, 0o700)
        return folder

    def save(self, name: str, *parts: bytes, durable: bool = True, at_most: int = 0o666) -> str:
        """Write a new file in our folder, as `kept/x` or `run/x`; return its path.

        `at_most` are the permissions of the file that it is a copy of: nobody may read here what is closed there.
        """
        path = self.path(name)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with naming(path):
            try:
                for part in parts:
                    write_all(descriptor, part)
                _like_parent(path, descriptor, at_most)
                if durable:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
        return path


class LockFile:
    """The file that the flock is on, open: a child that inherits it holds whatever lock we take on it."""

    def __init__(self) -> None:
        """Open nothing yet."""
        self._descriptor: int | None = None

    def open(self, folder: str) -> int:
        """Return the descriptor of the lock file in our folder, the same one as long as it is that file."""
        path = os.path.join(folder, "lock")
        if self._descriptor is not None:
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(os.stat(path), os.fstat(self._descriptor)):
                    return self._descriptor
            self.close()
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        _like_parent(path, self._descriptor)
        return self._descriptor

    def close(self) -> None:
        """Close it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


@contextlib.contextmanager
def locked(repository: Repository, file: LockFile) -> Iterator[Workspace]:
    """Make our folder, take the lock (waiting up to ten seconds), wipe run/ where no journal needs it.

    Raises ConflictError `locked`.
    """
    folder = repository.private_dir
    make_folder(folder)
    descriptor = file.open(folder)
    try:
        _wait_for(descriptor)
        for name in ("run", "kept"):
            make_folder(os.path.join(folder, name))
        tidy(folder)
        token = os.urandom(16).hex()
        if not still_at(repository):
            repository = find(repository.git)
        try:
            yield Workspace(repository, folder, token, repository.objects_dir, dry=False, lock=descriptor)
        finally:
            with contextlib.suppress(OSError):
                tidy(folder)
    finally:
        # Not by closing: `update-ref`, or a program that a reference-transaction hook left running, has inherited it.
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextlib.contextmanager
def scratch(repository: Repository) -> Iterator[Workspace]:
    """Make a folder outside the repository for a run that must write nothing into it; remove it at the end."""
    token = os.urandom(16).hex()
    folder = os.path.join(os.environ.get("TMPDIR") or "/tmp", f"gitedit.{token}")  # noqa: S108 (random, mode 0700)
    os.mkdir(folder, 0o700)
    try:
        os.mkdir(os.path.join(folder, "run"))
        objects = os.path.join(folder, "objects")
        os.mkdir(objects)
        yield Workspace(repository, folder, token, objects, dry=True, lock=-1)
    finally:
        cleanroom.discard(folder)


def tidy(folder: str) -> None:
    """Remove everything in run/, unless there is a journal: then it is what the journal speaks of."""
    if os.path.lexists(os.path.join(folder, JOURNAL)):
        return
    with os.scandir(os.path.join(folder, "run")) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError):  # a git child that outlived its killed run may still write there
                    cleanroom.discard(entry.path)
            else:
                os.unlink(entry.path)


def _wait_for(descriptor: int) -> None:
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                message = "another gitedit has been at work in this work tree for ten seconds"
                raise ConflictError("locked", message, "nothing was changed; retry when it is done") from None
            time.sleep(_POLL_SECONDS)
        else:
            return


def make_folder(folder: str) -> None:
    """Make a folder with the permissions and the group of its parent (core.sharedRepository)."""
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
        _adopt(folder, os.stat(os.path.dirname(folder)))


def _like_parent(path: str, descriptor: int, at_most: int = 0o666) -> None:
    """Give one of our files the group of its folder, and that folder's permissions, `at_most` and less execute."""
    parent = os.stat(os.path.dirname(path))
    made = os.fstat(descriptor)
    with contextlib.suppress(PermissionError):
        if made.st_gid != parent.st_gid:
            os.fchown(descriptor, -1, parent.st_gid)
        permissions = parent.st_mode & 0o666 & at_most | 0o600
        if stat.S_IMODE(made.st_mode) != permissions:
            os.fchmod(descriptor, permissions)


def _adopt(folder: str, parent: os.stat_result) -> None:
    with contextlib.suppress(PermissionError):
        if os.stat(folder).st_gid != parent.st_gid:
            os.chown(folder, -1, parent.st_gid)
        os.chmod(folder, stat.S_IMODE(parent.st_mode))
