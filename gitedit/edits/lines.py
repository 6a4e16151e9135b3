"""Lines by number in large content, found without splitting it: a table of newline counts, one entry every few KiB."""

from bisect import bisect_right

_STEP = 4096


class Lines:
    """The lines of a content, numbered from 0; each ends with its newline, the last one perhaps without."""

    def __init__(self, content: bytes) -> None:
        """Count the newlines once."""
        self._content = content
        counts = [0]
        for start in range(0, len(content), _STEP):
            counts.append(counts[-1] + content.count(b"\n", start, start + _STEP))
        self._counts = counts
        unterminated = bool(content) and not content.endswith(b"\n")
        self.count = counts[-1] + unterminated
        """How many lines there are; an unterminated last one counts."""

    def offset(self, number: int) -> int:
        """Return the byte offset at which line `number` starts; that of the end for any number behind the last."""
        if number <= 0:
            return 0
        if number > self._counts[-1]:
            return len(self._content)
        # The step in which the newline before that line stands.
        step = bisect_right(self._counts, number - 1) - 1
        at = step * _STEP - 1
        for _ in range(number - self._counts[step]):
            at = self._content.index(b"\n", at + 1)
        return at + 1

    def line(self, number: int) -> bytes:
        """Return one line with its newline."""
        return self._content[self.offset(number) : self.offset(number + 1)]

    def before(self, offset: int) -> int:
        """Return how many lines end at or before `offset`."""
        step = min(offset // _STEP, len(self._counts) - 1)
        return self._counts[step] + self._content.count(b"\n", step * _STEP, offset)
