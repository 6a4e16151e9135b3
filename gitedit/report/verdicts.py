"""What every form of an audit says of a commit: who, how much, how, where a finding is; and the sum of it all."""

from collections import Counter
from collections.abc import Collection, Iterable

from gitedit.audit.model import STATUSES, AuditReport, CommitReport, Finding, RecordFacts
from gitedit.report.escapes import shown_path

_SHORT = 12
_NO_BATCH = "no commit records the batch"
COUNTED = ("verified", *(status for status in STATUSES if status not in ("verified", "no-record")), "no-record")
"""The statuses in the order in which they are counted up."""


def short(oid: str) -> str:
    """Return enough of an object id to name it; always the same number of digits, or a column would not be one."""
    return oid[:_SHORT]


def agents(records: Iterable[RecordFacts]) -> list[str]:
    """Return the agents that the records name, each once, in their order."""
    return list(dict.fromkeys(record.agent for record in records if record.agent))


def paths(records: Iterable[RecordFacts]) -> list[str]:
    """Return the recorded paths, each once, in their order."""
    return list(dict.fromkeys(file.path for record in records for file in record.files))


def strategies(records: Iterable[RecordFacts]) -> dict[str, int]:
    """Return how many recorded edits matched by each strategy; their sum is the number of edits."""
    found = Counter(edit.strategy for record in records for file in record.files for edit in file.edits)
    return dict(sorted(found.items()))


def amount(records: Iterable[RecordFacts]) -> str:
    """Return `3 edits in 2 files`."""
    records = list(records)
    files, edits = len(paths(records)), sum(strategies(records).values())
    return f"{edits} edit{'s' * (edits != 1)} in {files} file{'s' * (files != 1)}"


def place(finding: Finding) -> str:
    """Return `path:line`, `path` or ""."""
    if finding.path is None:
        return ""
    return shown_path(finding.path) + (f":{finding.line}" if finding.line is not None else "")


def kind(finding: Finding) -> str:
    """Return the reason of a `modified`, else the rule."""
    return finding.reason or finding.rule


def verdict(report: CommitReport) -> str:
    """Return the status, and how it is met: `verified (moved)`."""
    return f"{report.status} ({report.detail})" if report.detail else report.status


def summary(report: AuditReport) -> str:
    """Return the whole in one line: `12 commits: 3 verified, 1 modified, 8 no-record`."""
    read = report.summary["commits"]
    said = f"{read} commit{'s' * (read != 1)}"
    if report.batch_commits is not None:
        said = batch_words(report.batch_commits)
    counts = [f"{report.summary[status]} {status}" for status in COUNTED if report.summary[status]]
    return f"{said}: {', '.join(counts)}" if counts else said


def batch_words(commits: Collection[str]) -> str:
    """Say how many commits record the batch that was asked for."""
    return f"{len(commits)} commit{'s record' if len(commits) != 1 else ' records'} the batch" if commits else _NO_BATCH


def boundary(oid: str) -> str:
    """Say that history ends at a commit because the repository is shallow."""
    return f"boundary {oid}: the history is cut off here, and what came before is not judged"
