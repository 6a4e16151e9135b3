"""An audit as Markdown for a pull-request comment; whatever a commit says stands in code spans, and can do nothing.

In a code span there is no HTML, link, mention, issue number or emphasis. Lists, not tables: in a table's cell a `|`
ends the code span too, and renderers differ on how to escape one.
"""

from collections.abc import Iterator

from gitedit.audit.model import ERROR, NOTE, AuditReport, CommitReport, Finding
from gitedit.report.escapes import visible
from gitedit.report.verdicts import COUNTED, agents, amount, batch_words, boundary, kind, place, short, verdict

_MOST_CHARACTERS = 60_000
"""GitHub refuses a comment over 65,536."""
_LONGEST = 500
"""Characters of one text."""
_ORDER = (ERROR, "warning", NOTE, None)


def audit_markdown(report: AuditReport) -> Iterator[str]:
    """Yield the comment: a heading, the counts, then the commits, the worst first, as many as a comment holds."""
    head = "".join(line + "\n" for line in _head(report))
    yield head
    left = _MOST_CHARACTERS - len(head)
    commits = sorted(report.commits, key=lambda commit: _ORDER.index(commit.worst()))
    for number, commit in enumerate(commits):
        text = "".join(line + "\n" for line in _commit(commit))
        left -= len(text)
        if left < 0:
            rest = len(commits) - number
            yield f"\n… and {rest} more commit{'s' * (rest != 1)}; `gitedit audit` lists them all.\n"
            return
        yield text


def code(text: str) -> str:
    """Return a text as a code span: fenced by more backticks than it has in a row."""
    shown = visible(text).replace("\t", " ")
    if len(shown) > _LONGEST:
        shown = shown[:_LONGEST] + "…"
    runs = [len(run) for run in "".join(c if c == "`" else " " for c in shown).split()]
    fence = "`" * (max(runs, default=0) + 1)
    if not shown.strip():
        return "(empty)"
    pad = " " if shown[0] in "` " or shown[-1] in "` " else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def _head(report: AuditReport) -> Iterator[str]:
    failing = sum(commit.worst() == ERROR for commit in report.commits)
    read = report.summary["commits"]
    what = f"{failing} of {read}" if failing else f"none of {read}"
    yield f"### gitedit audit: {what} commit{'s' * (read != 1)} {'fail' if failing != 1 else 'fails'}"
    yield ""
    yield "| status | commits |"
    yield "|---|--:|"
    yield from (f"| {status} | {report.summary[status]} |" for status in COUNTED if report.summary[status])
    yield ""
    if report.batch_commits is not None:
        yield f"{batch_words(report.batch_commits)}.".capitalize()
        yield ""
    for oid in report.boundary:
        yield f"- {boundary(oid)}"


def _commit(commit: CommitReport) -> Iterator[str]:
    by = "".join(f", {code(agent)}" for agent in agents(commit.records))
    facts = f" ({amount(commit.records)}{by})" if commit.records else ""
    yield f"- **{verdict(commit)}** `{short(commit.commit)}` {code(commit.subject)}{facts}"
    yield from (f"  - {_finding(finding)}" for finding in commit.findings)


def _finding(finding: Finding) -> str:
    where = f" at {code(place(finding))}" if finding.path is not None else ""
    return f"{finding.level}, {kind(finding)}{where}: {code(finding.message)}"
