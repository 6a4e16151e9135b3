"""Why the regions of a path cannot be placed: the first difference that they do not explain, with its line.

A difference of no region's is stepped over where lines agree again, to tell whether the regions are here all the same.
"""

from collections.abc import Sequence

from gitedit.audit.model import ERROR, Finding
from gitedit.audit.placement import Placement, place
from gitedit.git.diffs import DiffEntry
from gitedit.record.digests import sha256_hex
from gitedit.record.encoding import shown_path
from gitedit.record.model import EditClaim, FileClaim

_STEPS = 8
"""Differences that are stepped over: each step costs another placement."""
_LINES = 200
"""Lines after a difference among which both sides must agree again."""
_REACH = 64 * 1024
"""Bytes that those lines may hold."""
_TELLING = 4
"""Bytes that a line needs to tell where it is: `}` stands everywhere."""


def explain(claims: Sequence[FileClaim], entry: DiffEntry, old: bytes, new: bytes, first: Placement) -> Finding:
    """Return the finding for a path on which placing the regions ended with `first`, which does not fit."""
    shown, line = shown_path(entry.path), line_at(new, first.new_at)
    if first.costly:
        return Finding("unverifiable", ERROR, f"{shown}: placement too costly", None, entry.path, line)
    total = sum(len(claim.edits) for claim in claims)
    if len(claims) == 1 and (absent := _absent(claims[0].edits, old, new, first)):
        what, line = f"{total - absent[0]} of {total} recorded regions are here", line_at(new, absent[1])
        message = f"{what}; {shown}:{line} is not the recorded edit"
        return Finding("modified", ERROR, message, "missing-region", entry.path, line)
    left, costly = _after_steps([claim.edits for claim in claims], old, new, first)
    here = total - sum(len(edits) for edits in left)
    if here == total:
        what = "the recorded region is here" if total == 1 else f"all {total} recorded regions are here"
    else:
        what = f"{here} of {total} recorded regions are here"
    if _is_ending(old, first.old_at, new, first.new_at):
        message = f"{what}; the line ending at {shown}:{line} is explained by no record"
        return Finding("modified", ERROR, message, "line-endings", entry.path, line)
    if here == total:
        message = f"{what}; {shown}:{line} is explained by no record"
        return Finding("modified", ERROR, message, "outside-region", entry.path, line)
    if len(claims) > 1 or costly:
        message = f"{what}; {shown}:{line} may be where records overlap, and their blob ids form no chain"
        return Finding("unverifiable", ERROR, message, None, entry.path, line)
    reason = _reason(claims[0], entry, (old, new), first)
    messages = {
        "missing-region": f"{what}; {shown}:{line} is not the recorded edit",
        "inside-region": f"{what}; {shown}:{line} holds other bytes than recorded inside a region",
        "outside-region": f"{what}; {shown}:{line} is explained by no record",
    }
    return Finding("modified", ERROR, messages[reason], reason, entry.path, line)


def line_at(blob: bytes, offset: int) -> int:
    """Return the 1-based line of `offset`; behind the last newline there is no line: the one before."""
    end = offset - (0 < offset == len(blob) and blob[-1:] == b"\n")
    return blob.count(b"\n", 0, end) + 1


def _absent(edits: Sequence[EditClaim], old: bytes, new: bytes, first: Placement) -> tuple[int, int] | None:
    """Return how many regions are not here, if that explains all, and where in `new` the first should be."""
    absent: list[int] = []
    found: dict[int, int] = {}
    result, number, old_at, new_at, tries = first, 0, 0, 0, 0
    while not result.fits:
        found.update((number + one.number, new_at + one.new_start) for one in result.places)
        if result.places:
            last = result.places[-1]
            edit = edits[number + last.number]
            number += last.number + 1
            old_at, new_at = old_at + last.old_start + edit.old_length, new_at + last.new_start + edit.new_length
        for following in range(number + 1, len(edits) + 1):
            tries += 1
            result = place([edits[following:]], old[old_at:], new[new_at:])
            if result.fits or result.places or tries > _STEPS:
                break
        else:
            return None
        if tries > _STEPS or result.costly:
            return None
        absent += range(number, following)
        number = following
    found.update((number + one.number, new_at + one.new_start) for one in result.places)
    return len(absent), min(_expected(edits, absent[0], found, new), len(new))


