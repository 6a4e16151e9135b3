"""A text under edit: bytes that are spliced in place, with lines, endings and comparison keys kept up to date.

A splice costs a move of the bytes behind it, far less than the search that led there. Nothing is decoded before a
tolerant strategy asks for lines, and then every line is normalised once.
"""

from collections.abc import Callable

from gitedit.edits.endings import Census, census
from gitedit.edits.refusal import LISTED

BLOCK = 1 << 15
"""Bytes per entry of the line index: counting newlines in one takes some 15 microseconds."""
BOM = b"\xef\xbb\xbf"
PROBE = 64
"""Bytes of a long needle that are searched for in its place, and compared in full where they are found."""
PROBES = 8
"""Places at which that is tried. Bounded: in a text that repeats itself each may compare as far as the last byte."""


def find(data: bytes | bytearray, needle: bytes | bytearray, start: int = 0) -> int:
    """Return what `data.find` does, sooner where `needle` is long."""
    # `find` prepares a long needle anew on every call, which for 80,000 bytes takes longer than 20 comparisons.
    if len(needle) > 4 * PROBE:
        for _ in range(PROBES):
            start = data.find(needle[:PROBE], start)
            if start < 0 or data.startswith(needle, start):
                return start
            start += 1
    return data.find(needle, start)


class Text:
    """The current bytes of one file."""

    def __init__(self, source: bytes) -> None:
        self.data: bytes | bytearray = source
        """Bytes until the first splice."""
        self._census: Census | None = None
        self._sizes: list[int] | None = None
        self._newlines: list[int] = []
        self._lines: list[str] | None = None
        self._keys: dict[Callable[[str], str], list[str]] = {}

    # -- matches -----------------------------------------------------------------------------------------------

    def find(self, needle: bytes, limit: int = LISTED, start: int = 0) -> list[int]:
        """Return the offsets of the first `limit` occurrences, overlapping ones included."""
        found: list[int] = []
        at = find(self.data, needle, start)
        while at >= 0:
            found.append(at)
            if len(found) == limit:
                break
            at = find(self.data, needle, at + 1)
        return found

    # -- lines -------------------------------------------------------------------------------------------------

    def line_at(self, offset: int) -> int:
        """Return the 1-based line that holds the byte at `offset`."""
        if offset <= BLOCK:  # no more than the index would leave to count
            return self.data.count(b"\n", 0, offset) + 1
        self._index()
        line, start = 1, 0
        for size, newlines in zip(self._sizes or (), self._newlines, strict=True):
            if start + size > offset:
                break
            start += size
            line += newlines
        return line + self.data.count(b"\n", start, offset)

    def line_start(self, line: int) -> int:
        """Return the offset of the first byte of 1-based `line`, which must exist."""
        self._index()
        start, missing = 0, line - 1
        for size, newlines in zip(self._sizes or (), self._newlines, strict=True):
            if newlines >= missing:
                break
            start += size
            missing -= newlines
        for _ in range(missing):
            start = self.data.index(b"\n", start) + 1
        return start

    def line_end(self, line: int) -> int:
        """Return the offset of the LF that ends 1-based `line`, or of the end of the text."""
        end = self.data.find(b"\n", self.line_start(line))
        return len(self.data) if end < 0 else end

    def line_count(self) -> int:
        """Return the number of LFs + 1."""
        self._index()
        return sum(self._newlines) + 1

    def lines(self) -> list[str]:
        """Return the text split at LF, without a BOM in front; bytes that are not UTF-8 are surrogate-escaped."""
        if self._lines is None:
            self._lines = self.data.removeprefix(BOM).decode("utf-8", "surrogateescape").split("\n")
        return self._lines

    def part(self, first: int, last: int) -> str:
        """Return 1-based lines `first` to `last` as `lines` has them, joined."""
        part = self.data[self.line_start(first) : self.line_end(last)].decode("utf-8", "surrogateescape")
        return part.removeprefix("\ufeff") if first == 1 else part

    def keys(self, key: Callable[[str], str], same: Callable[[str], str] | None = None) -> list[str]:
        """Return `key` of every line; kept, and after a splice computed for the lines it touched only.

        `same`: what does the same to the lines as they are now, sooner.
        """
        kept = self._keys.get(key)
        if kept is None:
            kept = self._keys[key] = list(map(same or key, self.lines()))
        return kept

    def has_keys(self, key: Callable[[str], str]) -> bool:
        """Return whether `key` of every line is known already."""
        return key in self._keys

    def _index(self) -> None:
        if self._sizes is None:
            self._sizes, self._newlines = self._counted(0, len(self.data))

    def _counted(self, start: int, end: int) -> tuple[list[int], list[int]]:
        # Only a block twice as large is cut, so that growing edits do not leave a trail of tiny ones.
        step = BLOCK if end - start > 2 * BLOCK else max(end - start, 1)
        starts = range(start, end, step)
        ends = [min(at + step, end) for at in starts]
        sizes = [b - a for a, b in zip(starts, ends, strict=True)]
        return sizes, [self.data.count(b"\n", a, b) for a, b in zip(starts, ends, strict=True)]

    # -- changes -----------------------------------------------------------------------------------------------

    @property
    def census(self) -> Census:
        """The line endings of the current text."""
        if self._census is None:
            self._census = census(self.data)
        return self._census

    def splice(self, start: int, end: int, new: bytes) -> None:
        """Replace the bytes from `start` to `end` by `new`."""
        lines = self._touched_lines(start, end) if self._lines is not None else None
        # A CRLF may straddle either edge, so one byte more is counted on both sides.
        low = max(start - 1, 0)
        before = self.data[low : end + 1]
        if isinstance(self.data, bytes):
            self.data = bytearray(self.data)
        self.data[start:end] = new
        if self._census is not None:
            self._recount(self._census, census(before), census(self.data[low : start + len(new) + 1]))
        self._reindex(start, end, len(new))
        if start < len(BOM):  # a BOM may have come or gone
            self._lines = None
            self._keys.clear()
        elif lines is not None:
            self._relined(*lines, new.count(b"\n"))

    def _recount(self, whole: Census, before: Census, after: Census) -> None:
        self._census = Census(
            whole.lf - before.lf + after.lf,
            whole.crlf - before.crlf + after.crlf,
            whole.cr - before.cr + after.cr,
            self.data.endswith(b"\n"),
        )

    def _reindex(self, start: int, end: int, length: int) -> None:
        """Count the blocks again that held the bytes from `start` to `end`, where now there are `length`."""
        if self._sizes is None:
            return
        first = offset = 0
        while first < len(self._sizes) - 1 and offset + self._sizes[first] <= start:
            offset += self._sizes[first]
            first += 1
        last, stop = first, offset
        while last < len(self._sizes) and (stop < end or last == first):
            stop += self._sizes[last]
            last += 1
        sizes, newlines = self._counted(offset, stop + length - (end - start))
        self._sizes[first:last] = sizes
        self._newlines[first:last] = newlines

    def _touched_lines(self, start: int, end: int) -> tuple[int, int]:
        return self.line_at(start), self.line_at(end)

    def _relined(self, first: int, last: int, added: int) -> None:
        """Replace 1-based lines `first` to `last` by those that now begin there: `added` + 1 of them."""
        lines = self._lines or []
        fresh = self.part(first, first + added).split("\n")
        lines[first - 1 : last] = fresh
        for key, kept in self._keys.items():
            kept[first - 1 : last] = map(key, fresh)
