"""The values of a record: what one commit message claims about the commit's changed files and regions."""

from typing import Literal, NamedTuple

from gitedit.edits.model import Region


class ChangedFile(NamedTuple):
    """The facts of one changed file, from which a record is made."""

    path: str
    """Relative to the top; bytes that are not UTF-8 are surrogate-escaped."""
    old_mode: str
    """Six octal digits, as `100644`."""
    new_mode: str
    old_oid: str
    """Full blob id."""
    new_oid: str
    old: bytes
    """The old blob's bytes."""
    new: bytes
    """The new blob's bytes."""
    regions: tuple[Region, ...]
    """Ascending, disjoint; offsets into `old` and `new`."""


class EditClaim(NamedTuple):
    """One `Gitedit-Edit` line: a changed region of one file."""

    old_start: int
    """Byte offset in the old blob."""
    old_length: int
    """Bytes."""
    new_start: int
    """Byte offset in the new blob."""
    new_length: int
    """Bytes."""
    first_difference: int
    """`~d`: bytes from the region's start to the first byte at which the two blobs, from there on, differ."""
    strategy: str
    old_hash: str
    """First 16 hex digits of the sha256 of the old bytes."""
    new_hash: str
    """First 16 hex digits of the sha256 of the new bytes."""


class FileClaim(NamedTuple):
    """One `Gitedit-File` line with its Edit lines, in offset order."""

    path: str
    """Relative to the top; bytes that are not UTF-8 are surrogate-escaped (decoded from the percent-encoding)."""
    old_mode: str
    """Six octal digits, as `100644`."""
    new_mode: str
    old_oid: str
    """Full blob id."""
    new_oid: str
    edits: tuple[EditClaim, ...]


class Record(NamedTuple):
    """A whole record. `tokens` keeps the Record line's tokens as written, unknown ones included, without `id=`."""

    id: str
    """First 16 hex digits of the sha256 of the Record value without ` id=...`."""
    tokens: tuple[str, ...]
    """`v1`, `mode=strict`, ... in order, still percent-encoded."""
    files: tuple[FileClaim, ...]
    """In raw byte order of the path. Empty where the lines are kept in a ref, or were lost."""

    def value(self, key: str) -> str | None:
        """Return the raw (percent-encoded) value of token `key`, or None."""
        # A loop: an audit asks this twenty times a commit, and a generator costs three times as much.
        prefix = key + "="
        for token in self.tokens:
            if token.startswith(prefix):
                return token[len(prefix) :]
        return None

    @property
    def lines_in_ref(self) -> bool:
        """Whether the File and Edit lines are kept at `refs/gitedit/records/<id>`."""
        return self.value("lines-in") == "ref"


class Assembly(NamedTuple):
    """File and Edit lines put together and held against the record that counts and hashes them."""

    files: tuple[FileClaim, ...]
    """Complete and equal to the record's `lines` and `delta`, or empty."""
    lost: int
    """Number of lines that the record counts and that are not there, or do not parse."""
    forged: str | None
    """How the record contradicts its own lines, or None."""
    paths: tuple[str, ...]
    """The path of every File line found, also where others are lost."""


class FoundRecord(NamedTuple):
    """One record as it stands in a message. Without a problem: malformed, unsupported, forged None and lost 0."""

    record: Record
    """Where malformed: at most 64 tokens as found, and the id it gives itself (or "")."""
    position: Literal["trailer", "body"]
    line: int
    """1-based line of the message at which the Record line stands."""
    malformed: str | None = None
    """Why grammar or checksum fail; only ever in the trailer block (elsewhere such text is prose)."""
    unsupported: str | None = None
    """The version, as `v2`, where it is newer than ours: nothing else is judged."""
    lost: int = 0
    """Number of File and Edit lines that the record counts and the message lacks; 0 where they are kept in a ref."""
    forged: str | None = None
    """How the record contradicts its own lines."""
    paths: tuple[str, ...] = ()
    """The path of every File line found, also where others are lost."""


class Reading(NamedTuple):
    """All that one message says with our keys."""

    records: tuple[FoundRecord, ...]
    """In message order, each distinct Record value once; `trailer` wins over `body`."""
    quotations: tuple[int, ...]
    """1-based lines of Record keys in closed fences or behind `| ` or `> `."""
    strays: tuple[int, ...]
    """1-based lines of File and Edit keys in the trailer block that do not parse, or whose Record is not there."""
    nul: bool
    """The message holds a NUL: git and its readers see only what stands before it."""
