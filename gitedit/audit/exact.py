"""The exact case: the commit changes precisely what its record says, byte for byte, offset for offset.

Cheap enough for `apply` to ask of every commit before it is published: nothing is searched, every byte is read once.
"""

from collections.abc import Callable, Sequence

from gitedit.git.diffs import DiffEntry
from gitedit.record.digests import RegionDigest, change, delta, region_digest
from gitedit.record.encoding import shown_path
from gitedit.record.model import EditClaim, FileClaim, Record


def exact(record: Record, entries: Sequence[DiffEntry], read: Callable[[str], bytes]) -> str | None:
    """Return None where `record` proves the commit exactly, else what is wrong, in words.

    Args:
        record: as the reader found it, complete: its lines hash to its own `lines` and `delta`.
        entries: the whole diff from the first parent, as `diff-tree --raw` gives it.
        read: returns the blob of an object id; asked for each file's old, then its new blob, in the record's order.
    """
    return other_entries(record, entries) or other_bytes(record, read)


def other_bytes(record: Record, read: Callable[[str], bytes]) -> str | None:
    """Return how the blobs of the record's files differ from what it says of them, or None."""
    digests: list[RegionDigest] = []
    for file in record.files:
        found = region_digests(file, read(file.old_oid), read(file.new_oid))
        if isinstance(found, str):
            return f"{shown_path(file.path)}: {found}"
        digests += found
    return None if change(digests) == record.value("change") else "the regions are not those that change= hashes"


def other_entries(record: Record, entries: Sequence[DiffEntry]) -> str | None:
    """Return how the changed paths, modes and blob ids differ from the record's File lines and `delta`, or None."""
    if not record.files:
        return "the record's File and Edit lines are not here"
    recorded = {(f.old_mode, f.new_mode, f.old_oid, f.new_oid, f.path) for f in record.files}
    for entry in entries:
        if tuple(entry) not in recorded:
            return f"{shown_path(entry.path)}: the commit's change of this path is not a recorded one"
    if len(entries) != len(recorded) or delta(entries) != record.value("delta"):
        return "the commit does not change every recorded path"
    return None


def region_digests(file: FileClaim, old: bytes, new: bytes) -> list[RegionDigest] | str:
    """Return the digests of a file's regions at their recorded offsets, or how the two blobs contradict the claim."""
    before, after = memoryview(old), memoryview(new)
    digests: list[RegionDigest] = []
    old_end = new_end = 0
    for edit in file.edits:
        gap = edit.old_start - old_end
        if gap < 0 or edit.new_start - new_end != gap or not _same(old, old_end, after[new_end : edit.new_start], gap):
            return "bytes outside the recorded regions differ"
        old_end, new_end = edit.old_start + edit.old_length, edit.new_start + edit.new_length
        if old_end > len(old) or new_end > len(new):
            return "a recorded region ends behind the end of the file"
        digest = region_digest(file.path, before[edit.old_start : old_end], after[edit.new_start : new_end])
        if not holds(edit, digest):
            return f"the region at byte {edit.new_start} does not hold the recorded bytes"
        digests.append(digest)
    if not _same(old, old_end, after[new_end:], len(old) - old_end):
        return "bytes outside the recorded regions differ"
    return digests


def _same(old: bytes, start: int, piece: memoryview, length: int) -> bool:
    """Return whether `length` bytes of `old` from `start` are there, and are `piece`; compared in place by memcmp."""
    return len(piece) == length and old.startswith(piece, start)


def holds(edit: EditClaim, digest: RegionDigest) -> bool:
    """Return whether the hashes of a region are those that its Edit line gives."""
    return digest.old_sha256.startswith(edit.old_hash) and digest.new_sha256.startswith(edit.new_hash)
