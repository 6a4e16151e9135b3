"""The facts of an audit: what each commit claims, what was found, and the verdict. Immutable, and ready for JSON."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple, overload

ERROR, WARNING, NOTE = "error", "warning", "note"
LEVELS = (NOTE, WARNING, ERROR)
"""Weakest first."""
STATUSES = ("malformed", "forged", "modified", "unverifiable", "incomplete", "missing", "verified", "no-record")
"""The worst first: what a commit's status is taken from."""
NOTES = ("duplicate", "reverts", "quotation", "renamed", "agent-mismatch", "place-not-unique")
"""What is said beside a status and is no fault."""
SIGNATURE = "signature"
"""What is said beside a status of a signature that is not good, where git was asked."""
REASONS = (
    "extra-path",
    "missing-path",
    "missing-region",
    "mode",
    "outside-region",
    "inside-region",
    "line-endings",
)
"""Why a commit is `modified`."""


class Finding(NamedTuple):
    """One thing to say about a commit."""

    rule: str
    """A status that is not a pass, a note, or SIGNATURE."""
    level: str
    message: str
    reason: str | None = None
    """Of `modified`: one of REASONS."""
    path: str | None = None
    """Relative to the top; bytes that are not UTF-8 are surrogate-escaped."""
    line: int | None = None
    """1-based, in the commit's version of the file."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding in the form of `audit --format json`."""
        return {
            "rule": self.rule,
            "reason": self.reason,
            "level": self.level,
            "path": self.path,
            "line": self.line,
            "message": self.message,
        }


class Placed(NamedTuple):
    """Where a recorded region lies in the commit at hand."""

    old: int
    """Byte offset in the parent's blob."""
    new: int
    """Byte offset in the commit's blob."""
    line: int
    """1-based line of `new`."""


class EditFacts(NamedTuple):
    """One recorded region."""

    strategy: str
    old_start: int
    """Byte offset in the blob that the record names, as the next three."""
    old_length: int
    new_start: int
    new_length: int
    placed: Placed | None
    """None where the region was not found, or is overlaid by another record's."""


class FileFacts(NamedTuple):
    """One recorded file."""

    path: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str
    edits: tuple[EditFacts, ...]


class RecordFacts(NamedTuple):
    """One record that a commit claims."""

    id: str
    position: str
    """`trailer` or `body`."""
    mode: str | None
    """As the following, decoded; None where the record does not say."""
    tool: str | None
    agent: str | None
    session: str | None
    batch: str | None
    """64 hex digits."""
    files: tuple[FileFacts, ...]


class StoredRecords(Sequence[RecordFacts]):
    """Records as the JSON that the report prints, taken apart when somebody looks: most audits only hand it on."""

    __slots__ = ("_count", "_records", "text")

    def __init__(self, text: str, count: int) -> None:
        self.text = text
        """A JSON array, in ASCII."""
        self._count = count
        self._records: tuple[RecordFacts, ...] | None = None

    def __len__(self) -> int:
        """Return the number of records, without taking them apart."""
        return self._count

    @overload
    def __getitem__(self, at: int) -> RecordFacts: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[RecordFacts, ...]: ...
    def __getitem__(self, at: int | slice) -> RecordFacts | tuple[RecordFacts, ...]:
        """Return one record, or several."""
        return self._decoded()[at]

    def __iter__(self) -> Iterator[RecordFacts]:
        """Iterate over the records."""
        return iter(self._decoded())

    def __eq__(self, other: object) -> bool:
        """Compare with any sequence of records."""
        return isinstance(other, Sequence) and self._decoded() == tuple(other)

    def __hash__(self) -> int:
        """As of the tuple of records."""
        return hash(self._decoded())

    def __repr__(self) -> str:
        """As of the tuple of records."""
        return repr(self._decoded())

    def _decoded(self) -> tuple[RecordFacts, ...]:
        if self._records is None:
            self._records = tuple(_record_from_json(record) for record in json.loads(self.text))
        return self._records


