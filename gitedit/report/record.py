"""One commit with its records, in words region by region, and as JSON with the names and order of the audit's."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gitedit.audit.model import CommitReport, EditFacts, RecordFacts
from gitedit.edits.hunks import Change, hunks
from gitedit.report.documents import document
from gitedit.report.escapes import shown_path, visible
from gitedit.report.numbered import numbered
from gitedit.report.table import finding_words, signature

if TYPE_CHECKING:
    from gitedit.commands.show import Shown

_TOKENS = ("mode", "tool", "agent", "session")
_MOST_LINES = 40
"""Of one region; `git show` has them all."""
_DETAILS = {
    "exact": "holds: the commit changes exactly these bytes, and nothing else",
    "moved": "holds: the recorded edits, on another base, and nothing else",
    "merge": "holds: what the merge changes in its first parent is what is recorded",
}
_NOT_PLACED = {"verified": "; another record of this commit goes over it", "modified": "; not found in this commit"}
"""Why a region has no place, by the commit's status; otherwise nobody has looked."""
_WORDS = {
    "malformed": "malformed: a record whose grammar or checksum is wrong proves nothing",
    "forged": "forged: the record contradicts itself, or the blobs that it names",
    "modified": "modified: the commit is not what its record says",
    "unverifiable": "unverifiable: the record cannot be held against the commit here",
    "incomplete": "incomplete: lines of the record are lost",
}


def words(shown: "Shown") -> str:
    """Return what `gitedit show` prints."""
    commit = shown.report
    lines = [
        f"commit {commit.commit}",
        f"Author: {visible(commit.author_name)} <{visible(commit.author_email)}>",
        f"Date:   {commit.date}",
        *([f"Signed: {signature(commit)}"] if commit.signed else []),
        "",
        f"    {visible(commit.subject)}",
        "",
    ]
    for number, record in enumerate(commit.records):
        lines += _record_words(shown, number, record)
    lines.append(verdict_words(commit, quoted=bool(shown.quotations)))
    lines += [f"  {finding_words(finding)}" for finding in commit.findings]
    return "".join(line + "\n" for line in lines)


def verdict_words(commit: CommitReport, *, quoted: bool) -> str:
    """Return the verdict as a sentence."""
    if commit.status == "verified":
        count = len(commit.records)
        return _DETAILS.get(commit.detail or "", f"holds: {count} records, squashed, and nothing else")
    if commit.status == "no-record":
        return "no record: an ordinary commit" + (" (its message only quotes one)" if quoted else "")
    return _WORDS.get(commit.status, commit.status)


def shown_document(shown: "Shown") -> str:
    """Return the JSON document of one commit: the audit's, and with each edit the lines it changed as `diff`."""
    facts = shown.report.to_json()
    for r, record in enumerate(facts["records"]):
        for f, file in enumerate(record["files"]):
            for e, edit in enumerate(file["edits"]):
                change = shown.changes.get((r, f, e))
                edit["diff"] = None if change is None else "".join(line + "\n" for line in _diff(change))
    return document({"ok": True, **facts, "quotations": list(shown.quotations)})


def _record_words(shown: "Shown", number: int, record: RecordFacts) -> Iterator[str]:
    where = "" if record.position == "trailer" else " (in the body, as after a squash)"
    yield f"record {visible(record.id) or '?'}{where}"
    said = [f"{key} {visible(value)}" for key in _TOKENS if (value := getattr(record, key)) is not None]
    if said:
        yield f"  {', '.join(said)}"
    for f, file in enumerate(record.files):
        modes = "" if file.old_mode == file.new_mode else f", mode {file.old_mode} -> {file.new_mode}"
        yield f"  {shown_path(file.path)}{modes}"
        for e, edit in enumerate(file.edits):
            yield f"    {_edit_words(edit, shown.report.status)}"
            change = shown.changes.get((number, f, e))
            yield from (f"      {visible(line)}" for line in (_diff(change) if change else ()))


def _edit_words(edit: EditFacts, status: str) -> str:
    size = f"{edit.old_length} byte{'s' * (edit.old_length != 1)} became {edit.new_length} ({visible(edit.strategy)})"
    if edit.placed is None:
        return f"recorded at byte {edit.new_start}: {size}{_NOT_PLACED.get(status, '')}"
    moved = "" if edit.placed.new == edit.new_start else f", recorded at byte {edit.new_start}"
    return f"line {edit.placed.line}, byte {edit.placed.new}{moved}: {size}"


def _diff(change: Change) -> Iterator[str]:
    # No hunk takes context from the old version here, so that is not needed.
    return numbered(hunks(b"", [change], context=0), _MOST_LINES)
