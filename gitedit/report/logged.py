"""The list of recorded commits: a line each for people, and JSON or CSV for programs."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gitedit.report.escapes import visible
from gitedit.report.rows import counted, row
from gitedit.report.verdicts import short

if TYPE_CHECKING:
    from gitedit.commands.log import Entry

COLUMNS = (
    *("commit", "date", "agents", "records", "files", "edits", "strategies", "status", "detail"),
    "subject",
)


def log_lines(entries: "Sequence[Entry]") -> Iterator[str]:
    """Yield a line a commit: id, date, verdict, agent, amount, strategies, subject."""
    for entry in entries:
        files = f"{entry.edits} edit{'s' * (entry.edits != 1)} in {entry.files} file{'s' * (entry.files != 1)}"
        how = f" ({visible(', '.join(f'{name} {count}' for name, count in entry.strategies.items()))})"
        agents = visible(", ".join(entry.agents)) or "(no agent)"
        head = f"{short(entry.commit)} {entry.date[:10]} {verdict(entry):<20} {agents}"
        yield f"{head}: {files}{how if entry.strategies else ''}: {visible(entry.subject)}\n"


def log_document(entries: "Sequence[Entry]") -> Iterator[str]:
    """Yield one JSON document."""
    yield '{"ok": true, "commits": ['
    for number, entry in enumerate(entries):
        yield (", " if number else "") + json.dumps(_facts(entry))
    yield "]}\n"


def log_json_lines(entries: "Sequence[Entry]") -> Iterator[str]:
    """Yield a JSON line a commit."""
    for entry in entries:
        yield json.dumps(_facts(entry)) + "\n"


def log_rows(entries: "Sequence[Entry]") -> Iterator[str]:
    """Yield a header and a row of comma-separated values a commit."""
    yield row(COLUMNS)
    for entry in entries:
        cells = _facts(entry)
        joined = {name: "; ".join(cells[name]) for name in ("agents", "records")}
        cells |= {**joined, "strategies": counted(dict(entry.strategies))}
        yield row(cells[name] for name in COLUMNS)


def verdict(entry: "Entry") -> str:
    """Return the status, and how it is met."""
    return f"{entry.status} {entry.detail}" if entry.detail else entry.status


def _facts(entry: "Entry") -> dict[str, Any]:
    return entry._asdict() | {"strategies": dict(entry.strategies)}
