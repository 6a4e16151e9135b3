"""Rows of comma-separated values that no spreadsheet takes for formulas, and no terminal for commands."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from gitedit.audit.model import AuditReport, CommitReport, Finding
from gitedit.report.escapes import shown_path, visible
from gitedit.report.verdicts import agents, paths, strategies

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20", "|", "%")
"""What a cell may not begin with (OWASP, "CSV injection"); also in full width, and the signs that began DDE calls."""
AUDIT_COLUMNS = (
    *("commit", "status", "detail", "date", "author", "email", "signed", "signature", "records", "agents", "files"),
    *("edits", "strategies", "level", "rule", "reason", "path", "line", "message", "subject"),
)


def audit_rows(report: AuditReport) -> Iterator[str]:
    """Yield a header and one row a finding; a commit without findings has one row in which those columns are empty."""
    yield row(AUDIT_COLUMNS)
    for commit in report.commits:
        for finding in commit.findings or (None,):
            yield row(_audit_cells(commit, finding))


def row(cells: Iterable[str | int | float | None]) -> str:
    """Return one row with its newline; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow([_cell(cell) for cell in cells])
    return out.getvalue()


def counted(counts: dict[str, int]) -> str:
    """Return `exact 3; line-trimmed 1`."""
    return "; ".join(f"{name} {count}" for name, count in counts.items())


def _cell(value: str | float | None) -> str:
    if not isinstance(value, str):
        return "" if value is None else str(value)
    text = visible(value)
    # A blank in front does not stop every program from looking for the sign.
    return "'" + text if text.lstrip().startswith(_FORMULA) else text


def _audit_cells(commit: CommitReport, finding: Finding | None) -> Sequence[str | int | None]:
    records = commit.records
    cells = [
        commit.commit,
        commit.status,
        commit.detail,
        commit.date,
        commit.author_name,
        commit.author_email,
        "yes" if commit.signed else "no",
        commit.signature,
        "; ".join(record.id for record in records),
        "; ".join(agents(records)),
        len(paths(records)),
        sum(strategies(records).values()),
        counted(strategies(records)),
    ]
    if finding is None:
        return [*cells, *[None] * 6, commit.subject]
    path = None if finding.path is None else shown_path(finding.path)
    said = [finding.level, finding.rule, finding.reason, path, finding.line, finding.message]
    return [*cells, *said, commit.subject]
