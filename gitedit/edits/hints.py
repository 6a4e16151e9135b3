"""Hints: what a refused edit came close to, and what to do about it.

A hint costs no more than the search that failed: lines are compared by the keys that the strategies made, and where
the file was too large for those, one line of oldText is searched for and no more.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import compress, count, islice
from operator import ne
from typing import NamedTuple

from gitedit.edits.endings import fold
from gitedit.edits.refusal import LISTED, Failure, listed
from gitedit.edits.text import BOM, Text
from gitedit.edits.tolerance import WHITE, split, too_large, trimmed, trimmed_keys

NO_CHANGES = Failure("no-changes", "the result equals the file as it is", "it may be done already: read the file again")
EMPTY = Failure("empty-old-text", "oldText is empty", "quote the text to replace, with enough around it to be unique")
MARKERS = "write one marker, with unique text on both sides of it"
OVERLAP = "make one edit of the two"
MORE = "quote more of the text around the one that is meant"
NO_HINT: tuple[str, tuple[int, ...]] = ("", ())
NO_FINAL_NEWLINE = "oldText ends with a newline, but the file ends without a newline"
COMPARED_LINES = 50
"""Lines of oldText that are compared by their words."""
LEAST_SCORE = 3
"""Characters in common below which a line is not called close."""
_COMPARED_CHARACTERS = 500
_LONGEST = 3
"""Lines that `_proven` looks for; each costs a search of the file."""
_PLACES_OF_A_LINE = 8
_PLACES_IN_A_LINE = 20
_WORD = re.compile(r"[^\W_]+")
_BETWEEN_WORDS = {code: " " for code in range(0x80) if not chr(code).isalnum() and chr(code) != "\n"}


class Wanted(NamedTuple):
    """The lines of oldText."""

    lines: list[str]
    keys: list[str]
    """Trimmed."""


class Place(NamedTuple):
    """A part of the file beside the wanted lines."""

    start: int
    """0-based line at which the first wanted one would stand; below 0: before the file."""
    lead: int
    """Wanted lines before the file."""
    lines: list[str]
    """Of the file, beside the wanted ones from `lead` on; fewer where the file ends."""
    differing: list[int]
    """0-based wanted lines that have another line beside them, white space around both aside."""
    lacking: int
    """Characters of the wanted lines that have no equal beside them."""


def several(text: Text, starts: Sequence[int], name: str, code: str, via: str = "exact") -> Failure:
    """Return the failure for matches at `starts` where there should be one."""
    lines = tuple(text.line_at(start) for start in starts)
    more = " among others" if len(starts) == LISTED else ""
    return Failure(code, f"{name} matches in more than one place ({via}): {listed(lines)}{more}", MORE, lines)


def lookalikes(normal: str, wanted: str, code: str) -> Failure:
    """Return the failure for text that is unique only until `normal`, the normalised file, is looked at."""
    lines: list[int] = []
    at = normal.find(wanted)
    while at >= 0 and len(lines) < LISTED:
        lines.append(normal.count("\n", 0, at) + 1)
        at = normal.find(wanted, at + 1)
    looks = "quotes, dashes, spaces and compatibility forms aside"
    return Failure(code, f"other text looks the same, {looks}: {listed(lines)}", MORE, tuple(lines))


def not_found(text: Text, old: str, tried: Sequence[str], marker: str = "", *, hinted: bool = True) -> Failure:
    """Return the failure for text that is nowhere; `marker`: what would have had a meaning in another mode."""
    message = f"oldText was not found (tried {', '.join(tried)})"
    hint, lines = closest(text, old) if hinted else NO_HINT
    if marker and marker in old:
        hint = f"{marker} is a marker in anchored mode only; {hint}"
    return Failure("not-found", message, hint, lines)


def no_anchor(text: Text, anchor: str, name: str, start: int = 0, *, hinted: bool = True) -> Failure:
    """Return the failure for a head, or a tail after `start`, that is nowhere."""
    message = f"the {name} was not found"
    if start:
        message += f" after the head's end (line {text.line_at(start - 1)})"
        if earlier := text.find(anchor.encode(), 1):
            line = text.line_at(earlier[0])
            return Failure(f"{name}-not-found", message, f"it stands at line {line}, before the head's end", (line,))
    hint, lines = closest(text, anchor) if hinted else NO_HINT
    return Failure(f"{name}-not-found", message, hint, lines)


def lacks_final_newline(text: Text, old: str) -> bool:
    """Return whether `old`, which ends in a newline, would be the end of the file if that had one."""
    if not old.endswith("\n") or text.data.endswith(b"\n"):
        return False
    wanted = fold(old.encode())[:-1]
    # CRLF takes at most twice the bytes of LF.
    return bool(wanted) and fold(bytes(text.data[-2 * len(wanted) :])).endswith(wanted)


def closest(text: Text, old: str) -> tuple[str, tuple[int, ...]]:
    """Return a hint on the place that `old` comes closest to, and its line, if there is one."""
    if lacks_final_newline(text, old):
        return NO_FINAL_NEWLINE, (text.line_count(),)
    if too_large(text):
        return _closest_by_line(text, old)
    whole = old.replace("\r\n", "\n") if "\r" in old else old
    whole = whole.removesuffix("\n")
    wanted = Wanted(*split(whole))
    last = text.line_count()
    if old.endswith("\n") and not text.data.endswith(b"\n") and wanted.keys[-1] and last >= len(wanted.keys):
        end = text.part(last - len(wanted.keys) + 1, last)
        if split(end)[1] == wanted.keys:
            return NO_FINAL_NEWLINE, (last,)
    place = _proven(text, wanted)
    if place is None:
        keys = trimmed_keys(text)
        start = _aligned(keys, wanted.keys)
        if start is None:
            start = _alike(keys, wanted.lines)
        if start is None:
            return "no line of the file is like it: read the file again", ()
        place = _beside(text, wanted, start)
    return _difference(text, wanted, place)


def _closest_by_line(text: Text, old: str) -> tuple[str, tuple[int, ...]]:
    line = max((trimmed(line) for line in old.split("\n")), key=len)
    spots = text.find(line.encode(), 1) if line else []
    if not spots:
        return "quote the text exactly as it is in the file", ()
    number = text.line_at(spots[0])
    return f"its longest line stands at line {number}: compare the lines around it", (number,)


def _proven(text: Text, wanted: Wanted) -> Place | None:
    """Return the place that `_aligned` would choose, where a long line of oldText or a few are enough to know it.

    An equal line counts for one place only, by its length. So a place that lacks all the lines looked for here counts
    for less than the only one that has any of them, as soon as what that one lacks is shorter than they are together.
    """
    longest = sorted(dict.fromkeys(wanted.keys[:COMPARED_LINES]), key=len, reverse=True)
    known, length = None, 0
    for line in filter(None, longest[:_LONGEST]):
        numbers = _numbers(text, line)
        if numbers is None:
            return None
        length += len(line)
        for number in numbers:
            start = number - wanted.keys.index(line)
            if known is None:
                known = _beside(text, wanted, start)
            elif start != known.start:
                return None
        if known is not None and known.lacking < length:
            return known
    return None


def _numbers(text: Text, key: str) -> list[int] | None:
    """Return the 0-based lines that are `key` when trimmed; None: too many hold it to look at them all."""
    found: list[int] = []
    needle, at = key.encode(), -1
    for _ in range(_PLACES_OF_A_LINE):
        at = text.data.find(needle, at + 1)
        if at < 0:
            return found
        start, end = text.data.rfind(b"\n", 0, at) + 1, text.data.find(b"\n", at)
        at = len(text.data) if end < 0 else end
        if trimmed(text.data[start:at].decode("utf-8", "surrogateescape")) == key:
            found.append(text.line_at(start) - 1)
    return None


def _beside(text: Text, wanted: Wanted, start: int) -> Place:
    """Return what stands at 0-based line `start`, of which at least one line must exist."""
    lead = max(-start, 0)
    lines, keys = split(text.part(start + lead + 1, min(start + len(wanted.keys), text.line_count())))
    differing = list(compress(count(lead), map(ne, keys, islice(wanted.keys, lead, None))))
    absent = (*range(lead), *differing, *range(lead + len(lines), len(wanted.keys)))
    return Place(start, lead, lines, differing, sum(len(wanted.keys[k]) for k in absent))


def _aligned(keys: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the 0-based line at which most of the wanted text would stand, by lines that are equal."""
    places: dict[str, int] = {}
    for index, line in enumerate(wanted):
        if line:
            places.setdefault(line, index)
    votes: dict[int, int] = {}
    for index, key in enumerate(keys):
        place = places.get(key)
        if place is not None:
            votes[index - place] = votes.get(index - place, 0) + len(key)
    return max(votes, key=votes.__getitem__) if votes else None