class CommitReport(NamedTuple):
    """One commit, judged."""

    commit: str
    parents: tuple[str, ...]
    status: str
    """One of STATUSES."""
    detail: str | None
    """Of `verified`: exact, moved, squash(n) or merge."""
    subject: str
    author_name: str
    author_email: str
    date: str
    """The author's, ISO 8601."""
    signed: bool
    signature: str | None
    """git's `%G?`, where it was asked for."""
    records: Sequence[RecordFacts]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the commit in the form of `audit --format json`."""
        facts: dict[str, Any] = json.loads(self.json_text())
        return facts

    def json_text(self) -> str:
        """Return the commit in the form of `audit --format json`, on one line of ASCII; faster than `to_json`."""
        records = self.records.text if isinstance(self.records, StoredRecords) else records_text(self.records)
        findings = json.dumps([finding.to_json() for finding in self.findings]) if self.findings else "[]"
        parents = ", ".join(map(quoted, self.parents))
        return (
            f'{{"commit": "{self.commit}", "parents": [{parents}], "status": "{self.status}", '
            f'"detail": {_or_null(self.detail)}, "subject": {quoted(self.subject)}, '
            f'"author": {{"name": {quoted(self.author_name)}, "email": {quoted(self.author_email)}}}, '
            f'"date": "{self.date}", "signed": {"true" if self.signed else "false"}, '
            f'"signature": {_or_null(self.signature)}, "records": {records}, "findings": {findings}}}'
        )

    def worst(self) -> str | None:
        """Return the highest level among the findings."""
        return max((finding.level for finding in self.findings), key=LEVELS.index, default=None)


class AuditReport(NamedTuple):
    """All that one audit found."""

    commits: tuple[CommitReport, ...]
    """Newest first; those with a record, a finding or a due record, or all."""
    summary: Mapping[str, int]
    """Commits by status, and `commits`: how many were read."""
    boundary: tuple[str, ...]
    """Commits of a shallow repository whose parents are not here."""
    batch_commits: tuple[str, ...] | None = None
    """With `--batch`: the commits that record it, which are then all that is listed."""

    def to_json(self) -> dict[str, Any]:
        """Return the whole in the form of `audit --format json`."""
        facts: dict[str, Any] = json.loads("".join(self.json_pieces()))
        return facts

    def json_pieces(self) -> Iterator[str]:
        """Yield the whole in the form of `audit --format json`, in ASCII, a commit at a time; faster than `to_json`."""
        yield '{"ok": true, "commits": ['
        for number, commit in enumerate(self.commits):
            yield f"{',' if number else ''}\n{commit.json_text()}"
        yield f'], "summary": {json.dumps(dict(self.summary))}, "boundary": {json.dumps(self.boundary)}}}\n'


def summarise(statuses: Iterable[str], read: int) -> dict[str, int]:
    """Count the statuses of the listed commits; commits that are read and not listed have no record."""
    counts = dict.fromkeys(STATUSES, 0)
    listed = 0
    for status in statuses:
        counts[status] += 1
        listed += 1
    counts["no-record"] += read - listed
    counts["commits"] = read
    return counts


def records_text(records: Iterable[RecordFacts]) -> str:
    """Return records as a JSON array in ASCII."""
    return f"[{', '.join(map(_record_text, records))}]"


def _record_text(record: RecordFacts) -> str:
    # By hand: through dictionaries it takes four times as long, and an audit does it for every recorded commit.
    own, position, mode, tool, agent, session, batch = map(_or_null, record[:-1])
    files = ", ".join(map(_file_text, record.files))
    return (
        f'{{"id": {own}, "position": {position}, "mode": {mode}, "tool": {tool}, "agent": {agent}, '
        f'"session": {session}, "batch": {batch}, "files": [{files}]}}'
    )


def _or_null(text: str | None) -> str:
    return "null" if text is None else quoted(text)


def _file_text(file: FileFacts) -> str:
    edits = ", ".join(map(_edit_text, file.edits))
    return (
        f'{{"path": {quoted(file.path)}, "oldMode": "{file.old_mode}", "newMode": "{file.new_mode}", '
        f'"oldBlob": "{file.old_blob}", "newBlob": "{file.new_blob}", "edits": [{edits}]}}'
    )


def _edit_text(edit: EditFacts) -> str:
    strategy, old_start, old_length, new_start, new_length, placed = edit
    where = f'{{"old": {placed.old}, "new": {placed.new}, "line": {placed.line}}}' if placed else "null"
    return (
        f'{{"strategy": "{strategy}", "old": {{"start": {old_start}, "length": {old_length}}}, '
        f'"new": {{"start": {new_start}, "length": {new_length}}}, "placed": {where}}}'
    )


def _record_from_json(facts: Mapping[str, Any]) -> RecordFacts:
    return RecordFacts(
        facts["id"],
        facts["position"],
        facts["mode"],
        facts["tool"],
        facts["agent"],
        facts["session"],
        facts["batch"],
        tuple(_file_from_json(file) for file in facts["files"]),
    )


def _file_from_json(facts: Mapping[str, Any]) -> FileFacts:
    edits = tuple(
        EditFacts(
            edit["strategy"],
            edit["old"]["start"],
            edit["old"]["length"],
            edit["new"]["start"],
            edit["new"]["length"],
            Placed(**edit["placed"]) if edit["placed"] else None,
        )
        for edit in facts["edits"]
    )
    return FileFacts(facts["path"], facts["oldMode"], facts["newMode"], facts["oldBlob"], facts["newBlob"], edits)