def _expected(edits: Sequence[EditClaim], number: int, found: dict[int, int], new: bytes) -> int:
    """Return the offset in `new` of a region that is not there, told from its neighbours."""
    edit = edits[number]
    if number - 1 in found:
        before = edits[number - 1]
        return found[number - 1] + before.new_length + edit.old_start - before.old_start - before.old_length
    after = min((other for other in found if other > number), default=None)
    if after is None:
        return edit.new_start
    # Where the parent has it already, it is as long as it became.
    start = found[after] - edits[after].new_start + edit.new_start
    if start >= 0 and sha256_hex(new[start : start + edit.new_length]).startswith(edit.new_hash):
        return start
    return max(0, found[after] - edits[after].old_start + edit.old_start)


def _after_steps(
    queues: Sequence[Sequence[EditClaim]], old: bytes, new: bytes, result: Placement
) -> tuple[list[Sequence[EditClaim]], bool]:
    """Return the regions not found however many differences are stepped over, and whether that cost too much."""
    left = _remaining(queues, result)
    for _ in range(_STEPS):
        if not any(left):
            break
        tried: Placement | None = None
        for old_at, new_at in _agree_again(old, result.old_at, new, result.new_at):
            tried = place(left, old[old_at:], new[new_at:])
            if tried.fits or tried.places:
                break
        if tried is None:
            break
        old, new, result = old[old_at:], new[new_at:], tried
        left = _remaining(left, result)
        if result.fits or result.costly:
            break
    return left, result.costly


def _remaining(queues: Sequence[Sequence[EditClaim]], result: Placement) -> list[Sequence[EditClaim]]:
    placed = [0] * len(queues)
    for found in result.places:
        placed[found.queue] += 1
    return [queue[count:] for queue, count in zip(queues, placed, strict=True)]


def _agree_again(old: bytes, old_at: int, new: bytes, new_at: int) -> list[tuple[int, int]]:
    """Return offsets behind a difference at which the two may agree again: the next line, and the next common line."""
    before, after = _lines_after(old, old_at), _lines_after(new, new_at)
    found = [(before[0][0], after[0][0])] if before and after else []
    there: dict[bytes, int] = {}
    for start, line in after:
        there.setdefault(line, start)
    common = ((start, there[line]) for start, line in before if len(line.strip()) >= _TELLING and line in there)
    found += [pair for pair in [next(common, None)] if pair and pair not in found]
    return found


def _lines_after(blob: bytes, offset: int) -> list[tuple[int, bytes]]:
    """Return (offset, line) for the lines that begin behind `offset`."""
    found: list[tuple[int, bytes]] = []
    start = blob.find(b"\n", offset, offset + _REACH) + 1
    while start and len(found) < _LINES:
        end = blob.find(b"\n", start, offset + _REACH) + 1
        if end:
            found.append((start, blob[start:end]))
        start = end
    return found


def _reason(claim: FileClaim, entry: DiffEntry, blobs: tuple[bytes, bytes], result: Placement) -> str:
    """Tell whether a difference is in the region that should come next, before it, or instead of it."""
    old_at, new_at = result.old_at, result.new_at
    if (old_at, new_at) == (len(blobs[0]), len(blobs[1])):
        return "missing-region"
    edit = claim.edits[len(result.places)]
    if claim.old_oid == entry.old_oid:
        # The same base: the recorded offsets hold in the parent's blob.
        if old_at < edit.old_start:
            return "outside-region"
        return "inside-region" if old_at <= edit.old_start + edit.old_length else "missing-region"
    spans = ((old_at, edit.old_length, edit.old_hash), (new_at, edit.new_length, edit.new_hash))
    for blob, (at, length, digits) in zip(blobs, spans, strict=True):
        start = at - edit.first_difference
        if 0 <= start <= len(blob) - length and sha256_hex(blob[start : start + length]).startswith(digits):
            return "inside-region"
    return "outside-region"


def _is_ending(old: bytes, old_at: int, new: bytes, new_at: int) -> bool:
    """Return whether the two blobs differ in a line ending there."""
    pair = old[old_at : old_at + 2], new[new_at : new_at + 2]
    if old[old_at - 1 : old_at] == new[new_at - 1 : new_at] == b"\r" and b"\n" in (pair[0][:1], pair[1][:1]):
        return True
    ends = [piece if piece == b"\r\n" else piece[:1] for piece in pair]
    return ends[0] != ends[1] and all(end in (b"\r\n", b"\n", b"\r") for end in ends)
