"""Regions: the composition of successive replacements into disjoint changed runs of bytes.

A change list maps one text to the next; composing two lists is one merge, so n edits in sequence take
O(n log n), whatever their order. Runs with no untouched byte between them are one.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitedit.edits.model import Region


class Change(NamedTuple):
    """old text[old_start:old_end] became new text[new_start:new_end]; byte offsets."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int
    edits: tuple[int, ...]
    """0-based indices of the edits that made it."""

    @property
    def growth(self) -> int:
        """Bytes gained."""
        return (self.new_end - self.new_start) - (self.old_end - self.old_start)


def compose(first: Sequence[Change], second: Sequence[Change]) -> list[Change]:
    """Return `second` after `first` as one list; both and the result are ascending and never touch."""
    out: list[Change] = []
    i = j = before = after = 0
    while i < len(first) or j < len(second):
        starts = [first[i].new_start] if i < len(first) else []
        starts += [second[j].old_start] if j < len(second) else []
        start = end = min(starts)
        old_start, new_start = start - before, start + after
        edits: list[int] = []
        while True:
            if i < len(first) and first[i].new_start <= end:
                end = max(end, first[i].new_end)
                before += first[i].growth
                edits += first[i].edits
                i += 1
            elif j < len(second) and second[j].old_start <= end:
                end = max(end, second[j].old_end)
                after += second[j].growth
                edits += second[j].edits
                j += 1
            else:
                break
        out.append(Change(old_start, end - before, new_start, end + after, tuple(edits)))
    return out


def composed(changes: Iterable[Change]) -> list[Change]:
    """Return the composition of single changes, each given in the coordinates of the text before it."""
    lists = [[change] for change in changes]
    while len(lists) > 1:
        pairs = [compose(lists[k], lists[k + 1]) for k in range(0, len(lists) - 1, 2)]
        lists = pairs + lists[len(pairs) * 2 :]
    return lists[0] if lists else []


def joined(changes: Iterable[Change]) -> list[Change]:
    """Return ascending changes of one text, with those that touch made one."""
    out: list[Change] = []
    for change in changes:
        if out and change.old_start <= out[-1].old_end:
            last = out.pop()
            out.append(
                Change(last.old_start, change.old_end, last.new_start, change.new_end, last.edits + change.edits)
            )
        else:
            out.append(change)
    return out


def regions(changes: Iterable[Change], via: Sequence[str], source: bytes, content: bytes) -> tuple[Region, ...]:
    """Return the changes that changed a byte, each with the strategies of its edits."""
    return tuple(
        Region(c.old_start, c.old_end, c.new_start, c.new_end, _strategy(c.edits, via))
        for c in changes
        if source[c.old_start : c.old_end] != content[c.new_start : c.new_end]
    )


def _strategy(edits: Sequence[int], via: Sequence[str]) -> str:
    if len(edits) == 1:
        return via[edits[0]]
    return "+".join(dict.fromkeys(via[index] for index in sorted(edits)))
