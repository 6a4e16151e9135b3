"""Git objects as values: read them through one long-lived `cat-file`, name them by hashing, store them as a pack."""

import contextlib
import hashlib
import subprocess
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

from gitedit.errors import OperationError
from gitedit.git.process import Answer, Git, failed, pipes

_PACK_TYPES = {"commit": 1, "tree": 2, "blob": 3}
# Requests of one batch must fit into a pipe (64 KiB on Linux), or both ends wait for each other.
_REQUESTS_AT_ONCE = 300
# `git receive-pack` draws the same line: transfer.unpackLimit.
_UNPACK_LIMIT = 100


class GitObject(NamedTuple):
    """An object that need not be stored yet."""

    kind: str
    """commit, tree or blob."""
    body: bytes


def object_id(kind: str, body: bytes, algorithm: str) -> str:
    """Return the hexadecimal id of an object; `algorithm` is sha1 or sha256."""
    digest = hashlib.new(algorithm, f"{kind} {len(body)}\0".encode())
    digest.update(body)
    return digest.hexdigest()


class ObjectReader:
    """Reads objects by id through one `git cat-file --batch-command` child, started when first needed."""

    def __init__(self, git: Git, *, remembered: int = 0) -> None:
        """`remembered`: how many bytes of objects to keep, for those who ask for the same ones again."""
        self._git = git
        self._child: subprocess.Popen[bytes] | None = None
        self._known: dict[str, GitObject] = {}
        self._remembered, self._room = remembered, remembered

    def read(self, oid: str) -> GitObject | None:
        """Return one object, or None where it is missing."""
        return self.read_many([oid])[0]

    def need(self, oid: str, kind: str) -> bytes:
        """Return the body of an object of this kind; raise OperationError where there is none."""
        found = self.read(oid)
        if found is None or found.kind != kind:
            raise OperationError("git-failed", f"the repository has no {kind} {oid}", "run `git fsck`")
        return found.body

    def read_many(self, oids: Sequence[str]) -> list[GitObject | None]:
        """Return the objects in order, None for each that is missing."""
        known = {oid: self._known[oid] for oid in oids if oid in self._known}
        unknown = [oid for oid in oids if oid not in known]
        found = dict(zip(unknown, self.stream(unknown), strict=True))
        return [known.get(oid) or found[oid] for oid in oids]

    def stream(self, oids: Sequence[str]) -> Iterator[GitObject | None]:
        """Yield the objects in order, None for each that is missing, one in memory at a time; to be read to its end.

        Git is asked for every one, remembered or not.
        """
        for header, stream in self._answers("contents", oids):
            if len(header) != 3:
                yield None
                continue
            size = int(header[2])
            body = stream.read(size)
            if len(body) != size or stream.read(1) != b"\n":
                raise self._died()
            found = GitObject(header[1], body)
            self.remember(header[0], found)
            yield found

    def remember(self, oid: str, found: GitObject) -> None:
        """Keep an object that git has for sure, while there is room."""
        if self._remembered == 0 or oid in self._known:
            return
        self._room -= len(found.body)
        if self._room < 0:
            self._known, self._room = {}, self._remembered - len(found.body)
        if self._room >= 0:
            self._known[oid] = found

    def sizes(self, oids: Sequence[str]) -> list[tuple[str, int] | None]:
        """Return (kind, size in bytes) of each object without reading it, None for each that is missing."""
        headers = [header for header, _ in self._answers("info", oids)]
        return [(header[1], int(header[2])) if len(header) == 3 else None for header in headers]

    def close(self) -> None:
        """End the child."""
        if self._child is None:
            return
        child, self._child = self._child, None
        _, out = pipes(child)
        child.terminate()
        out.close()
        # An unsent request would be flushed by close(), into a pipe that nobody reads.
        with contextlib.suppress(BrokenPipeError):
            pipes(child)[0].close()
        child.wait()

    def _answers(self, command: str, oids: Sequence[str]) -> Iterator[tuple[list[str], IO[bytes]]]:
        """Yield each answer's header words and the stream that stands behind the header."""
        if self._child is None:
            self._child = self._git.start("cat-file", "--batch-command", "--buffer", stderr=subprocess.DEVNULL)
        requests, answers = pipes(self._child)
        for start in range(0, len(oids), _REQUESTS_AT_ONCE):
            chunk = oids[start : start + _REQUESTS_AT_ONCE]
            text = "".join(f"{command} {oid}\n" for oid in chunk) + "flush\n"
            try:
                requests.write(text.encode())
                requests.flush()
            except BrokenPipeError as error:
                raise self._died() from error
            for _ in chunk:
                line = answers.readline()
                if not line.endswith(b"\n"):
                    raise self._died()
                yield line.decode().split(), answers

    def _died(self) -> OperationError:
        status = self._child.wait() if self._child else 0
        # The next question goes to another child.
        self.close()
        return OperationError("git-failed", f"git cat-file ended with {status} while it was needed")


