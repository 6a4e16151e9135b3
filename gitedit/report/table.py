"""An audit as plain text: a line a commit, its findings indented below it, then the sum; stable, for pipes and logs."""

from collections.abc import Iterator

from gitedit.audit.model import AuditReport, CommitReport, Finding
from gitedit.report.escapes import visible
from gitedit.report.verdicts import agents, amount, boundary, kind, short, summary

_STATUS = 12
_DETAIL = 10


def audit_lines(report: AuditReport) -> Iterator[str]:
    """Yield the text line by line."""
    for commit in report.commits:
        yield commit_line(commit) + "\n"
        for finding in commit.findings:
            yield f"  {finding_words(finding)}\n"
    for oid in report.boundary:
        yield boundary(oid) + "\n"
    yield summary(report) + "\n"


def commit_line(commit: CommitReport) -> str:
    """Return `verified     0123456789ab exact      2 edits in 1 file, Claude:opus: Subject`."""
    facts = [amount(commit.records)] if commit.records else []
    facts += map(visible, agents(commit.records))
    facts += [signature(commit)] if commit.signed else []
    said = ", ".join(facts)
    subject = visible(commit.subject) or "(no subject)"
    head = f"{commit.status:<{_STATUS}} {short(commit.commit)} {commit.detail or '-':<{_DETAIL}} "
    return head + (f"{said}: {subject}" if said else subject)


def finding_words(finding: Finding) -> str:
    """Return `error: outside-region: a.py:3 is explained by no record`: messages name their places themselves."""
    return f"{finding.level}: {kind(finding)}: {visible(finding.message)}"


def signature(commit: CommitReport) -> str:
    """Return what is known of a signature: that there is one, or git's verdict on it."""
    return "signed" if commit.signature is None else f"signature {visible(commit.signature)}"
