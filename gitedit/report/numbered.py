"""A short display of changed lines with their numbers, for people and for programs that read it to people."""

from collections.abc import Iterable, Iterator

from gitedit.edits.hunks import Hunk

MOST_LINES = 200
"""Lines of one file; the patch has them all."""
LONGEST_LINE = 1000
"""Bytes of one line."""
GAP = "..."
_NEWLINE = b"\n"
NO_NEWLINE = "\\ No newline at end of file"


def numbered(hunks: Iterable[Hunk], most: int = MOST_LINES, longest: int = LONGEST_LINE) -> Iterator[str]:
    """Yield a sign, a number and the text of each line, as `-12 old`, `+12 new`, ` 13 equal`.

    Removed lines have their number in the old version, all others in the new one. `...` stands between hunks.
    Text is what the bytes are, without the newline; a line that is cut ends in `…`.
    """
    groups = list(hunks)
    width = max((len(str(line.number)) for hunk in groups for line in hunk.lines), default=1)
    total = sum(len(hunk.lines) for hunk in groups)
    shown = 0
    for index, hunk in enumerate(groups):
        if index:
            yield GAP
        for sign, number, text in hunk.lines:
            if shown == most:
                yield f"{GAP} {total - shown} more lines"
                return
            shown += 1
            yield f"{sign}{number:>{width}} {_text(text.removesuffix(_NEWLINE), longest)}"
            if not text.endswith(_NEWLINE):
                yield NO_NEWLINE


def _text(line: bytes, longest: int) -> str:
    if len(line) <= longest:
        return line.decode("utf-8", "surrogateescape")
    end = longest
    while end > longest - 3 and line[end] & 0xC0 == 0x80:  # never through a character
        end -= 1
    return line[:end].decode("utf-8", "surrogateescape") + "\u2026"
