"""`gitedit log`: the recorded commits of a range, and what the audit says of each."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gitedit.audit.model import CommitReport, RecordFacts
from gitedit.commands.audit import AuditRequest, audit


class Entry(NamedTuple):
    """One recorded commit."""

    commit: str
    date: str
    """The author's, ISO 8601."""
    agents: tuple[str, ...]
    """As its records name them, each once."""
    records: tuple[str, ...]
    """Ids."""
    files: int
    """Recorded paths."""
    edits: int
    """Recorded regions."""
    strategies: Mapping[str, int]
    """Strategy -> regions."""
    status: str
    detail: str | None
    subject: str


def log(request: AuditRequest, progress: Callable[[int], None] | None = None) -> list[Entry]:
    """Return the commits with a record, newest first; raises what `audit` raises."""
    return [entry(report) for report in audit(request, progress).commits if report.records]


def entry(report: CommitReport) -> Entry:
    """Return one commit in short."""
    strategies = count_strategies(report.records)
    return Entry(
        report.commit,
        report.date,
        tuple(dict.fromkeys(record.agent for record in report.records if record.agent)),
        tuple(record.id for record in report.records),
        len({file.path for record in report.records for file in record.files}),
        sum(strategies.values()),
        strategies,
        report.status,
        report.detail,
        report.subject,
    )


def count_strategies(records: Sequence[RecordFacts]) -> dict[str, int]:
    """Return how many regions each strategy placed, by name."""
    found: dict[str, int] = {}
    for name in (edit.strategy for record in records for file in record.files for edit in file.edits):
        found[name] = found.get(name, 0) + 1
    return dict(sorted(found.items()))
