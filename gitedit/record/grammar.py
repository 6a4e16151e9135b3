"""The grammar of the three lines, both ways: claims to tokens, and tokens to claims held against the record.

No regular expressions: every check is one pass over a token, whatever a hostile message holds.
"""

from collections.abc import Iterable, Sequence

from gitedit.record.digests import delta_of, record_id, sha256_hex
from gitedit.record.encoding import decode_path, encode_path
from gitedit.record.model import Assembly, EditClaim, FileClaim, Record

VERSION = "v1"
RECORD_KEY, FILE_KEY, EDIT_KEY = "Gitedit-Record:", "Gitedit-File:", "Gitedit-Edit:"

_HEX = "0123456789abcdef"
_DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_DIGEST_KEYS = ("delta", "change", "lines", "batch")
_MAX_DIGITS = 18
"""Of a number: git's largest object is below 10**18 bytes, and int() of a long string is quadratic."""


def file_tokens(index: int, claim: FileClaim) -> tuple[str, ...]:
    """Return a File line's tokens without key and id."""
    modes = f"{claim.old_mode}:{claim.new_mode}"
    return (str(index), modes, claim.old_oid, claim.new_oid, encode_path(claim.path))


def edit_tokens(index: int, number: int, claim: EditClaim) -> tuple[str, ...]:
    """Return an Edit line's tokens without key and id."""
    old_start, old_length, new_start, new_length, distance, strategy, old_hash, new_hash = claim
    place = f"{old_start}+{old_length}:{new_start}+{new_length}~{distance}"
    return (f"{index}.{number}", place, strategy, f"{old_hash}:{new_hash}")


def line_tokens(files: Sequence[FileClaim]) -> list[tuple[str, tuple[str, ...]]]:
    """Return (key, tokens without id) of every File and Edit line: each File line, then its Edit lines."""
    rows: list[tuple[str, tuple[str, ...]]] = []
    for index, claim in enumerate(files):
        rows.append((FILE_KEY, file_tokens(index, claim)))
        rows += ((EDIT_KEY, edit_tokens(index, number, edit)) for number, edit in enumerate(claim.edits))
    return rows


def lines_text(files: Sequence[FileClaim]) -> bytes:
    """Return the text that the `lines` digest hashes, and that a ref keeps when the message cannot."""
    names = {FILE_KEY: "File", EDIT_KEY: "Edit"}
    return "".join(f"{names[key]} {' '.join(tokens)}\n" for key, tokens in line_tokens(files)).encode("ascii")


def lines_digest(files: Sequence[FileClaim]) -> str:
    """Return the `lines` digest, which binds offsets, strategies and hints."""
    return sha256_hex(lines_text(files))


def is_hex(text: str, *lengths: int) -> bool:
    """Return whether `text` is lower-case hex of one of `lengths`."""
    return len(text) in lengths and not text.strip(_HEX)


def parse_number(text: str) -> int | None:
    """Return the value of `0|[1-9][0-9]*` in ASCII, or None."""
    if not 0 < len(text) <= _MAX_DIGITS or text.strip(_DIGITS) or (text[0] == "0" and text != "0"):
        return None
    return int(text)


def record_problem(tokens: Sequence[str], own_id: str | None) -> str | None:
    """Return why a Record line, its tokens without `id=`, is malformed, or None."""
    if own_id is None or record_id(tokens) != own_id:
        return "the Record line has no id=" if own_id is None else "the Record line's checksum does not match"
    pairs = [token.partition("=") for token in tokens[1:]]
    values = {key: value for key, _, value in pairs}
    if not tokens or tokens[0] != VERSION:
        return "the Record line does not begin with a version"
    if not all(_is_key(key) and _is_visible(value) for key, _, value in pairs) or len(values) < len(pairs):
        return "a token of the Record line is not key=value, or its key is there twice"
    if not all(is_hex(values.get(key, ""), 64) for key in _DIGEST_KEYS):
        return "a digest of the Record line is missing, or not 64 hex digits"
    counts = [parse_number(values.get(key, "")) for key in ("files", "edits")]
    if None in counts or "mode" not in values or values.get("lines-in", "ref") != "ref":
        return "mode=, files=, edits= or lines-in= of the Record line is missing or unknown"
    return None


def newer_version(tokens: Sequence[str]) -> str | None:
    """Return the first token if it is a version number above ours, else None."""
    first = tokens[0] if tokens else ""
    number = parse_number(first[1:]) if first[:1] == "v" else None
    return first if number is not None and number > int(VERSION[1:]) else None


def parse_file(tokens: Sequence[str]) -> tuple[int, FileClaim] | None:
    """Return index and claim (no edits yet) of a File line's five tokens after the id, or None."""
    if len(tokens) != 5:
        return None
    index, (old_mode, _, new_mode) = parse_number(tokens[0]), tokens[1].partition(":")
    old_oid, new_oid, path = tokens[2], tokens[3], decode_path(tokens[4])
    if index is None or path is None or not (_is_mode(old_mode) and _is_mode(new_mode)):
        return None
    if not is_hex(old_oid, 40, 64) or not is_hex(new_oid, len(old_oid)):
        return None
    return index, FileClaim(path, old_mode, new_mode, old_oid, new_oid, ())


