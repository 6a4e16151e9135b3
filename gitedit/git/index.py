"""The index: read our entries, and make the next index in one rewrite."""

import hashlib
import os
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gitedit.git.process import Answer, Git, failed

# Git compares each entry with each pathspec.
_PATHSPECS_AT_MOST = 100
# Some 30,000 entries: listing them all takes git 15 ms, a child for every path of a stream takes more.
_READ_WHOLE_BYTES = 3 << 20
# One argument list stays far below ARG_MAX (2 MiB on Linux): the environment and a pointer a word come on top.
_ARGUMENT_BYTES_AT_MOST = 512 << 10


class IndexEntry(NamedTuple):
    """One entry of the index."""

    mode: str
    """Six octal digits, as `100644`."""
    oid: str
    stage: int
    """0: merged; 1 to 3: unmerged."""
    tag: str
    """As `ls-files -v` prints it: H plain, S skip-worktree, M unmerged; lower case: assume-unchanged."""


class IndexIdentity(NamedTuple):
    """What tells one written index file from the next: git always renames a new file into place.

    Not the time of the last change of the inode: a second name of the file moves that.
    """

    device: int
    inode: int
    size: int
    modified: int
    """Nanoseconds."""


def identity(index_file: str) -> IndexIdentity | None:
    """Return the identity of the index file, or None where there is none."""
    try:
        facts = os.stat(index_file)
    except FileNotFoundError:
        return None
    return IndexIdentity(facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)


def entries(git: Git, paths: Iterable[str] | None) -> dict[str, tuple[IndexEntry, ...]]:
    """Return the entries of these paths, or of all; relative to the top, where `git` must run; absent ones left out."""
    wanted = None if paths is None else set(paths)
    pathspecs = sorted(wanted) if wanted is not None and len(wanted) <= _PATHSPECS_AT_MOST else []
    out = git.run("ls-files", "-z", "--stage", "-v", "--", *pathspecs)
    found: dict[str, list[IndexEntry]] = {}
    for row in out.split(b"\0"):
        if row:
            facts, path = row.split(b"\t", 1)
            name = os.fsdecode(path)
            if wanted is None or name in wanted:
                tag, mode, oid, stage = facts.decode("ascii").split(" ")
                found.setdefault(name, []).append(IndexEntry(mode, oid, int(stage), tag))
    return {path: tuple(rows) for path, rows in found.items()}


class EntryCache:
    """Index entries, remembered for as long as the index file is the very one that they were read from."""

    def __init__(self, git: Git, index_file: str) -> None:
        """`git` must run at the top."""
        self._git = git
        self._index_file = index_file
        self._identity: IndexIdentity | None = None
        self._known: dict[str, tuple[IndexEntry, ...]] = {}
        self._whole = False

    def read(self, paths: Iterable[str]) -> tuple[dict[str, tuple[IndexEntry, ...]], IndexIdentity | None]:
        """Return the entries of the paths, absent ones left out, and the identity of the index that holds them."""
        now = identity(self._index_file)
        if now != self._identity:
            self._identity, self._known, self._whole = now, {}, False
        wanted = list(paths)
        unknown = [path for path in wanted if path not in self._known]
        if unknown and not self._whole:
            # The second time that the same index is asked, more will follow.
            self._whole = bool(self._known) and now is not None and now.size <= _READ_WHOLE_BYTES
            found = entries(self._git, None if self._whole else unknown)
            self._known.update(found if self._whole else {path: found.get(path, ()) for path in unknown})
            if identity(self._index_file) != now:
                # Rewritten while it was read: what was read is of no known index.
                self._identity = None
        return {path: rows for path in wanted if (rows := self._known.get(path))}, now

    def installed(self, before: IndexIdentity | None, now: IndexIdentity | None, rows: Mapping[str, str]) -> None:
        """Follow a rewrite of our own: the index `before` became `now` by new blob ids (path -> id) alone."""
        if before is None or before != self._identity:
            self._identity = None
            return
        self._identity = now
        for path, oid in rows.items():
            self._known[path] = (self._known[path][0]._replace(oid=oid),)


def all_paths(git: Git) -> list[str]:
    """Return the path of every entry."""
    return [os.fsdecode(path) for path in git.run("ls-files", "-z").split(b"\0") if path]


def untracked_paths(git: Git) -> list[str]:
    """Return the path of every file in the work tree that has no entry, ignored or not."""
    return [os.fsdecode(path) for path in git.run("ls-files", "-z", "--others").split(b"\0") if path]


class Rewrite:
    """The index that GIT_INDEX_FILE names, being written anew; once where the argument list allows it."""

    def __init__(self, git: Git, changes: Mapping[str, tuple[str, str]]) -> None:
        """Have git read the index, and take in the new entries.

        Args:
            git: runs at the top.
            changes: path -> (mode, blob id) of the new entries.
        """
        words = [word for path, (mode, oid) in changes.items() for word in ("--cacheinfo", f"{mode},{oid},{path}")]
        if sum(map(len, words)) > _ARGUMENT_BYTES_AT_MOST:
            rows = (f"{mode} {oid} 0\t".encode() + os.fsencode(path) + b"\0" for path, (mode, oid) in changes.items())
            git.run("update-index", "-z", "--index-info", data=b"".join(rows))
            words = []
        self._child = git.start("update-index", "-z", *words, "--stdin")

    def finish(self, on_disk: Iterable[str]) -> Answer:
        """Have it written; return git's answer.

        Args:
            on_disk: those of the paths whose file on disk is that very content: their stat data is recorded.
        """
        out, err = self._child.communicate(b"".join(os.fsencode(path) + b"\0" for path in on_disk))
        return Answer(self._child.returncode, out, err)

    def close(self) -> None:
        """End the child, if it is still there."""
        if self._child.returncode is None:
            self._child.terminate()
            self._child.communicate()


def update(git: Git, changes: Mapping[str, tuple[str, str]], on_disk: Iterable[str] = ()) -> None:
    """Rewrite the index as `Rewrite` does, in one go; raise OperationError `git-failed`."""
    if changes:
        answer = Rewrite(git, changes).finish(on_disk)
        if answer.status:
            raise failed(["update-index"], answer)


def make(rows: Mapping[str, tuple[str, str]], algorithm: str) -> bytes:
    """Return a version 2 index file with these entries (path -> mode, blob id) and no stat data.

    Format: gitformat-index(5). It saves a child where a scratch index is needed.
    """
    body = [b"DIRC" + (2).to_bytes(4, "big") + len(rows).to_bytes(4, "big")]
    for name, path in sorted((os.fsencode(path), path) for path in rows):
        mode, oid = rows[path]
        flags = min(len(name), 0xFFF)
        entry = bytes(24) + int(mode, 8).to_bytes(4, "big") + bytes(12) + bytes.fromhex(oid) + flags.to_bytes(2, "big")
        entry += name
        body.append(entry + bytes(8 - len(entry) % 8))
    whole = b"".join(body)
    return whole + hashlib.new(algorithm, whole).digest()