def size_of_new(git: Git, tips: Sequence[str], limit: int) -> int:
    """Return the size in bytes, unpacked, of all objects that `tips` reach and no ref does; stop above the limit."""
    import tempfile  # noqa: PLC0415 (8 ms of import; `apply` needs none of it)

    with tempfile.TemporaryFile() as names:
        names.write("".join(f"{tip}\n" for tip in tips).encode())
        names.seek(0)
        walking = ("rev-list", "--objects", "--no-object-names", "--stdin", "--not", "--all")
        walk = git.start(*walking, stdin=names.fileno(), stderr=subprocess.DEVNULL)
        asking = ("cat-file", "--batch-check=%(objectsize)", "--buffer")
        told = git.start(*asking, stdin=walk.stdout.fileno() if walk.stdout else None, stderr=subprocess.DEVNULL)
        size = 0
        try:
            if walk.stdout:
                walk.stdout.close()
            for line in told.stdout or ():
                size += int(line)
                if size > limit:
                    return size
            if walk.wait() or told.wait():
                raise OperationError("git-failed", "git could not tell the size of what is pushed")
        finally:
            for child in (told, walk):
                if child.stdout and not child.stdout.closed:
                    child.stdout.close()
                if child.stdin:
                    child.stdin.close()
                if child.poll() is None:
                    child.terminate()
                child.wait()
    return size


def make_pack(objects: Iterable[GitObject], algorithm: str) -> bytes:
    """Return a version 2 pack that holds the objects whole, without deltas."""
    bodies = list(objects)
    parts = [b"PACK" + (2).to_bytes(4, "big") + len(bodies).to_bytes(4, "big")]
    for kind, body in bodies:
        size = len(body)
        byte = _PACK_TYPES[kind] << 4 | size & 15
        size >>= 4
        header = bytearray()
        while size:
            header.append(byte | 128)
            byte = size & 127
            size >>= 7
        header.append(byte)
        parts += [bytes(header), zlib.compress(body, 1)]
    pack = b"".join(parts)
    return pack + hashlib.new(algorithm, pack).digest()


class Storing:
    """Objects on their way into the repository, unreachable as yet: one child however many there are."""

    def __init__(self, git: Git, objects: Sequence[GitObject], algorithm: str) -> None:
        """Start the child, where there is anything to store."""
        self._child: subprocess.Popen[bytes] | None = None
        self._arguments = ("unpack-objects", "-q") if len(objects) < _UNPACK_LIMIT else ("index-pack", "--stdin")
        if objects:
            pack = make_pack(objects, algorithm)
            self._child = git.with_options("-c", "core.fsync=added,reference").start(*self._arguments)
            with contextlib.suppress(BrokenPipeError):  # it has died; its exit is the answer
                pipes(self._child)[0].write(pack)

    def wait(self) -> None:
        """Return when all of them are stored, durably; raise OperationError `git-failed`."""
        if self._child is not None:
            child, self._child = self._child, None
            out, err = child.communicate()
            if child.returncode:
                raise failed(self._arguments, Answer(child.returncode, out, err))

    def close(self) -> None:
        """End the child if nobody has waited for it."""
        if self._child is not None:
            self._child.terminate()
            with contextlib.suppress(OperationError):
                self.wait()


def store(git: Git, objects: Sequence[GitObject], algorithm: str) -> None:
    """Store objects, unreachable as yet, durably."""
    with contextlib.closing(Storing(git, objects, algorithm)) as storing:
        storing.wait()
