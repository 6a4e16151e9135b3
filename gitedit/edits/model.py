"""The values of the engine: what goes in (a batch of edits) and what comes out (a revision with its regions)."""

from typing import Literal, NamedTuple

Mode = Literal["strict", "anchored"]


class Edit(NamedTuple):
    """Replace `old_text`, found in exactly one place, by `new_text`."""

    old_text: str
    new_text: str
    literal: bool = False
    """Anchored mode only: `[upto]` in `old_text` is ordinary text."""


class FileEdits(NamedTuple):
    """The edits of one file, in the order given."""

    path: str
    """As given in the batch; bytes that are not UTF-8 are surrogate-escaped."""
    edits: tuple[Edit, ...]
    expect: str | None = None
    """`sha256:<hex>` of the bytes on disk, or a blob id; None: not asked for."""


class Batch(NamedTuple):
    """One all-or-nothing set of edits, as read; None where the batch does not say."""

    files: tuple[FileEdits, ...]
    mode: Mode | None = None
    message: str | None = None
    agent: str | None = None
    session: str | None = None


class Outcome(NamedTuple):
    """Where one input edit matched."""

    matched_via: str
    """exact, line-endings, line-trimmed, unicode, whitespace, escape, anchored."""
    start_line: int
    """1-based, inclusive; strict: in the text that the edit was matched against; anchored: in the original."""
    end_line: int
    """1-based, inclusive."""


class Region(NamedTuple):
    """A maximal run of replaced bytes: source[old_start:old_end] became content[new_start:new_end]."""

    old_start: int
    """Byte offset in the source."""
    old_end: int
    """Byte offset in the source, exclusive."""
    new_start: int
    """Byte offset in the result."""
    new_end: int
    """Byte offset in the result, exclusive."""
    strategy: str
    """Distinct `matched_via` of the region's edits in edit order, joined with `+`."""


class Revision(NamedTuple):
    """The result of a batch on one file."""

    content: bytes
    edits: tuple[Outcome, ...]
    """One per input edit, in input order."""
    regions: tuple[Region, ...]
    """Disjoint, ascending, at least one byte apart in source and result; none with equal old and new bytes."""
    warnings: tuple[str, ...] = ()
