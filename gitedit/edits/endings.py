"""Line endings: count them, fold CRLF to LF for comparison, and give new text the endings of its place.

A line ends at LF only; a CR that no LF follows is content, as it is for git.
"""

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple


class Census(NamedTuple):
    """How the lines of a text end."""

    lf: int
    """LF without a CR before it."""
    crlf: int
    cr: int
    """CR without an LF after it."""
    final_newline: bool
    """The last byte is an LF; False for an empty text."""

    @property
    def uniform(self) -> bytes | None:
        """The one ending of all lines, or None where there are both kinds or no line ends at all."""
        if self.crlf:
            return None if self.lf else b"\r\n"
        return b"\n" if self.lf else None


def census(data: bytes | bytearray) -> Census:
    """Count the line endings of `data`."""
    crlf = data.count(b"\r\n")
    return Census(data.count(b"\n") - crlf, crlf, data.count(b"\r") - crlf, data.endswith(b"\n"))


def fold(data: bytes) -> bytes:
    """Return `data` with CRLF as LF."""
    return data.replace(b"\r\n", b"\n")


def unfold(data: bytes) -> bytes:
    """Return `data` with every line ending as CRLF."""
    return fold(data).replace(b"\n", b"\r\n")


def adapt(new: bytes, whole: Census, span: bytes = b"") -> bytes:
    """Return `new` with the endings of a uniform file, else of `span` where that is uniform, else as it is.

    `span` is what `new` replaces, given only where it was found through folded endings.
    """
    ending = whole.uniform or (census(span).uniform if span else None)
    if ending is None:
        return new
    return unfold(new) if ending == b"\r\n" else fold(new)


class Folded:
    """A text with CRLF folded to LF, and the way back from its offsets to those of the original."""

    def __init__(self, data: bytes) -> None:
        pieces = data.split(b"\r\n")
        self.text = b"\n".join(pieces)
        """The folded text."""
        ends = accumulate(map(len, pieces[:-1]))
        self._folds = [end + index for index, end in enumerate(ends)]
        """Offsets in `text` of the LFs that were CRLFs."""

    def original(self, offset: int) -> int:
        """Return the original offset of `offset`; at a folded LF, that of its CR."""
        return offset + bisect_left(self._folds, offset)
