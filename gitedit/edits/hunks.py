"""Changed regions as changed lines: whole lines around each region, without the equal ones at both ends.

No diff is computed. Outside the regions both versions are equal by definition, so their lines are a walk away.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.edits.model import Region


class Change(NamedTuple):
    """A run of old lines that became a run of new ones; at least one of both is not empty."""

    old_offset: int
    """Byte offset of the first removed line in the old version."""
    old_line: int
    """Lines before it in the old version."""
    new_line: int
    """Lines before the first added one in the new version."""
    removed: tuple[bytes, ...]
    """With their newlines."""
    added: tuple[bytes, ...]

    @property
    def old_end(self) -> int:
        """Byte offset behind the last removed line in the old version."""
        return self.old_offset + sum(map(len, self.removed))


class Line(NamedTuple):
    """One line of a hunk."""

    sign: str
    """` `, `-` or `+`."""
    number: int
    """1-based: in the old version for `-`, in the new one for the others."""
    text: bytes
    """With its newline; only a file's last line may have none."""


class Hunk(NamedTuple):
    """Changes that stand near each other, with context around and between them."""

    old_line: int
    """Lines before the hunk in the old version."""
    old_count: int
    new_line: int
    new_count: int
    lines: tuple[Line, ...]


def changes(old: bytes, new: bytes, regions: Sequence[Region]) -> tuple[Change, ...]:
    """Return the changed lines, in order, with at least one equal line between two changes."""
    found: list[Change] = []
    counted = old_line = grown = 0
    for old_start, old_end, new_start, new_end in _windows(old, regions):
        old_line += old.count(b"\n", counted, old_start)
        counted = old_start
        removed, added = _lines(old[old_start:old_end]), _lines(new[new_start:new_end])
        head = _common(removed, added)
        tail = _common(removed[head:][::-1], added[head:][::-1])
        change = Change(
            old_start + sum(map(len, removed[:head])),
            old_line + head,
            old_line + head + grown,
            tuple(removed[head : len(removed) - tail]),
            tuple(added[head : len(added) - tail]),
        )
        grown += len(added) - len(removed)
        if not change.removed and not change.added:
            continue
        if found and found[-1].old_end == change.old_offset:
            before = found.pop()
            change = before._replace(removed=before.removed + change.removed, added=before.added + change.added)
        found.append(change)
    return tuple(found)


def region_change(old: bytes, new: bytes, region: Region) -> Change:
    """Return the whole lines that one region changes; another region of the same line shows in them, too."""
    starts = old.rfind(b"\n", 0, region.old_start) + 1, new.rfind(b"\n", 0, region.new_start) + 1
    ends = region.old_end, region.new_end
    if not all(end == 0 or data[end - 1 : end] == b"\n" for data, end in ((old, ends[0]), (new, ends[1]))):
        ends = _line_end(old, ends[0]), _line_end(new, ends[1])
    removed, added = _lines(old[starts[0] : ends[0]]), _lines(new[starts[1] : ends[1]])
    head = _common(removed, added)
    tail = _common(removed[head:][::-1], added[head:][::-1])
    return Change(
        starts[0] + sum(map(len, removed[:head])),
        old.count(b"\n", 0, starts[0]) + head,
        new.count(b"\n", 0, starts[1]) + head,
        tuple(removed[head : len(removed) - tail]),
        tuple(added[head : len(added) - tail]),
    )


def first_changed_line(found: Sequence[Change], new: bytes) -> int:
    """Return the 1-based line of the new version at which the first change shows.

    Where lines were only removed that is the line now in their place, or the last line if none is; 1 in an empty file.
    """
    if not found:
        return 1
    total = new.count(b"\n") + (not new.endswith(b"\n"))
    return max(1, min(found[0].new_line + 1, total))


def hunks(old: bytes, found: Sequence[Change], context: int = 3) -> Iterator[Hunk]:
    """Yield hunks as git forms them: changes with at most twice `context` lines between them share one."""
    group: list[Change] = []
    for change in found:
        if group and change.old_line - group[-1].old_line - len(group[-1].removed) > 2 * context:
            yield _hunk(old, group, context)
            group = []
        group.append(change)
    if group:
        yield _hunk(old, group, context)


def _hunk(old: bytes, group: Sequence[Change], context: int) -> Hunk:
    first, last = group[0], group[-1]
    before = _lines(old[_back(old, first.old_offset, context) : first.old_offset])
    after = _lines(old[last.old_end : _forth(old, last.old_end, context)])
    old_line, new_line = first.old_line - len(before), first.new_line - len(before)
    lines: list[Line] = []

    def equal(texts: Sequence[bytes], new_number: int) -> None:
        lines.extend(Line(" ", new_number + index, text) for index, text in enumerate(texts))

    equal(before, new_line + 1)
    for change, following in zip(group, (*group[1:], None), strict=True):
        lines.extend(Line("-", change.old_line + 1 + index, text) for index, text in enumerate(change.removed))
        lines.extend(Line("+", change.new_line + 1 + index, text) for index, text in enumerate(change.added))
        between = after if following is None else _lines(old[change.old_end : following.old_offset])
        equal(between, change.new_line + len(change.added) + 1)
    old_count = sum(line.sign != "+" for line in lines)
    return Hunk(old_line, old_count, new_line, sum(line.sign != "-" for line in lines), tuple(lines))


def _windows(old: bytes, regions: Sequence[Region]) -> Iterator[tuple[int, int, int, int]]:
    """Yield (old start, old end, new start, new end) of whole lines around the regions, disjoint and in order."""
    start: tuple[int, int] | None = None
    old_at = new_at = 0
    for region in regions:
        newline = old.find(b"\n", old_at, region.old_start)
        if start is None or newline >= 0:
            if start is not None:
                shared = newline + 1 - old_at
                yield start[0], old_at + shared, start[1], new_at + shared
            back = region.old_start - (old.rfind(b"\n", old_at, region.old_start) + 1 or old_at)
            start = region.old_start - back, region.new_start - back
        old_at, new_at = region.old_end, region.new_end
    if start is not None:
        shared = (old.find(b"\n", old_at) + 1 or len(old)) - old_at
        yield start[0], old_at + shared, start[1], new_at + shared


def _lines(data: bytes) -> list[bytes]:
    *whole, rest = data.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])


def _line_end(data: bytes, offset: int) -> int:
    return data.find(b"\n", offset) + 1 or len(data)


def _common(left: Sequence[bytes], right: Sequence[bytes]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _back(data: bytes, offset: int, lines: int) -> int:
    """Return the start of the line `lines` lines before the one that starts at `offset`."""
    for _ in range(lines):
        offset = data.rfind(b"\n", 0, max(offset - 1, 0)) + 1
    return offset


def _forth(data: bytes, offset: int, lines: int) -> int:
    """Return the end of the last of `lines` lines from `offset` on."""
    for _ in range(lines):
        offset = data.find(b"\n", offset) + 1 or len(data)
    return offset
