"""The tolerant strategies: each compares whole spans under one normalisation, and only says where they are.

What they return is a span of the text as it is; nothing normalised is ever written. A strategy stops at its second
candidate, because that is an ambiguity already.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from gitedit.edits.text import BOM, Text, find

WHITE = "\t\n\v\f\r \u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000\ufeff"
"""ECMAScript's white space. Python's own set has 1C-1F and 85 too and lacks FEFF."""
_NOT_SHARED = "\x1c\x1d\x1e\x1f\x85\ufeff"
"""White space in one of the two sets only."""
MIN_UNITS = 5
MAX_UNITS = 1_000_000
MAX_LINES = 50_000

_LOOKALIKES = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | dict.fromkeys("\u00a0\u202f\u205f\u3000" + "".join(map(chr, range(0x2002, 0x200B))), " ")
)
_MARKS = 64
_LONG_RUN = re.compile(rf"(?:[^\w\s\x00-\x7f]|[\uff9e\uff9f]){{{_MARKS + 1},}}")
"""Runs in which every character may be a combining one. Putting those in order is quadratic, and one call in C."""
_WORD = re.compile(f"[^{WHITE}]+")
_ESCAPE = re.compile(r"\\([ntr'\"`\\\n$])")
_MEANING = {"n": "\n", "t": "\t", "r": "\r"}
_UNSURE = b"\t\n\v\f\r \\ntr'\"-" + bytes(range(0x80, 0x100))
"""What a strategy may take away or write: white space, escapes of it, look-alikes, and all beyond ASCII."""
# A lone surrogate that neither a decoded file (DC80-DCFF only) nor an edit can hold.
_NEVER = "\ud800"


class Span(NamedTuple):
    """Where a strategy found its text, in bytes of the current text."""

    start: int
    end: int
    """Exclusive; after the LF if oldText ended in one, else before the LF but after a CR."""


class Needle(NamedTuple):
    """The lines that a strategy looks for."""

    lines: list[str]
    newline: bool
    """The last line must be followed by a newline, which belongs to the span."""
    bom: bool
    """The text itself begins with U+FEFF, so a BOM in front of the file belongs to the span."""


Strategy = Callable[[Text, str], Iterator[Span]]


def units(text: str) -> int:
    """Return the length in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def too_large(text: Text) -> bool:
    """Return whether `text` is beyond what the strategies are tried on."""
    size = len(text.data)
    # A UTF-16 unit takes one to three bytes of UTF-8.
    if size > 3 * MAX_UNITS or text.line_count() > MAX_LINES:
        return True
    return size > MAX_UNITS and units(text.data.decode("utf-8", "surrogateescape")) > MAX_UNITS


def trimmed(line: str) -> str:
    """Return `line` without white space around it."""
    return line.strip(WHITE)


def split(text: str) -> tuple[list[str], list[str]]:
    """Return the lines of `text` as they are, and without white space around each."""
    lines = text.split("\n")
    return lines, list(map(trimmed if any(char in text for char in _NOT_SHARED) else str.strip, lines))


def trimmed_keys(text: Text) -> list[str]:
    """Return the lines of `text`, each without white space around it."""
    # Where both sets of white space are the same, no Python code need be run for every line.
    slow = text.has_keys(trimmed) or any(char.encode() in text.data for char in _NOT_SHARED)
    return text.keys(trimmed, None if slow else str.strip)


def plain(text: str) -> str:
    """Return `text` in NFKC with quotes, dashes and spaces as ASCII."""
    if text.isascii():
        return text
    from unicodedata import normalize  # noqa: PLC0415 - most files never need it

    ranges = (range(run.start() + _MARKS, run.end(), _MARKS) for run in _LONG_RUN.finditer(text))
    cuts = [0, *(at for places in ranges for at in places), len(text)]
    pieces = [text[start:end] for start, end in pairwise(cuts)]
    return "".join(normalize("NFKC", piece) for piece in pieces).translate(_LOOKALIKES)


def lookalike(line: str) -> str:
    """Return the key of the unicode strategy."""
    return trimmed(plain(line))


def words(line: str) -> str:
    """Return `line` with every run of white space as one blank, and none around it."""
    return " ".join(_WORD.findall(line))


def unescape(text: str) -> str:
    """Return `text` with its escapes resolved in one pass from left to right."""
    return _ESCAPE.sub(lambda match: _MEANING.get(match[1], match[1]), text)


def line_trimmed(text: Text, old: str) -> Iterator[Span]:
    """Whole lines, compared without the white space around each."""
    needle = _needle(old)
    return _line_spans(text, needle, trimmed_keys(text), list(map(trimmed, needle.lines)))


def unicode(text: Text, old: str) -> Iterator[Span]:
    """Whole lines, compared after NFKC with quotes, dashes and spaces as ASCII, trimmed."""
    if old.isascii() and text.data.isascii():  # then this is line-trimmed once more
        return iter(())
    needle = _needle(old)
    return _line_spans(text, needle, text.keys(lookalike), list(map(lookalike, needle.lines)))