def parse_edit(tokens: Sequence[str]) -> tuple[tuple[int, int], EditClaim] | None:
    """Return (file index, number in the file) and claim of an Edit line's four tokens after the id, or None."""
    if len(tokens) != 4:
        return None
    where, place, strategy, hashes = tokens
    index, _, number = where.partition(".")
    spans, _, distance = place.partition("~")
    old, _, new = spans.partition(":")
    old_start, _, old_length = old.partition("+")
    new_start, _, new_length = new.partition("+")
    old_hash, _, new_hash = hashes.partition(":")
    parsed = map(parse_number, (index, number, old_start, old_length, new_start, new_length, distance))
    numbers = [n for n in parsed if n is not None]
    if len(numbers) < 7 or not (is_hex(old_hash, 16) and is_hex(new_hash, 16)):
        return None
    if not strategy or strategy.strip(_LOWER + _DIGITS + "+-"):
        return None
    a, b, c, d, e = numbers[2:]
    return (numbers[0], numbers[1]), EditClaim(a, b, c, d, e, strategy, old_hash, new_hash)


def assemble(record: Record, rows: Iterable[tuple[str, tuple[str, ...]]]) -> Assembly:
    """Put (key, tokens without id) rows together, in any order, and hold them against `record`'s counts and digests."""
    files: dict[int, FileClaim] = {}
    edits: dict[tuple[int, int], EditClaim] = {}
    doubled = False
    for key, tokens in rows:
        if key == FILE_KEY and (file := parse_file(tokens)):
            doubled |= files.setdefault(*file) != file[1]
        elif key == EDIT_KEY and (edit := parse_edit(tokens)):
            doubled |= edits.setdefault(*edit) != edit[1]
    ordered = sorted(files.items())
    paths = tuple(claim.path for _, claim in ordered)
    due_files, due_edits = (parse_number(record.value(key) or "") or 0 for key in ("files", "edits"))
    lost = max(0, due_files - len(files)) + max(0, due_edits - len(edits))
    if doubled:
        return Assembly((), lost, "two different lines have one number", paths)
    if lost:
        return Assembly((), lost, None, paths)
    if len(files) > due_files or len(edits) > due_edits:
        return Assembly((), 0, "more File or Edit lines than the record counts", paths)
    by_file: dict[int, list[EditClaim]] = {index: [] for index in files}
    for (index, number), claim in sorted(edits.items()):
        if index not in by_file or number != len(by_file[index]):
            return Assembly((), 0, "the numbers of the Edit lines have a gap", paths)
        by_file[index].append(claim)
    claims = tuple(claim._replace(edits=tuple(by_file[index])) for index, claim in ordered)
    forged = _contradiction(record, [index for index, _ in ordered], claims)
    return Assembly(() if forged else claims, 0, forged, paths)


def parse_lines_blob(data: bytes, record: Record) -> Assembly:
    """Read the text kept in `refs/gitedit/records/<id>`; another text than `lines` hashes counts as lost."""
    lost = sum(parse_number(record.value(key) or "") or 0 for key in ("files", "edits"))
    if sha256_hex(data) != record.value("lines"):
        return Assembly((), lost, None, ())
    keys = {"File": FILE_KEY, "Edit": EDIT_KEY}
    rows = (line.split(" ") for line in data.decode("utf-8", "surrogateescape").split("\n"))
    return assemble(record, ((keys.get(row[0], ""), tuple(row[1:])) for row in rows))


def _contradiction(record: Record, indices: list[int], claims: tuple[FileClaim, ...]) -> str | None:
    if indices != list(range(len(indices))):
        return "the numbers of the File lines have a gap"
    if lines_digest(claims) != record.value("lines"):
        return "the File and Edit lines are not those that lines= hashes"
    if delta_of(claims) != record.value("delta"):
        return "the File lines are not those that delta= hashes"
    if len({claim.path for claim in claims}) < len(claims):
        return "two File lines name one path"
    if not all(_is_consistent(claim.edits) for claim in claims):
        return "the Edit lines of one file overlap or leave different gaps in old and new"
    return None


def _is_consistent(edits: tuple[EditClaim, ...]) -> bool:
    """Return whether the regions ascend and the bytes between them are as many in old as in new."""
    old_end = new_end = 0
    for edit in edits:
        gap = edit.old_start - old_end
        if gap < 0 or edit.new_start - new_end != gap:
            return False
        old_end, new_end = edit.old_start + edit.old_length, edit.new_start + edit.new_length
    return True


def _is_mode(text: str) -> bool:
    return len(text) == 6 and not text.strip("01234567")


def _is_key(text: str) -> bool:
    return bool(text) and not text.strip(_LOWER + _DIGITS + "-")


def _is_visible(text: str) -> bool:
    return bool(text) and text.isascii() and text.isprintable() and " " not in text
