"""The quick way to read a record: from a message that still stands as `apply` wrote it.

Whatever differs, however little, is None here, and the reader (`record.read`) decides; it takes eight times as long.
"""

import re

from gitedit.record.digests import record_id, sha256_hex
from gitedit.record.model import EditClaim, FileClaim, Record

_NUMBER = "(0|[1-9][0-9]{0,17})"
_HASH = "[0-9a-f]{64}"
_RECORD = re.compile(
    r"v1 mode=[a-z]+ files=" + _NUMBER + " edits=" + _NUMBER + r" tool=[!-~]+(?: agent=[!-~]+)?(?: session=[!-~]+)?"
    rf" delta={_HASH} change={_HASH} lines=({_HASH}) batch={_HASH} id=([0-9a-f]{{16}})"
)
_FILE = re.compile(
    _NUMBER + r" (100[0-7]{3}):(100[0-7]{3}) ([0-9a-f]{40}|[0-9a-f]{64}) ([0-9a-f]+) ([A-Za-z0-9._/+@=,~-]+)"
)
"""Of a regular file whose path needs no percent-encoding."""
_EDIT = re.compile(
    rf"{_NUMBER}\.{_NUMBER} {_NUMBER}\+{_NUMBER}:{_NUMBER}\+{_NUMBER}~{_NUMBER} ([a-z0-9+-]+)"
    r" ([0-9a-f]{16}):([0-9a-f]{16})"
)
_OTHER = re.compile(r"[A-Za-z0-9-]+: ")
"""How another trailer begins."""
_SPOILERS = ("\0", "\r", "\t", "\n#", "\n\n\n", "\n  ", "\n \n")
"""Comments, scissors and odd blanks: what they do to a trailer block is for the reader to say."""
_START = "\nGitedit-Record: v1 "
_RECORD_KEY, _FILE_KEY, _EDIT_KEY = "Gitedit-Record: ", "Gitedit-File: ", "Gitedit-Edit: "
_KEY = "gitedit-"
_BEHIND_ID = len("Gitedit-File: 0123456789abcdef ")
"""Where the text that `lines` hashes goes on, in an Edit line, too."""


def canonical(text: str) -> Record | None:
    """Return the only record of a message, if its lines stand in order in a plain trailer block; else None.

    The record's grammar, checksum and `lines` hold. Not checked, as the exact case does: `delta`, and that the gaps
    between the regions are as long in the old blob as in the new.
    """
    at = text.find(_START)
    start = text.rfind("\n\n", 0, at + 1) + 2
    body, block = text[:start], text[start:-1]
    if at < 0 or start < 3 or text[-1] != "\n" or "\n\n" in block or text[0] in "#\n " or _KEY in body.lower():
        return None
    if any(map(text.__contains__, _SPOILERS)):
        return None
    record = None
    rows: list[str] = []
    for line in block.replace("\n ", " ").split("\n"):
        if record and line.startswith((_FILE_KEY, _EDIT_KEY)):
            rows.append(line)
        elif record is None and line.startswith(_RECORD_KEY):
            record = _RECORD.fullmatch(line, len(_RECORD_KEY))
            if record is None:
                return None
        elif not _OTHER.match(line) or _KEY in line.lower():
            return None
    return _checked(record, rows) if record else None


def _checked(record: re.Match[str], rows: list[str]) -> Record | None:
    """Return the record if its lines are all there, in order, and it hashes to what it says; none without files."""
    count, edit_count, lines, own = record.groups()
    tokens = tuple(record[0].split(" ")[:-1])
    files = _files(rows, own)
    if not files or str(len(files)) != count or str(sum(len(file.edits) for file in files)) != edit_count:
        return None
    text = "".join(f"{row[8:12]} {row[_BEHIND_ID:]}\n" for row in rows)
    if record_id(tokens) != own or sha256_hex(text.encode("ascii")) != lines:
        return None
    return Record(own, tokens, tuple(files))


def _files(rows: list[str], own: str) -> list[FileClaim]:
    """Return the files of File and Edit lines in order; none where one is not as we write it."""
    files: list[FileClaim] = []
    edits: list[list[EditClaim]] = []
    for row in rows:
        if not row.startswith(own, len(_FILE_KEY)):
            return []
        file = _FILE.fullmatch(row, _BEHIND_ID)
        if file and row.startswith(_FILE_KEY):
            number, old_mode, new_mode, old_oid, new_oid, path = file.groups()
            if number != str(len(files)) or len(old_oid) != len(new_oid):
                return []
            files.append(FileClaim(path, old_mode, new_mode, old_oid, new_oid, ()))
            edits.append([])
            continue
        edit = _EDIT.fullmatch(row, _BEHIND_ID)
        if (
            not edit
            or not files
            or not row.startswith(_EDIT_KEY)
            or edit[1] != str(len(files) - 1)
            or edit[2] != str(len(edits[-1]))
        ):
            return []
        a, b, c, d, e = map(int, edit.group(3, 4, 5, 6, 7))
        edits[-1].append(EditClaim(a, b, c, d, e, edit[8], edit[9], edit[10]))
    if len({file.path for file in files}) < len(files):
        return []
    return [file._replace(edits=tuple(own_edits)) for file, own_edits in zip(files, edits, strict=True)]
