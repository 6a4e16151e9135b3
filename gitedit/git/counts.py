"""Lines: added and removed by commits, one `diff-tree` for many; and those of every file of a tree, one `cat-file`."""

import re
from collections.abc import Iterator, Sequence

from gitedit.git.diffs import RAW_OPTIONS
from gitedit.git.objects import ObjectReader
from gitedit.git.process import Git

_BINARY_WITHIN = 8000
"""Bytes in which git looks for a NUL."""
_HEADER = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64})\n")
_ROW = re.compile(rb"(\d+|-)\t(\d+|-)\t(.*)", re.DOTALL)

Numbers = dict[str, tuple[int, int]]
"""Path -> lines added, lines removed."""


def numstat(git: Git, pairs: Sequence[tuple[str, str]]) -> list[Numbers]:
    """Return the numbers from the first tree to the second, pair by pair; all trees and blobs must be here."""
    options = [option for option in RAW_OPTIONS if option != "--raw"]
    requests = "".join(f"{old} {new}\n" for old, new in pairs).encode("ascii")
    out = git.run("diff-tree", "--stdin", "--numstat", *options, data=requests) if pairs else b""
    found: list[Numbers] = []
    for field in out.split(b"\0"):
        at = 0
        # Each pair begins with a line of its own, also where nothing follows it.
        while header := _HEADER.match(field, at):
            found.append({})
            at = header.end()
        row = _ROW.match(field, at)
        if row:
            added, removed, path = row.groups()
            numbers = (0, 0) if added == b"-" else (int(added), int(removed))
            found[-1][path.decode("utf-8", "surrogateescape")] = numbers
    return found


def tree_lines(git: Git, reader: ObjectReader, tree: str) -> dict[str, int]:
    """Return the number of lines of each text file of a tree; a file that is not here has none."""
    blobs: dict[str, str] = {}
    for entry in git.run("ls-tree", "-r", "-z", "--full-tree", tree).split(b"\0"):
        meta, tab, path = entry.partition(b"\t")
        mode, kind, oid = meta.split(b" ") if tab else (b"", b"", b"")
        if kind == b"blob" and mode != b"120000":
            blobs[path.decode("utf-8", "surrogateescape")] = oid.decode("ascii")
    oids = list(dict.fromkeys(blobs.values()))
    counted = dict(zip(oids, (_lines(found.body) if found else None for found in reader.stream(oids)), strict=True))
    lines = {path: counted[oid] for path, oid in blobs.items()}
    return {path: count for path, count in lines.items() if count is not None}


def _lines(blob: bytes) -> int | None:
    if b"\0" in blob[:_BINARY_WITHIN]:
        return None
    return blob.count(b"\n") + (blob != b"" and not blob.endswith(b"\n"))


def renames(git: Git, commit: str) -> Iterator[tuple[str, str]]:
    """Yield the renames in a commit's history, old name and new, the oldest first."""
    options = ("--reverse", "--format=", "--diff-filter=R", "--name-status", "-z", "-M", "--no-relative")
    fields = git.run("log", *options, commit, "--").split(b"\0")
    for at in range(0, len(fields) - 2, 3):
        yield fields[at + 1].decode("utf-8", "surrogateescape"), fields[at + 2].decode("utf-8", "surrogateescape")
