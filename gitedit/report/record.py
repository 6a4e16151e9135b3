"""A commit's records, in words and as JSON; names and order are those of the audit's JSON."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gitedit.record.encoding import decode_value
from gitedit.record.model import EditClaim, FileClaim
from gitedit.report.documents import document
from gitedit.report.escapes import shown_path, visible

if TYPE_CHECKING:
    from gitedit.commands.show import Shown, ShownRecord

_TOKENS = ("mode", "tool", "agent", "session")
_WORDS = {
    "verified": "holds: the commit changes exactly these bytes, and nothing else",
    "not-exact": "not the exact case",
    "forged": "forged: the record contradicts itself",
    "malformed": "malformed",
    "incomplete": "incomplete",
    "unverifiable": "cannot be verified here",
}


def words(shown: "Shown") -> str:
    """Return what `gitedit show` prints."""
    commit = shown.commit
    lines = [
        f"commit {commit.oid}",
        f"Author: {visible(commit.author_name)} <{visible(commit.author_email)}>",
        f"Date:   {commit.date}",
        "",
        f"    {visible(commit.subject)}",
        "",
    ]
    for record in shown.records:
        lines += _record_words(record)
    if not shown.records:
        quoted = " (its message only quotes one)" if shown.quotations else ""
        lines.append(f"no record: an ordinary commit{quoted}")
    return "".join(line + "\n" for line in lines)


def shown_document(shown: "Shown") -> str:
    """Return the JSON document of one commit."""
    commit = shown.commit
    return document(
        {
            "ok": True,
            "commit": commit.oid,
            "parents": list(commit.parents),
            "subject": commit.subject,
            "author": {"name": commit.author_name, "email": commit.author_email},
            "date": commit.date,
            "signed": commit.signed,
            "records": [_record_facts(record) for record in shown.records],
        }
    )


def _record_words(shown: "ShownRecord") -> Iterator[str]:
    record = shown.found.record
    where = "" if shown.found.position == "trailer" else " (in the body, as after a squash)"
    yield f"record {visible(record.id) or '?'}{where}"
    said = [f"{key} {visible(value)}" for key, value in _claims(shown).items() if value is not None]
    if said:
        yield f"  {', '.join(said)}"
    for index, file in enumerate(record.files):
        modes = "" if file.old_mode == file.new_mode else f", mode {file.old_mode} -> {file.new_mode}"
        yield f"  {shown_path(file.path)}{modes}"
        places = shown.places[index] if shown.places else (None,) * len(file.edits)
        for edit, line in zip(file.edits, places, strict=True):
            yield f"    {_edit_words(edit, line)}"
    detail = f": {visible(shown.detail)}" if shown.detail else ""
    yield f"  {_WORDS[shown.status]}{detail}"


def _edit_words(edit: EditClaim, line: int | None) -> str:
    where = f"line {line}, byte {edit.new_start}" if line is not None else f"byte {edit.new_start}"
    return f"{where}: {_bytes(edit.old_length)} became {edit.new_length} ({visible(edit.strategy)})"


def _bytes(count: int) -> str:
    return f"{count} byte{'s' * (count != 1)}"


def _claims(shown: "ShownRecord") -> dict[str, str | None]:
    values = {key: shown.found.record.value(key) for key in _TOKENS}
    return {key: None if value is None else decode_value(value) for key, value in values.items()}


def _record_facts(shown: "ShownRecord") -> dict[str, Any]:
    record = shown.found.record
    return {
        "id": record.id,
        "position": shown.found.position,
        **_claims(shown),
        "batch": record.value("batch"),
        "files": [_file_facts(file) for file in record.files],
        "status": shown.status,
        "detail": shown.detail,
    }


def _file_facts(file: FileClaim) -> dict[str, Any]:
    return {
        "path": file.path,
        "oldMode": file.old_mode,
        "newMode": file.new_mode,
        "oldBlob": file.old_oid,
        "newBlob": file.new_oid,
        "edits": [
            {
                "strategy": edit.strategy,
                "old": {"start": edit.old_start, "length": edit.old_length},
                "new": {"start": edit.new_start, "length": edit.new_length},
            }
            for edit in file.edits
        ],
    }