def whitespace(text: Text, old: str) -> Iterator[Span]:
    """As many lines as `old` has, compared word by word; words may move across the breaks inside."""
    needle = _needle(old)
    wanted = " " + " ".join(filter(None, map(words, needle.lines))) + " "
    # One pass over the whole text takes a third of one over each line; mostly the words are nowhere.
    if not text.has_keys(words) and wanted not in f" {words(chr(10).join(text.lines()))} ":
        return
    keys = text.keys(words)
    if len(needle.lines) == 1:
        wanted = words(old)
        yield from _line_spans(text, needle, keys, [wanted]) if wanted else ()
        return
    joined = " " + " ".join(filter(None, keys)) + " "
    # A blank text matches nothing; and if the words occur nowhere, no window need be looked at.
    if not wanted.strip(" ") or wanted not in joined:
        return
    starts = [0]
    for key in keys:
        starts.append(starts[-1] + (len(key) + 1 if key else 0))
    count = len(needle.lines)
    for line in range(len(keys) - count + 1):
        fits = starts[line + count] - starts[line] == len(wanted) - 1
        if fits and joined.startswith(wanted, starts[line]) and (span := _span(text, needle, line)):
            yield span


def escape(text: Text, old: str) -> Iterator[Span]:
    """The unescaped text itself, its CRLF form, and whole lines that unescape to it."""
    wanted = unescape(old)
    direct = [wanted.encode()]
    if "\n" in wanted:
        direct.append(wanted.replace("\n", "\r\n").encode())
    for form in dict.fromkeys(direct):
        yield from (Span(at, at + len(form)) for at in text.find(form))
    if b"\\" in text.data:
        yield from _escaped_lines(text, Needle(wanted.split("\n"), newline=False, bom=wanted.startswith("\ufeff")))


def _escaped_lines(text: Text, needle: Needle) -> Iterator[Span]:
    """Yield the windows of lines that unescape to the needle's.

    A backslash at the end of a line takes part in an escape (backslash-newline) unless the window ends there.
    """
    final = needle.lines[-1]
    body = needle.lines[:-1]
    inner = text.keys(_inner_escape)
    outer = text.keys(unescape)
    starts = _occurrences(inner, body) if body else range(len(outer))
    for line in starts:
        last = line + len(body)
        if last < len(outer) and outer[last] == final and (span := _span(text, needle, line)):
            yield span


def _inner_escape(line: str) -> str:
    """Return what `line` and the newline behind it unescape to, less that newline."""
    unescaped = unescape(line.removesuffix("\r") + "\n").removesuffix("\n")
    return _NEVER if "\n" in unescaped else unescaped


def _needle(old: str) -> Needle:
    newline = old.endswith("\n")
    return Needle(old.removesuffix("\n").split("\n"), newline, old.startswith("\ufeff"))


def _line_spans(text: Text, needle: Needle, keys: Sequence[str], wanted: Sequence[str]) -> Iterator[Span]:
    for line in _occurrences(keys, wanted):
        if span := _span(text, needle, line):
            yield span


def _span(text: Text, needle: Needle, line: int) -> Span | None:
    """Return the bytes of the window of lines at 0-based `line`, or None where a newline is missing."""
    start, end = text.line_start(line + 1), text.line_end(line + len(needle.lines))
    if needle.newline:
        if end == len(text.data):
            return None
        end += 1
    if line == 0 and not needle.bom and text.data.startswith(BOM):
        start += len(BOM)
    return Span(start, end) if end > start else None


def _occurrences(keys: Sequence[str], wanted: Sequence[str]) -> Iterator[int]:
    """Yield every index at which `wanted` stands in `keys` (Knuth-Morris-Pratt: linear on repetitive text too)."""
    borders = [0] * len(wanted)
    border = 0
    for at in range(1, len(wanted)):
        while border and wanted[at] != wanted[border]:
            border = borders[border - 1]
        border += wanted[at] == wanted[border]
        borders[at] = border
    seen = at = 0
    while at < len(keys):
        if not seen:  # skip to the next possible start at C speed
            try:
                at = keys.index(wanted[0], at)
            except ValueError:
                return
        while seen and keys[at] != wanted[seen]:
            seen = borders[seen - 1]
        seen += keys[at] == wanted[seen]
        at += 1
        if seen == len(wanted):
            yield at - seen
            seen = borders[seen - 1]


STRATEGIES: dict[str, Strategy] = {
    "line-trimmed": line_trimmed,
    "unicode": unicode,
    "whitespace": whitespace,
    "escape": escape,
}


def strategies(text: Text, old: str) -> Iterator[tuple[str, Strategy]]:
    """Yield the strategies that may find `old`, by name, from narrow to wide."""
    every = iter(STRATEGIES.items())
    if text.has_keys(trimmed):  # then to compare lines takes less than to look at all bytes
        yield next(every)
    if not hopeless(text, old):
        yield from every


def hopeless(text: Text, old: str) -> bool:
    """Return whether `text` lacks what every strategy leaves as it is in `old`.

    Let kept(x) be x without _UNSURE. Trimming, word breaks and escapes take away or write nothing else, and neither do
    the look-alikes, of text that is in NFKC already. So kept(span) == kept(old) for each span that a strategy finds
    (`escape`: kept(span) == kept(unescape(old)), which is the same), and kept(span) is a part of kept(text).
    """
    if find(text.data.translate(None, _UNSURE), old.encode().translate(None, _UNSURE)) >= 0:
        return False
    return _in_nfkc(old) and (text.data.isascii() or _in_nfkc(text.data.decode("utf-8", "surrogateescape")))


def _in_nfkc(text: str) -> bool:
    """Return whether `plain` changes no line of `text` but for look-alikes."""
    if text.isascii():
        return True
    from unicodedata import is_normalized  # noqa: PLC0415 - most files never need it

    return all(
        line.isascii() or (not _LONG_RUN.search(line) and is_normalized("NFKC", line)) for line in text.split("\n")
    )
