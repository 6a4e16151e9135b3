"""One changed path against the regions that one or more records claim in it.

Blob ids that chain from parent to child fix every offset; without them the regions are placed anew. Pure.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gitedit.audit import chain, placement
from gitedit.audit.exact import holds
from gitedit.audit.explain import explain
from gitedit.audit.model import ERROR, Finding, Placed
from gitedit.edits.regions import Change
from gitedit.git.diffs import ABSENT, DiffEntry
from gitedit.record.compose import first_difference
from gitedit.record.digests import RegionDigest, region_digest
from gitedit.record.encoding import shown_path
from gitedit.record.model import FileClaim

_SEARCHES = 64
"""Regions of a path that are looked for a second time in its old blob: each search reads the whole blob."""


class PathVerdict(NamedTuple):
    """What became of one path. A tuple (claim, region) counts both from 0."""

    finding: Finding | None
    """Why the path is not as recorded; None: every byte of it is explained."""
    places: dict[tuple[int, int], Placed]
    digests: dict[tuple[int, int], RegionDigest]
    """Of every region that was checked by its bytes."""
    chained: bool
    """The records' blob ids lead from the parent's blob to the commit's."""
    unique: bool
    """No placed region's old bytes stand in the parent's blob twice."""
    moved: int
    """Regions that were placed."""


def judge_path(claims: Sequence[FileClaim], entry: DiffEntry, read: Callable[[str], bytes]) -> PathVerdict:
    """Judge a path that the commit changes and `claims` record; `read` is asked for its blobs by their ids."""
    finding = mode_finding(claims, entry)
    if finding:
        # The mode alone decides; what it names may be a submodule's commit, or nothing.
        return _failed(finding)
    old, new = read(entry.old_oid), read(entry.new_oid)
    order = chain.order(claims, entry.old_oid, entry.new_oid)
    if order is not None:
        return _chained(claims, order, entry.path, old, new)
    result = placement.place([claim.edits for claim in claims], old, new)
    places: dict[tuple[int, int], Placed] = {}
    digests: dict[tuple[int, int], RegionDigest] = {}
    lines = LineCounter(new)
    unique, searched = True, 0
    for queue, number, old_start, new_start in result.places:
        edit = claims[queue].edits[number]
        places[queue, number] = Placed(old_start, new_start, lines.at(new_start))
        if result.fits:
            before = memoryview(old)[old_start : old_start + edit.old_length]
            after = memoryview(new)[new_start : new_start + edit.new_length]
            digests[queue, number] = region_digest(claims[queue].path, before, after)
            searched += 1
            unique = unique and (searched > _SEARCHES or not _occurs_twice(old, bytes(before)))
    finding = None if result.fits else explain(claims, entry, old, new, result)
    return PathVerdict(finding, places, digests, chained=False, unique=unique, moved=len(places))


def mode_finding(claims: Sequence[FileClaim], entry: DiffEntry) -> Finding | None:
    """Return the finding where the commit does not make the recorded change of mode, or not to a regular file."""
    have = entry.old_mode, entry.new_mode
    want = claims[0].old_mode, claims[-1].new_mode
    kept = all(claim.old_mode == claim.new_mode for claim in claims)
    if (have == want or (kept and have[0] == have[1])) and all(mode.startswith("100") for mode in have):
        return None
    if have[1] == ABSENT:
        message = f"{shown_path(entry.path)} is deleted; the record edits it"
    elif have[0] == ABSENT:
        message = f"{shown_path(entry.path)} is new; the record edits it"
    else:
        recorded = f"the record has {want[0]} to {want[1]}"
        message = f"the mode of {shown_path(entry.path)} goes from {have[0]} to {have[1]}; {recorded}"
    return Finding("modified", ERROR, message, "mode", entry.path, None if have[1] == ABSENT else 1)


def _chained(claims: Sequence[FileClaim], order: Sequence[int], path: str, old: bytes, new: bytes) -> PathVerdict:
    """Check the spans of a chain that is closed by blob ids: any contradiction is in the record itself."""
    changes, regions = chain.composed([claims[index] for index in order])
    places: dict[tuple[int, int], Placed] = {}
    digests: dict[tuple[int, int], RegionDigest] = {}
    lines = LineCounter(new)
    old_end = new_end = 0
    for span in [*changes, Change(len(old), len(old), len(new), len(new), ())]:
        gap = span.old_start - old_end
        if gap < 0 or span.new_start - new_end != gap or first_difference(old, old_end, new, new_end) < gap:
            return _failed(_forged(path, "its bytes outside the recorded regions differ", lines, new_end))
        old_end, new_end = span.old_end, span.new_end
        if old_end > len(old) or new_end > len(new):
            return _failed(_forged(path, "a recorded region ends behind its end", lines, len(new)))
        if len(span.edits) != 1:
            # Regions that meet: what one wrote another replaced, so only the chain speaks of them.
            continue
        step, number = regions[span.edits[0]]
        at = order[step], number
        before = memoryview(old)[span.old_start : old_end]
        digest = region_digest(claims[at[0]].path, before, memoryview(new)[span.new_start : new_end])
        if not holds(claims[at[0]].edits[at[1]], digest):
            return _failed(_forged(path, "a region does not hold the recorded bytes", lines, span.new_start))
        places[at] = Placed(span.old_start, span.new_start, lines.at(span.new_start))
        digests[at] = digest
    return PathVerdict(None, places, digests, chained=True, unique=True, moved=0)


def _forged(path: str, what: str, lines: "LineCounter", new_at: int) -> Finding:
    line = lines.at(new_at)
    message = f"{shown_path(path)}:{line}: the blobs are the recorded ones, but {what}"
    return Finding("forged", ERROR, message, None, path, line)


def _failed(finding: Finding) -> PathVerdict:
    return PathVerdict(finding, {}, {}, chained=False, unique=True, moved=0)


def _occurs_twice(blob: bytes, piece: bytes) -> bool:
    """Return whether `piece` stands in `blob` more than once, overlaps counted; an empty one stands for no place."""
    return bool(piece) and blob.find(piece, blob.find(piece) + 1) >= 0


class LineCounter:
    """Line numbers of ascending offsets, each byte counted once."""

    def __init__(self, blob: bytes) -> None:
        self._blob = blob
        self._offset = 0
        self._line = 1

    def at(self, offset: int) -> int:
        """Return the 1-based line of a byte offset that is not below the one before."""
        self._line += self._blob.count(b"\n", self._offset, offset)
        self._offset = max(self._offset, offset)
        return self._line
