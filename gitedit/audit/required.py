"""`--require`: which commits owe a record; a rule says so of an agent, an author or a path."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from gitedit.audit.model import ERROR, CommitReport, Finding
from gitedit.audit.verdict import worst_status
from gitedit.errors import EditError
from gitedit.git.commits import Commit

KINDS = ("agent", "author", "path")
_AGENT_LINES = re.compile(r"^(?:assisted-by|co-authored-by):(.*)$", re.ASCII | re.IGNORECASE | re.MULTILINE)
"""What says, outside a record, that an agent took part."""


class Rule(NamedTuple):
    """One `--require`."""

    kind: str
    """One of KINDS."""
    glob: str

    def __str__(self) -> str:
        """Return the rule as given."""
        return f"{self.kind}:{self.glob}"


def parse_rules(texts: Iterable[str]) -> tuple[Rule, ...]:
    """Return the rules; raise EditError `usage`."""
    rules: list[Rule] = []
    for text in texts:
        kind, colon, glob = text.partition(":")
        if not (colon and glob) or kind not in KINDS:
            message = f"--require takes agent:GLOB, author:GLOB or path:GLOB, not '{text[:200]}'"
            raise EditError("usage", message, "as in --require 'agent:Claude:*'")
        rules.append(Rule(kind, glob))
    return tuple(rules)


def due_by(rules: Sequence[Rule], commit: Commit, report: CommitReport, paths: Iterable[str]) -> Rule | None:
    """Return the first rule by which the commit owes a record, or None."""
    texts = {
        "agent": [*agents_in(commit.message), *(record.agent for record in report.records if record.agent)],
        "author": [commit.author_name, commit.author_email, f"{commit.author_name} <{commit.author_email}>"],
        "path": list(paths),
    }
    return next((rule for rule in rules if any(fnmatchcase(text, rule.glob) for text in texts[rule.kind])), None)


def agents_in(message: str) -> list[str]:
    """Return whom Assisted-by and Co-authored-by lines name: without `[tools]`, with and without the e-mail."""
    found: list[str] = []
    for match in _AGENT_LINES.finditer(message):
        whole = match[1].strip()
        found += dict.fromkeys([whole, whole.partition("[")[0].strip(), whole.partition("<")[0].strip()])
    return found


def missing(report: CommitReport, rule: Rule) -> CommitReport:
    """Return the report with the finding that the record due by `rule` is not there, or not verified."""
    if report.status == "verified":
        return report
    message = f"a record is due ({rule}) and there is no verified one"
    status = "missing" if report.status == "no-record" else report.status
    return report._replace(status=status, findings=(*report.findings, Finding("missing", ERROR, message)))


def unknown(report: CommitReport, why: str) -> CommitReport:
    """Return the report with the finding that it cannot be told whether a record is due, if that matters."""
    if report.status == "verified" or any(finding.rule == "unverifiable" for finding in report.findings):
        return report
    findings = (*report.findings, Finding("unverifiable", ERROR, f"it cannot be told whether a record is due: {why}"))
    return report._replace(status=worst_status(findings) or report.status, findings=findings)
