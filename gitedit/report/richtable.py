"""An audit for a person at a terminal: a table in colour, findings under the subject, the sum below. Imports rich."""

import io
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitedit.audit.model import ERROR, AuditReport, CommitReport
from gitedit.report import counted
from gitedit.report.escapes import visible
from gitedit.report.logged import log_lines
from gitedit.report.table import audit_lines, finding_words, signature
from gitedit.report.verdicts import agents, boundary, short, strategies, summary

if TYPE_CHECKING:
    from gitedit.commands.log import Entry
    from gitedit.commands.stats import Stats

_CHUNK = 200
"""Commits a table: rich measures every row of one before it prints the first."""
_MOST_ROWS = 1000
"""Commits; rich takes a millisecond a row, and beyond this nobody looks at columns."""
_AGENT = 24
STYLES = {
    "verified": "green",
    "no-record": "dim",
    "incomplete": "yellow",
    "error": "red",
    "warning": "yellow",
    "note": "cyan",
}
"""Of statuses and levels; all other statuses are errors."""


def audit_table(report: AuditReport, width: int, *, colour: bool) -> Iterator[str]:
    """Yield the text in pieces, no line wider than `width` columns; a very long list is plain, as for a pipe."""
    if len(report.commits) > _MOST_ROWS:
        yield from audit_lines(report)
        return
    commits = iter(report.commits)
    while chunk := list(islice(commits, _CHUNK)):
        yield rendered(_table(chunk), width, colour=colour)
    for oid in report.boundary:
        yield rendered(Text(boundary(oid), "yellow"), width, colour=colour)
    yield rendered(_summary(report), width, colour=colour)


def log_table(entries: "Sequence[Entry]", width: int, *, colour: bool) -> Iterator[str]:
    """Yield the list of recorded commits in pieces; a very long one is plain, as for a pipe."""
    if len(entries) > _MOST_ROWS:
        yield from log_lines(entries)
        return
    for start in range(0, len(entries), _CHUNK):
        table = new_table()
        for name in ("commit", "date", "verdict"):
            table.add_column(name, no_wrap=True)
        table.add_column("agent", no_wrap=True, max_width=_AGENT, overflow="ellipsis")
        table.add_column("files", justify="right", no_wrap=True)
        table.add_column("edits", max_width=24)
        table.add_column("subject", ratio=1, overflow="fold")
        for entry in entries[start : start + _CHUNK]:
            table.add_row(
                Text(short(entry.commit), "yellow"),
                entry.date[:10],
                _verdict(entry.status, entry.detail),
                Text(visible(", ".join(entry.agents))),
                str(entry.files),
                Text(visible(", ".join(f"{name} {count}" for name, count in entry.strategies.items()))),
                Text(visible(entry.subject)),
            )
        yield rendered(table, width, colour=colour)


def stats_tables(stats: "Stats", width: int, *, colour: bool) -> Iterator[str]:
    """Yield the numbers as three tables."""
    yield rendered(Text(counted.headline(stats), "bold"), width, colour=colour)
    for name, rows in counted.filled(stats):
        table = new_table()
        table.add_column(name, ratio=1, overflow="fold")
        for title in counted.TITLES:
            table.add_column(title, justify="right", no_wrap=True)
        table.add_column("strategies", max_width=24)
        table.add_column("verdicts", max_width=24)
        for cells in map(counted.cells_of(name), counted.shown(rows)):
            table.add_row(*map(Text, cells))
        yield rendered(table, width, colour=colour)
        for text in counted.more(rows):
            yield rendered(Text(text), width, colour=colour)


def rendered(what: Table | Text, width: int, *, colour: bool) -> str:
    """Return what rich makes of a table or a line."""
    out = io.StringIO()
    # Everything is said here, or rich asks the environment (NO_COLOR, TERM, COLUMNS) behind our back.
    console = Console(
        file=out,
        width=width,
        height=25,
        force_terminal=True,
        color_system="standard" if colour else None,
        no_color=not colour,
        legacy_windows=False,
    )
    console.print(what, highlight=False)
    return out.getvalue()


def new_table() -> Table:
    """Return an empty table that fills the terminal."""
    return Table(box=box.SIMPLE_HEAD, expand=True, pad_edge=False, padding=(0, 1, 0, 0))


def _table(commits: Sequence[CommitReport]) -> Table:
    table = new_table()
    table.add_column("verdict", no_wrap=True)
    table.add_column("commit", no_wrap=True)
    table.add_column("agent", no_wrap=True, max_width=_AGENT, overflow="ellipsis")
    table.add_column("edits", justify="right", no_wrap=True)
    table.add_column("subject", ratio=1, overflow="fold")
    for commit in commits:
        table.add_row(*_row(commit))
    return table


def _row(commit: CommitReport) -> tuple[Text, ...]:
    lines = [Text(visible(commit.subject) or "(no subject)")]
    if commit.signed:
        lines[0].append(f"  {signature(commit)}", "dim")
    lines += [Text(finding_words(finding), STYLES[finding.level]) for finding in commit.findings]
    edits = sum(strategies(commit.records).values())
    return (
        _verdict(commit.status, commit.detail),
        Text(short(commit.commit), "yellow"),
        Text(visible(", ".join(agents(commit.records)))),
        Text(str(edits) if commit.records else ""),
        Text("\n").join(lines),
    )


def _verdict(status: str, detail: str | None) -> Text:
    text = Text(status, STYLES.get(status, "bold red"))
    return text.append(f" {detail}", "dim") if detail else text


def _summary(report: AuditReport) -> Text:
    # Only these are counted and no fault; a bad signature is no status.
    sound = report.summary["verified"] + report.summary["no-record"] == report.summary["commits"]
    sound = sound and all(commit.worst() != ERROR for commit in report.commits)
    return Text(summary(report), "bold green" if sound and not report.boundary else "bold red")
