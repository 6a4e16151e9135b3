"""Anchored mode: all edits refer to the original text, CRLF folded to LF; `head[upto]tail` names a range.

Checks run in phases over all edits, and the first phase that fails reports every edit that failed in it.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitedit.edits import hints
from gitedit.edits.endings import Folded, adapt, census, fold
from gitedit.edits.model import Edit, Outcome, Revision
from gitedit.edits.refusal import Failure, file_refusal, named, refusals
from gitedit.edits.regions import Change, joined, regions
from gitedit.edits.strict import MARKER
from gitedit.edits.text import BOM, Text
from gitedit.edits.tolerance import WHITE, plain


class Place(NamedTuple):
    """The one place of an edit, in bytes of the folded text."""

    start: int
    end: int
    via: str


def is_anchored(edit: Edit) -> bool:
    """Return whether `edit` names a range by its ends."""
    return MARKER in edit.old_text and not edit.literal


def revise(source: bytes, edits: Sequence[Edit]) -> Revision:
    """Apply `edits`, of which at least one is anchored, all at once."""
    bom = len(BOM) if source.startswith(BOM) else 0
    folded = Folded(source[bom:])
    text = Text(folded.text)
    places = _places(text, edits)
    _refuse_lookalikes(text, edits, places)
    _refuse_overlaps(text, places)

    whole = census(source)
    pieces: list[bytes] = []
    changes: list[Change] = []
    at = grown = 0
    for index in sorted(range(len(edits)), key=lambda k: places[k].start):
        start, end = bom + folded.original(places[index].start), bom + folded.original(places[index].end)
        new = adapt(edits[index].new_text.encode(), whole, source[start:end])
        pieces += source[at:start], new
        changes.append(Change(start, end, start + grown, start + grown + len(new), (index,)))
        grown += len(new) - (end - start)
        at = end
    content = b"".join((*pieces, source[at:]))
    if content == source:
        raise file_refusal(hints.NO_CHANGES)
    outcomes = tuple(Outcome(p.via, text.line_at(p.start), text.line_at(p.end - 1)) for p in places)
    found = regions(joined(changes), [p.via for p in places], source, content)
    return Revision(content, outcomes, found, _warnings(text, edits, places))


def _places(text: Text, edits: Sequence[Edit]) -> list[Place]:
    """Phase 2: find every edit's place."""
    found: list[Place | Failure] = []
    hinted = True  # only the first failure's hint is shown, and a hint costs more than a search
    for edit in edits:
        found.append(_range(text, edit, hinted=hinted) if is_anchored(edit) else _place(text, edit, hinted=hinted))
        hinted = hinted and isinstance(found[-1], Place)
    _refuse(enumerate(found), len(edits))
    return [place for place in found if isinstance(place, Place)]


def _refuse(results: Iterable[tuple[int, object]], count: int) -> None:
    failures = [(index, result) for index, result in results if isinstance(result, Failure)]
    if failures:
        raise refusals(failures, count)


def _place(text: Text, edit: Edit, *, hinted: bool) -> Place | Failure:
    """Find an ordinary edit of an anchored batch: exactly, and once."""
    if not edit.old_text:
        return hints.EMPTY
    needle = fold(edit.old_text.encode())
    return _only(text, needle, 0, "oldText", "") or hints.not_found(text, edit.old_text, ("exact",), hinted=hinted)


def _range(text: Text, edit: Edit, *, hinted: bool) -> Place | Failure:
    """Find head and tail of an anchored edit; the range includes both."""
    head, *tails = edit.old_text.replace("\r\n", "\n").split(MARKER)
    if len(tails) > 1:
        return Failure("multiple-markers", f"oldText holds {MARKER} {len(tails)} times", hints.MARKERS)
    tail = tails[0].lstrip("\n")
    for name, anchor in (("before", head), ("after", tail)):
        if not anchor.strip(WHITE):
            return Failure("blank-anchor", f"oldText has nothing but white space {name} {MARKER}", hints.MARKERS)
    first = _only(text, head.encode(), 0, "the head", "head-")
    if first is None:
        return hints.no_anchor(text, head, "head", hinted=hinted)
    if isinstance(first, Failure):
        return first
    last = _only(text, tail.encode(), first.end, "the tail", "tail-")
    if last is None:
        return hints.no_anchor(text, tail, "tail", first.end, hinted=hinted)
    return last if isinstance(last, Failure) else Place(first.start, last.end, "anchored")


