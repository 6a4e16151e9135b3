"""Files that were renamed upstream: under which changed path the regions recorded for another one are found again."""

from collections.abc import Iterable, Sequence
from itertools import chain

from gitedit.audit.claims import Claims, is_sound
from gitedit.audit.paths import PathVerdict, judge_path
from gitedit.audit.sources import Sources
from gitedit.git.diffs import DiffEntry
from gitedit.record.model import FileClaim, Record

_MISSES = 64
"""How often a commit's regions are tried on a path and not found there; same names are tried first."""


class Renames:
    """The paths that a commit changes and no claim names, each of which may stand for one that is recorded."""

    def __init__(self, entries: Iterable[DiffEntry], claims: Claims, sources: Sources) -> None:
        self._claimed = _by_path(claims.sound)
        self._quoted = _by_path([found.record for found in claims.quoted if is_sound(found)])
        self._sources = sources
        self._entries = {entry.path: entry for entry in entries}
        # Dictionaries, for their order: a path is taken out as soon as it stands for another.
        self._free = dict.fromkeys(path for path in self._entries if path not in self._claimed)
        self._by_name: dict[str, dict[str, None]] = {}
        for path in self._free:
            self._by_name.setdefault(_name(path), {})[path] = None
        self._found: dict[str, tuple[str, PathVerdict] | None] = {}
        self._misses = 0

    def find(self, path: str, files: Sequence[FileClaim]) -> tuple[str, PathVerdict] | None:
        """Return the path that `path` became, and the verdict on it: the parent lacks it, and all its regions place.

        `files` is all that sound claims record of `path`; raises MissingObjectError.
        """
        if path not in self._found:
            self._found[path] = self._search(path, files) if self._free else None
        return self._found[path]

    def of_quoted(self) -> frozenset[str]:
        """Return the paths of quoted records that stand for changed ones: their records are claims after all.

        What claims record comes first. Raises MissingObjectError.
        """
        if not (self._quoted and self._free):
            return frozenset()
        for path, files in self._claimed.items():
            if path not in self._entries:
                self.find(path, files)
        return frozenset(path for path, files in self._quoted.items() if self.find(path, files))

    def _search(self, path: str, files: Sequence[FileClaim]) -> tuple[str, PathVerdict] | None:
        if self._misses >= _MISSES or self._sources.in_parent(path) is not None:
            return None
        name = _name(path)
        for other in chain(self._by_name.get(name, ()), (free for free in self._free if _name(free) != name)):
            verdict = judge_path(files, self._entries[other], self._sources.blob)
            if verdict.finding is None:
                del self._free[other], self._by_name[_name(other)][other]
                return other, verdict
            self._misses += 1
            if self._misses >= _MISSES:
                break
        return None


def _by_path(records: Iterable[Record]) -> dict[str, list[FileClaim]]:
    found: dict[str, list[FileClaim]] = {}
    for record in records:
        for file in record.files:
            found.setdefault(file.path, []).append(file)
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2]
