"""An audit for a person at a terminal: a table in colour, findings under the subject, the sum below. Imports rich."""

import io
from collections.abc import Iterator, Sequence
from itertools import islice

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gitedit.audit.model import AuditReport, CommitReport
from gitedit.report.escapes import visible
from gitedit.report.table import finding_words, signature
from gitedit.report.verdicts import agents, boundary, short, strategies, summary

_CHUNK = 200
"""Commits a table: rich measures every row of one before it prints the first."""
_AGENT = 28
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
    """Yield the text in pieces, no line wider than `width` columns."""
    commits = iter(report.commits)
    first = True
    while chunk := list(islice(commits, _CHUNK)):
        yield rendered(_table(chunk, header=first), width, colour=colour)
        first = False
    for oid in report.boundary:
        yield rendered(Text(boundary(oid), "yellow"), width, colour=colour)
    yield rendered(_summary(report), width, colour=colour)


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


def new_table(*, header: bool = True) -> Table:
    """Return an empty table that fills the terminal."""
    return Table(box=box.SIMPLE_HEAD, show_header=header, expand=True, pad_edge=False, padding=(0, 1))


def _table(commits: Sequence[CommitReport], *, header: bool) -> Table:
    table = new_table(header=header)
    table.add_column("verdict", width=21, no_wrap=True)
    table.add_column("commit", width=12, no_wrap=True)
    table.add_column("agent", width=_AGENT, no_wrap=True, overflow="ellipsis")
    table.add_column("edits", width=5, justify="right", no_wrap=True)
    table.add_column("subject", ratio=1, overflow="fold")
    for commit in commits:
        table.add_row(*_row(commit))
    return table


def _row(commit: CommitReport) -> tuple[Text, ...]:
    verdict = Text(commit.status, STYLES.get(commit.status, "bold red"))
    verdict.append(f" {commit.detail}" if commit.detail else "", "dim")
    lines = [Text(visible(commit.subject) or "(no subject)")]
    if commit.signed:
        lines[0].append(f"  {signature(commit)}", "dim")
    lines += [Text(finding_words(finding), STYLES[finding.level]) for finding in commit.findings]
    edits = sum(strategies(commit.records).values())
    return (
        verdict,
        Text(short(commit.commit), "yellow"),
        Text(visible(", ".join(agents(commit.records)))),
        Text(str(edits) if commit.records else ""),
        Text("\n").join(lines),
    )


def _summary(report: AuditReport) -> Text:
    # Only these are counted and no fault.
    sound = report.summary["verified"] + report.summary["no-record"] == report.summary["commits"]
    return Text(summary(report), "bold green" if sound and not report.boundary else "bold red")
