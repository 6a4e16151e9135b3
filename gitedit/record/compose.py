"""From facts to a record: each changed region of each changed file becomes a claim, and the digests bind them."""

from collections.abc import Sequence

from gitedit.record.digests import RegionDigest, change, delta_of, path_order, record_id, region_digest
from gitedit.record.encoding import encode_value
from gitedit.record.grammar import VERSION, lines_digest
from gitedit.record.model import ChangedFile, EditClaim, FileClaim, Record
from gitedit.record.refusals import check_value


def make_record(
    files: Sequence[ChangedFile],
    *,
    mode: str,
    batch_digest: str,
    tool: str,
    agent: str | None = None,
    session: str | None = None,
    lines_in_ref: bool = False,
) -> Record:
    """Return the record of a commit that changes exactly `files`; its files stand in raw byte order of the path.

    Raises:
        BatchError: `bad-provenance`, where agent or session hold control characters, or nothing.
    """
    claims: list[FileClaim] = []
    digests: list[RegionDigest] = []
    for file in sorted(files, key=lambda changed: path_order(changed.path)):
        claim, hashed = _claim(file)
        claims.append(claim)
        digests += hashed
    tokens = [VERSION, f"mode={mode}", f"files={len(claims)}", f"edits={len(digests)}", f"tool={encode_value(tool)}"]
    for key, value in (("agent", agent), ("session", session)):
        if value is not None:
            tokens.append(f"{key}={encode_value(check_value(key, value))}")
    tokens += (f"delta={delta_of(claims)}", f"change={change(digests)}", f"lines={lines_digest(claims)}")
    tokens.append(f"batch={batch_digest}")
    record = Record(record_id(tokens), tuple(tokens), tuple(claims))
    return with_lines_in_ref(record) if lines_in_ref else record


def with_lines_in_ref(record: Record) -> Record:
    """Return the record of the same changes that has its File and Edit lines kept in a ref."""
    tokens = (*record.tokens, "lines-in=ref")
    return record._replace(id=record_id(tokens), tokens=tokens)


def first_difference(old: bytes, old_start: int, new: bytes, new_start: int) -> int:
    """Return how many bytes `old` from `old_start` and `new` from `new_start` begin with in common."""
    limit = min(len(old) - old_start, len(new) - new_start)
    # bytes.startswith compares by memcmp and copies nothing; `==` of memoryviews unpacks item by item.
    view = memoryview(new)[new_start:]
    same, step = 0, 64
    while step and same < limit:
        step = min(step, limit - same)
        if old.startswith(view[same : same + step], old_start + same):
            same, step = same + step, step * 2
        else:
            break
    # The difference lies in the `step` bytes from `same` on: halve.
    limit = min(limit, same + step)
    while limit - same > 1:
        half = (limit - same) // 2
        if old.startswith(view[same : same + half], old_start + same):
            same += half
        else:
            limit = same + half
    return same


def _claim(file: ChangedFile) -> tuple[FileClaim, list[RegionDigest]]:
    old, new = memoryview(file.old), memoryview(file.new)
    edits: list[EditClaim] = []
    digests: list[RegionDigest] = []
    for old_start, old_end, new_start, new_end, strategy in file.regions:
        digest = region_digest(file.path, old[old_start:old_end], new[new_start:new_end])
        distance = first_difference(file.old, old_start, file.new, new_start)
        old_hash, new_hash = digest.old_sha256[:16], digest.new_sha256[:16]
        span = (old_start, old_end - old_start, new_start, new_end - new_start)
        edits.append(EditClaim(*span, distance, strategy, old_hash, new_hash))
        digests.append(digest)
    claim = FileClaim(file.path, file.old_mode, file.new_mode, file.old_oid, file.new_oid, tuple(edits))
    return claim, digests
