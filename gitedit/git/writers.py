"""Store a few objects without starting a child: a `git hash-object --stdin-paths` of each kind stays for a session."""

import contextlib
import os
import subprocess
from collections.abc import Sequence
from typing import Protocol

from gitedit.git.objects import GitObject, Storing, object_id
from gitedit.git.process import Git, pipes

# More are cheaper as one pack, and each is a descriptor of ours until it is stored.
_OBJECTS_AT_MOST = 16
_BYTES_AT_MOST = 4 << 20


class Stored(Protocol):
    """Objects on their way into the repository."""

    def wait(self) -> None:
        """Return when all of them are stored, durably; raise OperationError `git-failed`."""

    def close(self) -> None:
        """Let go of what nobody has waited for."""


def standing(objects_dir: str) -> object:
    """Return what is another once an object directory was moved or lost a pack.

    A child would store in the one that was moved, and take an object for stored that was in the pack when it looked.
    """
    with contextlib.suppress(OSError):
        folder, packs = os.stat(objects_dir), os.stat(os.path.join(objects_dir, "pack"))
        return folder.st_dev, folder.st_ino, packs.st_dev, packs.st_ino, packs.st_mtime_ns
    return None


class ObjectWriters:
    """The children of one session. Objects are handed to them as files in memory, which only Linux has."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._asked: tuple[object, ...] = ()
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def begin(self, git: Git, objects: Sequence[GitObject], algorithm: str, *, key: object) -> Stored:
        """Begin to store objects, unreachable as yet, in the repository that `git` runs in.

        `key` stands for what else the children have read when they started; with another one they are started anew.
        """
        small = len(objects) <= _OBJECTS_AT_MOST and sum(len(one.body) for one in objects) <= _BYTES_AT_MOST
        if not (small and hasattr(os, "memfd_create") and os.path.exists("/proc/self/fd")):
            return Storing(git, objects, algorithm)
        if self._asked != (git, key):
            self.close()
            self._asked = (git, key)
        return _Writing(self, git, objects, algorithm)

    def child(self, git: Git, kind: str) -> "subprocess.Popen[bytes]":
        """Return the child that stores objects of this kind."""
        if kind not in self._children:
            # `--literally`: since git 2.40 it would refuse what `git fsck` warns of, as a link named .gitignore.
            durable = git.with_options("-c", "core.fsync=added,reference")
            arguments = ("hash-object", "-w", "-t", kind, "--literally", "--no-filters", "--stdin-paths")
            self._children[kind] = durable.start(*arguments, stderr=subprocess.DEVNULL)
        return self._children[kind]

    def close(self) -> None:
        """End the children."""
        children, self._children = self._children, {}
        for child in children.values():
            # The end of its input may be long in coming: a fork of this process holds it open, too.
            child.terminate()
            with contextlib.suppress(BrokenPipeError):
                child.communicate()


class _Writing:
    """Some objects, each in a file that is nowhere but in memory until its child has read it."""

    def __init__(self, writers: ObjectWriters, git: Git, objects: Sequence[GitObject], algorithm: str) -> None:
        self._writers = writers
        self._wanted = git, objects, algorithm
        self._files: list[int] = []
        self._waiting: list[tuple[subprocess.Popen[bytes], str]] = []
        try:
            for one in objects:
                self._send(writers.child(git, one.kind), one)
                self._waiting.append((writers.child(git, one.kind), object_id(*one, algorithm)))
        except BaseException:
            writers.close()
            self.close()
            raise

    def _send(self, child: "subprocess.Popen[bytes]", one: GitObject) -> None:
        descriptor = os.memfd_create("object")
        self._files.append(descriptor)
        with open(descriptor, "wb", closefd=False) as stream:
            stream.write(one.body)
        requests, _ = pipes(child)
        with contextlib.suppress(BrokenPipeError):  # it has died; that it does not answer is the answer
            requests.write(f"/proc/{os.getpid()}/fd/{descriptor}\n".encode("ascii"))
            requests.flush()

    def wait(self) -> None:
        """Return when all of them are stored, durably; raise OperationError `git-failed`."""
        if not self._answered():
            # A child has died, or may not look into our files: one gets them through a pipe, and says what is wrong.
            self._writers.close()
            with contextlib.closing(Storing(*self._wanted)) as storing:
                storing.wait()

    def _answered(self) -> bool:
        """Return whether every child says that it has stored what it was given."""
        waiting, self._waiting = self._waiting, []
        return all(pipes(child)[1].readline() == oid.encode("ascii") + b"\n" for child, oid in waiting)

    def close(self) -> None:
        """Let go; take the answers that nobody has waited for, which would be taken for later ones."""
        if not self._answered():
            self._writers.close()
        while self._files:
            os.close(self._files.pop())