def _alike(keys: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the 0-based line at which the wanted text would stand, by the one line that shares most with it."""
    parts = [set(_WORD.findall(line)) for line in wanted[:COMPARED_LINES]]
    everything = set().union(*parts)
    best, start = LEAST_SCORE - 1, None
    for index, found in enumerate(_words(keys)):
        shared = everything.intersection(found)
        if shared and (score := sum(map(len, shared))) > best:
            best = score
            start = index - max(range(len(parts)), key=lambda k: sum(map(len, parts[k] & shared)))
    return start


def _words(keys: Sequence[str]) -> Iterable[list[str]]:
    """Return the words of every line."""
    whole = "\n".join(keys)
    if whole.isascii():  # then it takes a third of the time without the pattern
        return map(str.split, whole.translate(_BETWEEN_WORDS).split("\n"))
    return map(_WORD.findall, keys)


def _difference(text: Text, wanted: Wanted, place: Place) -> tuple[str, tuple[int, ...]]:
    """Describe the first difference of `wanted` from the lines at `place`, white space around lines last."""
    first = max(place.start, 0) + 1
    last = text.line_count() - (text.data.endswith(b"\n") or text.data in (b"", BOM))
    present = range(place.lead, min(last - place.start, len(wanted.lines)))
    for strip in (True, False):
        for k in place.differing if strip else present:
            if k not in present:
                break
            theirs, mine, column = place.lines[k - place.lead].removesuffix("\r"), wanted.lines[k], 0
            if theirs == mine:
                continue
            if strip:
                column = len(theirs) - len(theirs.lstrip(WHITE))
                theirs, mine = trimmed(theirs), trimmed(mine)
            if k == 0:
                inside = _entry(theirs, mine)
                theirs, column = theirs[inside:], column + inside
            if k == len(wanted.lines) - 1 and theirs.startswith(mine):
                continue  # the last line may end inside the file's
            if theirs != mine:
                number = place.start + k + 1
                return _described(theirs, mine, number, column), (number,)
        if present.stop < len(wanted.lines):
            return f"the closest place is line {first}, but the file ends at line {last}", (last,)
    return f"the closest place is line {first}, whose lines differ in their ends only", (first,)


def _entry(theirs: str, mine: str) -> int:
    """Return the 0-based column at which a first line fits best: oldText may begin inside a line of the file."""
    best, entry = _common(theirs, mine), 0
    at = 0
    for _ in range(_PLACES_IN_A_LINE):
        at = theirs.find(mine[:LEAST_SCORE], at + 1)
        if at < 0 or not mine:
            break
        common = _common(theirs[at : at + _COMPARED_CHARACTERS], mine)
        if common > best:
            best, entry = common, at
    return entry


def _common(one: str, other: str) -> int:
    """Return how many of the first characters are the same, as far as it is worth looking."""
    pairs = zip(one[:_COMPARED_CHARACTERS], other[:_COMPARED_CHARACTERS], strict=False)
    return next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other), _COMPARED_CHARACTERS))


def _described(theirs: str, mine: str, line: int, column: int) -> str:
    same = next((k for k, (a, b) in enumerate(zip(theirs, mine, strict=False)) if a != b), min(len(theirs), len(mine)))
    place = f"line {line}, column {column + same + 1}"
    return (
        f"the closest place differs first at {place}: the file has {_shown(theirs, same)}, oldText {_shown(mine, same)}"
    )


def _shown(line: str, column: int) -> str:
    """Name the character at `column` so that it can be seen."""
    if column >= len(line):
        return "the end of the line"
    char = line[column]
    names = {" ": "a blank", "\t": "a tab", "\r": "a CR", "\u00a0": "a no-break space (U+00A0)"}
    if char in names:
        return names[char]
    if "\udc80" <= char <= "\udcff":
        return f"the byte 0x{ord(char) - 0xDC00:02x}"
    return f'"{char}"' if char.isascii() and char.isprintable() else f"U+{ord(char):04X}"
