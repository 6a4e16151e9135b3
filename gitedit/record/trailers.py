"""Git's notion of a trailer block (trailer.c) in Python: `interpret-trailers` runs commands from the user's config.

As `git log --format=%(trailers)` reads a message: leading blank lines skipped, `---` no divider.
"""

from typing import NamedTuple

_GENERATED = ("Signed-off-by: ", "(cherry picked from commit ")
_CUT_LINE = "# ------------------------ >8 ------------------------"
_BLANKS = " \t\r"
"""What git's isspace() knows, without the newline."""


class TrailerBlock(NamedTuple):
    """Lines [start, end) of a message, 0-based; where there is none, both are where git would add one."""

    start: int
    end: int
    cut: bool
    """Git ignores everything from `end` on (a scissors line of `git commit -v`)."""


def is_blank(line: str) -> bool:
    """Return whether git takes the line for blank."""
    return not line.strip(_BLANKS)


def is_trailer(line: str) -> bool:
    """Return whether the line begins a trailer: letters, digits and `-`, then blanks, then `:`."""
    token, colon, _ = line.partition(":")
    name = token.rstrip(" \t")
    return bool(colon and name) and name.isascii() and name.replace("-", "0").isalnum()


def trailer_block(lines: list[str]) -> TrailerBlock:
    """Find the trailer block in a message split at newlines (the last item is what follows the last newline)."""
    first = next((i for i, line in enumerate(lines) if not is_blank(line)), len(lines))
    end, cut = _end(lines, first)
    title = next((i for i in range(first, end) if lines[i][:1] != "#" and is_blank(lines[i])), end)
    start = _start(lines, title, end)
    return TrailerBlock(start, end, cut)


def _end(lines: list[str], first: int) -> tuple[int, bool]:
    """Return where trailing comments, blank lines and a `Conflicts:` block begin, and whether scissors cut there."""
    terminated = len(lines) - 1
    cut = _CUT_LINE in lines[first:terminated]
    cutoff = lines.index(_CUT_LINE, first) if cut else len(lines)
    start = cutoff
    while start > first and (lines[start - 1][:1] in ("", "#", "\t") or lines[start - 1] == "Conflicts:"):
        start -= 1
    tail = None
    conflicts = False
    for i in range(start, cutoff):
        line = lines[i]
        if line[:1] in ("", "#") or (line == "Conflicts:" and i < terminated):
            conflicts |= line == "Conflicts:"
            # A run that begins with the message is none: in trailer.c its offset, 0, means "no run".
            tail = i if tail is None and i > first else tail
        elif not (conflicts and line[:1] == "\t"):
            tail, conflicts = None, False
    return (cutoff if tail is None else tail), cut


def _start(lines: list[str], title: int, end: int) -> int:
    recognized, blank_so_far = False, True
    trailers = others = continuations = 0
    for i in range(end - 1, title - 1, -1):
        line = lines[i]
        if line[:1] == "#":
            others, continuations = others + continuations, 0
        elif is_blank(line):
            if blank_so_far:
                continue
            others += continuations
            if (recognized and trailers * 3 >= others) or (trailers and not others):
                return i + 1
            return end
        else:
            blank_so_far = False
            if line.startswith(_GENERATED):
                trailers, continuations, recognized = trailers + 1, 0, True
            elif line[0] not in _BLANKS and is_trailer(line):
                trailers, continuations = trailers + 1, 0
            elif line[0] in _BLANKS:
                continuations += 1
            else:
                others, continuations = others + continuations + 1, 0
    return end
