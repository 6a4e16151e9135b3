"""The values of a record: what one commit message claims about the commit's changed files and regions."""

from typing import NamedTuple


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
    """Empty where the lines are kept in a ref, or were lost."""

    def value(self, key: str) -> str | None:
        """Return the raw (percent-encoded) value of token `key`, or None."""
        prefix = key + "="
        return next((t[len(prefix) :] for t in self.tokens if t.startswith(prefix)), None)
