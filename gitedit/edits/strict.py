"""Strict mode: every edit is matched against the text as the edits before it left it, and in exactly one place.

Exact first, then through folded line endings, then by the tolerant strategies, from narrow to wide; the first one that
finds anything decides, and a second candidate is a refusal, never a reason to look on.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gitedit.edits import hints
from gitedit.edits.endings import Folded, adapt, fold
from gitedit.edits.model import Edit, Outcome, Revision
from gitedit.edits.refusal import LISTED, Failure, file_refusal, refusal
from gitedit.edits.regions import Change, composed, regions
from gitedit.edits.text import Text
from gitedit.edits.tolerance import (
    MAX_LINES,
    MAX_UNITS,
    MIN_UNITS,
    STRATEGIES,
    WHITE,
    Span,
    strategies,
    too_large,
    unescape,
    units,
)

GROWTH_LINES = 3
GROWTH_UNITS = 500
GROWTH_FACTOR = 4
FOLDED = "line-endings"
MARKER = "[upto]"
_SEVERAL = ("not-unique", "ambiguous")
QUOTE = "quote the text exactly as it is in the file"


class Match(NamedTuple):
    """The one place of an edit, in bytes of the current text."""

    start: int
    end: int
    via: str


def revise(source: bytes, edits: Sequence[Edit], *, exact: bool) -> Revision:
    """Apply `edits` one after the other; `exact`: without the tolerant strategies."""
    if len(edits) > 1:
        _refuse_duplicates(edits)
    text = Text(source)
    changes: list[Change] = []
    outcomes: list[Outcome] = []
    for index, edit in enumerate(edits):
        found = _locate(text, edit, exact=exact)
        if isinstance(found, Failure):
            raise refusal(index, len(edits), _explained(found, source, edits[: index + 1], changes, exact=exact))
        new = _written(text, found, edit.new_text.encode())
        outcomes.append(Outcome(found.via, text.line_at(found.start), text.line_at(found.end - 1)))
        text.splice(found.start, found.end, new)
        changes.append(Change(found.start, found.end, found.start, found.start + len(new), (index,)))
    content = bytes(text.data)
    if content == source:
        raise file_refusal(hints.NO_CHANGES)
    via = [outcome.matched_via for outcome in outcomes]
    return Revision(content, tuple(outcomes), regions(composed(changes), via, source, content))


def _refuse_duplicates(edits: Sequence[Edit]) -> None:
    seen: dict[tuple[str, str], int] = {}
    for index, edit in enumerate(edits):
        earlier = seen.setdefault((edit.old_text, edit.new_text), index)
        if earlier != index:
            failure = Failure(
                "duplicate-edit", f"the same as edit {earlier + 1}", "each edit is applied once: drop one"
            )
            raise refusal(index, len(edits), failure)


def _explained(
    failure: Failure, source: bytes, edits: Sequence[Edit], changes: Sequence[Change], *, exact: bool
) -> Failure:
    """Say so if the last of `edits` fails because of those before it."""
    if not changes:
        return failure
    cause = _cause(failure, _locate(Text(source), edits[-1], exact=exact), edits, changes)
    if not cause:
        return failure
    hint = "edits apply in order: quote the text as it is after the earlier ones, or make one edit of them"
    return failure._replace(message=f"{failure.message}; {cause}", hint=hint)


def _cause(failure: Failure, before: Match | Failure, edits: Sequence[Edit], changes: Sequence[Change]) -> str:
    """Return what earlier edits did to the text, `before`: the last edit's place without them; "": nothing."""
    if failure.code in _SEVERAL:
        return "" if isinstance(before, Failure) else "an earlier edit of this batch made it match more than once"
    if isinstance(before, Match):
        touched = [c for c in composed(changes) if c.old_start < before.end and before.start < c.old_end]
        numbers = sorted({index + 1 for change in touched for index in change.edits})
        culprits = "edit " + ", ".join(map(str, numbers[:LISTED])) if numbers else "an earlier edit"
        return f"{culprits} of this batch changed that text before"
    if before.code in _SEVERAL:
        return "edits before it in this batch changed that text wherever it was"
    old = edits[-1].old_text
    writer = next((index for index, edit in enumerate(edits[:-1]) if old and old in edit.new_text), None)
    return "" if writer is None else f"edit {writer + 1} of this batch wrote that text, and a later one changed it"


def _locate(text: Text, edit: Edit, *, exact: bool) -> Match | Failure:
    """Return the one place of `edit` in `text`, or why there is none."""
    if not edit.old_text:
        return hints.EMPTY
    if edit.old_text == edit.new_text:
        return Failure("no-op-edit", "oldText and newText are the same", "drop the edit, or say what should change")
    old = edit.old_text.encode()
    spots = text.find(old)
    if len(spots) == 1:
        return Match(spots[0], spots[0] + len(old), "exact")
    if spots:
        return hints.several(text, spots, "oldText", "not-unique")
    return _located_through_folds(text, old) or _located_tolerantly(text, edit, exact=exact)


