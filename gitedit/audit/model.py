"""The facts of an audit: what each commit claims, what was found, and the verdict. Immutable, and ready for JSON."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

ERROR, WARNING, NOTE = "error", "warning", "note"
LEVELS = (NOTE, WARNING, ERROR)
"""Weakest first."""
STATUSES = ("malformed", "forged", "modified", "unverifiable", "incomplete", "missing", "verified", "no-record")
"""The worst first: what a commit's status is taken from."""
NOTES = ("duplicate", "reverts", "quotation", "renamed", "agent-mismatch", "place-not-unique")
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
    """A status that is not a pass, or a note."""
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
    records: tuple[RecordFacts, ...]
    findings: tuple[Finding, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the commit in the form of `audit --format json`."""
        return {
            "commit": self.commit,
            "parents": list(self.parents),
            "status": self.status,
            "detail": self.detail,
            "subject": self.subject,
            "author": {"name": self.author_name, "email": self.author_email},
            "date": self.date,
            "signed": self.signed,
            "signature": self.signature,
            "records": [_record_to_json(record) for record in self.records],
            "findings": [finding.to_json() for finding in self.findings],
        }

    def json_text(self) -> str:
        """Return `to_json` as one line of ASCII."""
        return json.dumps(self.to_json())

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
        return {
            "ok": True,
            "commits": [commit.to_json() for commit in self.commits],
            "summary": dict(self.summary),
            "boundary": list(self.boundary),
        }


def report_from_json(facts: Mapping[str, Any]) -> CommitReport:
    """Return the report that `to_json` made these facts from; raises KeyError, TypeError or ValueError on others."""
    return CommitReport(
        commit=facts["commit"],
        parents=tuple(facts["parents"]),
        status=facts["status"],
        detail=facts["detail"],
        subject=facts["subject"],
        author_name=facts["author"]["name"],
        author_email=facts["author"]["email"],
        date=facts["date"],
        signed=facts["signed"],
        signature=facts["signature"],
        records=tuple(_record_from_json(record) for record in facts["records"]),
        findings=tuple(Finding(**finding) for finding in facts["findings"]),
    )


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


def _record_to_json(record: RecordFacts) -> dict[str, Any]:
    return {
        "id": record.id,
        "position": record.position,
        "mode": record.mode,
        "tool": record.tool,
        "agent": record.agent,
        "session": record.session,
        "batch": record.batch,
        "files": [
            {
                "path": file.path,
                "oldMode": file.old_mode,
                "newMode": file.new_mode,
                "oldBlob": file.old_blob,
                "newBlob": file.new_blob,
                "edits": [
                    {
                        "strategy": edit.strategy,
                        "old": {"start": edit.old_start, "length": edit.old_length},
                        "new": {"start": edit.new_start, "length": edit.new_length},
                        "placed": edit.placed and edit.placed._asdict(),
                    }
                    for edit in file.edits
                ],
            }
            for file in record.files
        ],
    }


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