def _only(text: Text, needle: bytes, start: int, name: str, prefix: str) -> Place | Failure | None:
    """Return the one place of `needle` from `start` on, None if there is none."""
    spots = text.find(needle, start=start)
    if len(spots) > 1:
        return hints.several(text, spots, name, f"{prefix}not-unique")
    return Place(spots[0], spots[0] + len(needle), "exact") if spots else None


def _refuse_lookalikes(text: Text, edits: Sequence[Edit], places: Sequence[Place]) -> None:
    """Phase 3: no other part of the text may look like a place after normalisation."""
    whole = text.data.decode("utf-8", "surrogateescape")
    normal = _normalised(whole)
    results: list[tuple[int, object]] = []
    for index, place in enumerate(places):
        expanded = text.data[place.start : place.end].decode("utf-8", "surrogateescape")
        wanted = _normalised(expanded)
        # Head or oldText is unique as it stands, so without any normalisation there is nothing to count.
        if (wanted != expanded or normal != whole) and normal.count(wanted) > 1:
            code = "ambiguous" if is_anchored(edits[index]) else "not-unique"
            results.append((index, hints.lookalikes(normal, wanted, code)))
    _refuse(results, len(edits))


def _normalised(text: str) -> str:
    return "\n".join(line.rstrip(WHITE) for line in plain(text).split("\n"))


def _refuse_overlaps(text: Text, places: Sequence[Place]) -> None:
    """Phase 4: no byte may belong to two places."""
    order = sorted(range(len(places)), key=lambda k: places[k].start)
    clashes: dict[int, Failure] = {}
    widest = order[0]
    for index in order[1:]:
        if places[index].start < places[widest].end:
            for one, other in ((widest, index), (index, widest)):
                lines = (text.line_at(places[one].start), text.line_at(places[one].end - 1))
                where = f"lines {lines[0]} to {lines[1]}" if lines[0] < lines[1] else f"line {lines[0]}"
                message = f"its place, {where}, overlaps that of edit {other + 1}"
                clashes.setdefault(one, Failure("overlap", message, hints.OVERLAP, lines))
        if places[index].end > places[widest].end:
            widest = index
    _refuse(sorted(clashes.items()), len(places))


def _warnings(text: Text, edits: Sequence[Edit], places: Sequence[Place]) -> tuple[str, ...]:
    warnings: list[str] = []
    for index, (edit, place) in enumerate(zip(edits, places, strict=True)):
        if MARKER in edit.new_text:
            warnings.append(named(index, len(edits), f"newText holds {MARKER}, which is plain text there"))
        if is_anchored(edit) and (line := _repeated_line(text, edit, place)):
            warnings.append(
                named(index, len(edits), f"newText ends with the text of line {line}, which is now there twice")
            )
    return tuple(warnings)


def _repeated_line(text: Text, edit: Edit, place: Place) -> int | None:
    """Return the 1-based line below `place` if the last line of newText repeats it."""
    end = text.data.find(b"\n", place.end - 1)
    if end < 0 or text.data[place.end : end].strip():
        return None
    line = text.data.count(b"\n", 0, end) + 2
    below = text.data[end + 1 : text.line_end(line)].decode("utf-8", "surrogateescape")
    last = edit.new_text.replace("\r\n", "\n").removesuffix("\n").rpartition("\n")[2]
    return line if last.strip(WHITE) and last == below else None