def _located_through_folds(text: Text, old: bytes) -> Match | Failure | None:
    """Compare with CRLF folded to LF on both sides, which takes a text with newlines on both."""
    if b"\n" not in old or b"\0" in text.data:
        return None
    if b"\r" not in old and b"\r" not in text.data:  # nothing to fold: it has been searched for as it is
        return None
    spans = _folded_spans(text, fold(old))
    if len(spans) == 1:
        return Match(*spans[0], FOLDED)
    if spans:
        return hints.several(text, [span.start for span in spans], "oldText", "ambiguous", FOLDED)
    return None


def _folded_spans(text: Text, needle: bytes) -> list[Span]:
    if not text.census.crlf:
        return [Span(at, at + len(needle)) for at in text.find(needle)]
    if not text.census.lf and b"\r" not in needle:
        # A uniform CRLF file, the common case: nothing need be folded.
        needle = needle.replace(b"\n", b"\r\n")
        return [Span(at, at + len(needle)) for at in text.find(needle)]
    folded = Folded(bytes(text.data))
    spots = Text(folded.text).find(needle)
    return [Span(folded.original(at), folded.original(at + len(needle))) for at in spots]


def _located_tolerantly(text: Text, edit: Edit, *, exact: bool) -> Match | Failure:
    marker = "" if edit.literal else MARKER
    if exact:
        return hints.not_found(text, edit.old_text, ("exact", FOLDED), marker)
    if gate := _gate(text, edit.old_text):
        return gate
    for via, strategy in strategies(text, edit.old_text):
        candidates = strategy(text, edit.old_text)
        first = next(candidates, None)
        if first is None:
            continue
        if second := next((span for span in candidates if span != first), None):
            return hints.several(text, sorted((first.start, second.start)), "oldText", "ambiguous", via)
        return _judged(text, edit.old_text, first, via)
    return hints.not_found(text, edit.old_text, ("exact", FOLDED, *STRATEGIES), marker)


def _judged(text: Text, old: str, span: Span, via: str) -> Match | Failure:
    """Accept the only candidate of a strategy, or say why not."""
    candidate = bytes(text.data[span.start : span.end])
    if len(spots := text.find(candidate)) > 1:
        return hints.several(text, spots, "oldText", "ambiguous", via)
    needle = unescape(old) if via == "escape" else old
    if _disproportionate(candidate.decode("utf-8", "surrogateescape"), needle):
        lines = (text.line_at(span.start), text.line_at(span.end - 1))
        message = f"the {via} match, lines {lines[0]} to {lines[1]}, is much larger than oldText"
        return Failure("disproportionate", message, QUOTE, lines)
    between = text.data[span.end - 1 : span.end + 1] == b"\r\n"
    return Match(span.start, span.end - between, via)


def _gate(text: Text, old: str) -> Failure | None:
    """Return why no tolerant strategy may run."""
    missed = "oldText was not found exactly, and"
    if units(old.strip(WHITE)) < MIN_UNITS:
        message = f"{missed} with fewer than {MIN_UNITS} characters no tolerant match is tried"
        hint = hints.NO_FINAL_NEWLINE if hints.lacks_final_newline(text, old) else "quote more of the text around it"
        return Failure("too-short", message, hint)
    if b"\0" in text.data:
        return Failure("binary", f"{missed} in a file with NUL bytes no tolerant match is tried", QUOTE)
    if too_large(text):
        limits = f"{MAX_UNITS:,} characters or {MAX_LINES:,} lines"
        hint, lines = hints.closest(text, old)
        return Failure("too-large", f"{missed} in a file of over {limits} no tolerant match is tried", hint, lines)
    return None


def _disproportionate(candidate: str, needle: str) -> bool:
    lines = needle.count("\n") + 1
    if candidate.count("\n") + 1 >= max(lines + GROWTH_LINES, 2 * lines):
        return True
    size = units(needle.strip(WHITE))
    return lines > 1 and units(candidate.strip(WHITE)) > max(size + GROWTH_UNITS, GROWTH_FACTOR * size)


def _written(text: Text, match: Match, new: bytes) -> bytes:
    """Return the bytes that go into the place of `match`."""
    if b"\n" not in new:
        return new
    span = bytes(text.data[match.start : match.end]) if match.via == FOLDED else b""
    new = adapt(new, text.census, span)
    if new.startswith(b"\r\n") and text.data[max(match.start - 1, 0) : match.start + 1] == b"\r\n":
        return new[1:]  # the CR in front of the span stays
    return new
