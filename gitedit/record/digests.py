"""The hashes of a record: what binds it to a commit's tree (delta), its bytes (change), its own lines and its batch.

All are sha256 in lower-case hex, over texts in which a path is percent-encoded.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitedit.edits.model import FileEdits
from gitedit.errors import BatchError
from gitedit.record.encoding import encode_path
from gitedit.record.model import FileClaim


class RegionDigest(NamedTuple):
    """What `change` says of one region: nothing that depends on where the region lies."""

    path: str
    """Surrogate-escaped."""
    old_length: int
    """Bytes."""
    old_sha256: str
    """64 hex digits."""
    new_length: int
    """Bytes."""
    new_sha256: str
    """64 hex digits."""


def sha256_hex(data: bytes | memoryview) -> str:
    """Return the 64 hex digits of `data`'s sha256."""
    return hashlib.sha256(data).hexdigest()


def path_order(path: str) -> bytes:
    """Return the key that sorts paths in raw byte order (surrogate-escaped text sorts otherwise)."""
    return path.encode("utf-8", "surrogateescape")


def delta(entries: Iterable[tuple[str, str, str, str, str]]) -> str:
    """Hash a whole tree diff; `entries` are (old mode, new mode, old id, new id, path), in any order."""
    ordered = sorted(entries, key=lambda entry: path_order(entry[4]))
    text = "".join(f"{om} {nm} {oo} {no} {encode_path(path)}\n" for om, nm, oo, no, path in ordered)
    return sha256_hex(text.encode("ascii"))


def delta_of(files: Iterable[FileClaim]) -> str:
    """Hash the tree diff that a record's own File lines describe."""
    return delta((f.old_mode, f.new_mode, f.old_oid, f.new_oid, f.path) for f in files)


def region_digest(path: str, old: bytes | memoryview, new: bytes | memoryview) -> RegionDigest:
    """Hash one region's old and new bytes."""
    return RegionDigest(path, len(old), sha256_hex(old), len(new), sha256_hex(new))


def change(regions: Iterable[RegionDigest]) -> str:
    """Hash regions, by file in the record's order, then by old offset: the same on any base."""
    whole = hashlib.sha256()
    for path, old_length, old, new_length, new in regions:
        whole.update(f"{encode_path(path)}\0{old_length}\0{old}\0{new_length}\0{new}\n".encode("ascii"))
    return whole.hexdigest()


def record_id(tokens: Sequence[str]) -> str:
    """Return a record's checksum: over the Record value, unfolded, without ` id=...`."""
    return sha256_hex(" ".join(tokens).encode("utf-8", "surrogateescape"))[:16]


def batch_digest(files: Sequence[FileEdits], mode: str, *, exact: bool) -> str:
    """Hash a batch as RFC 8785 JSON; paths relative to the top and percent-encoded, files and edits in the order given.

    A lone surrogate has no RFC 8785 form: in a path the percent-encoding takes it away, in a text it is refused.
    """
    value = {
        "exact": exact,
        "files": [{"edits": [_edit_object(*edit) for edit in f.edits], "path": encode_path(f.path)} for f in files],
        "mode": mode,
    }
    # For strings, booleans, lists and objects with ASCII names this is RFC 8785: the same seven short escapes,
    # lower-case \u00xx for the other controls, all else raw; code point and UTF-16 order agree on ASCII names.
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    try:
        return sha256_hex(text.encode("utf-8"))
    except UnicodeEncodeError:
        raise BatchError("invalid-edit", "An edit's text holds a lone surrogate, which is no Unicode text.") from None


def _edit_object(old_text: str, new_text: str, literal: bool) -> dict[str, str | bool]:  # noqa: FBT001
    pair: dict[str, str | bool] = {"newText": new_text, "oldText": old_text}
    return pair | {"literal": True} if literal else pair
