"""Flipped line endings: lines whose text is the same in two versions of a file, one ending in CRLF, the other in LF.

Which lines are the same is git's word (hunks that ignore a CR at the end); where a hunk could as well stand some equal
lines further up or down, it is slid to where fewest endings differ. One pass over the lines. Pure.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

NAMES = {b"\n": "LF", b"\r\n": "CRLF"}


class Hunk(NamedTuple):
    """Old lines that became new lines: 0-based, ends exclusive; either range may be empty."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


class Flip(NamedTuple):
    """One flipped line."""

    line: int
    """0-based, in the new version."""
    old: bytes
    """The ending that it had."""
    new: bytes
    """The ending that it has."""


def ending(line: bytes) -> bytes:
    """Return CRLF or LF, or nothing for a last line without either."""
    if line.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if line.endswith(b"\n") else b""


def split(content: bytes) -> list[bytes]:
    """Return the lines with their endings; only LF ends one."""
    lines = [line + b"\n" for line in content.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def may_be_flipped(old: bytes, new: bytes) -> bool:
    """Return whether there can be a flip at all: one side has a CRLF, and neither is what git takes for binary."""
    return (b"\r\n" in old or b"\r\n" in new) and b"\0" not in old[:8000] and b"\0" not in new[:8000]


def compare(old: Sequence[bytes], new: Sequence[bytes], hunks: Iterable[Hunk]) -> dict[int, bytes]:
    """Return the old ending of every new line (0-based) that has the text of an old one; hunks are ascending."""
    found: dict[int, bytes] = {}
    placed = _slid(old, new, list(hunks))
    at = 0
    for hunk in [*placed, Hunk(len(old), len(old), len(new), len(new))]:
        shift = hunk.new_start - hunk.old_start
        for line in range(at, hunk.old_start):
            found[line + shift] = ending(old[line])
        at = hunk.old_end
    return found


def flips(new: Sequence[bytes], versions: Iterable[Mapping[int, bytes]]) -> list[Flip]:
    """Return the lines whose ending differs from some parent's and is that of no parent; versions as of `compare`.

    A newline that is new or gone at the end of the file is no flip: a line appended behind it needs one.
    """
    known = list(versions)
    found: list[Flip] = []
    for number, line in enumerate(new):
        now = ending(line)
        before = [was for version in known if (was := version.get(number))]
        if now and before and now not in before:
            found.append(Flip(number, before[0], now))
    return found


def restored(lines: Sequence[bytes], wanted: Mapping[int, bytes]) -> bytes:
    """Return the content with the endings of these lines (0-based) replaced."""
    return b"".join(
        line[: len(line) - len(ending(line))] + wanted[number] if number in wanted else line
        for number, line in enumerate(lines)
    )


def runs(found: Iterable[Flip]) -> list[tuple[Flip, Flip]]:
    """Return first and last flip of each run of lines that flipped alike."""
    out: list[tuple[Flip, Flip]] = []
    for flip in found:
        if out and out[-1][1] == flip._replace(line=flip.line - 1):
            out[-1] = out[-1][0], flip
        else:
            out.append((flip, flip))
    return out


def _slid(old: Sequence[bytes], new: Sequence[bytes], hunks: list[Hunk]) -> list[Hunk]:
    """Slide each pure insertion or deletion within the equal lines around it."""
    for number, hunk in enumerate(hunks):
        if (hunk.old_start == hunk.old_end) == (hunk.new_start == hunk.new_end):
            continue
        floor = hunks[number - 1].old_end if number else 0
        ceiling = hunks[number + 1].old_start if number + 1 < len(hunks) else len(old)
        up, gain_up = _steps(old, new, hunk, hunk.old_start - floor, -1)
        down, gain_down = _steps(old, new, hunk, ceiling - hunk.old_end, 1)
        step = -up if gain_up > gain_down else down
        hunks[number] = Hunk(*(edge + step for edge in hunk))
    return hunks


def _steps(old: Sequence[bytes], new: Sequence[bytes], hunk: Hunk, room: int, way: int) -> tuple[int, int]:
    """Return the best number of lines to slide that way, and how many fewer endings differ then."""
    gain = best = steps = 0
    inserted = hunk.old_start == hunk.old_end
    block = new if inserted else old
    start, end = (hunk.new_start, hunk.new_end) if inserted else (hunk.old_start, hunk.old_end)
    for n in range(room):
        # The line on one side of the block becomes part of it, one of the block's own takes its place.
        outside, inside = (start - 1 - n, end - 1 - n) if way < 0 else (end + n, start + n)
        if _text(block[outside]) != _text(block[inside]):
            break
        if inserted:
            other = old[hunk.old_start - 1 - n if way < 0 else hunk.old_start + n]
        else:
            other = new[hunk.new_start - 1 - n if way < 0 else hunk.new_start + n]
        gain += (block[outside] != other) - (block[inside] != other)
        if gain > best:
            best, steps = gain, n + 1
    return steps, best


def _text(line: bytes) -> bytes:
    return line[: len(line) - len(ending(line))]
