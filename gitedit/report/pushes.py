"""What somebody reads whose commit or push was stopped: what is wrong, and how to go on."""

from collections.abc import Sequence

from gitedit.audit.model import STATUSES, CommitReport
from gitedit.report.escapes import visible

_COMMITS, _FINDINGS = 10, 5


def push_refused(reports: Sequence[CommitReport], *, server: bool) -> str:
    """Return the words for a push; on a server git shows each line behind `remote:`."""
    count = len(reports)
    what = "commit is not what it says" if count == 1 else "commits are not what they say"
    lines = [f"gitedit: push {'refused' if server else 'stopped'}: {count} {what}"]
    for report in reports[:_COMMITS]:
        lines.append(f"  {report.commit[:12]} {visible(report.subject)[:60]}")
        findings = [finding for finding in report.findings if finding.rule in STATUSES]
        lines += [f"    {finding.rule}: {visible(finding.message)}" for finding in findings[:_FINDINGS]]
        if len(findings) > _FINDINGS:
            lines.append(f"    and {len(findings) - _FINDINGS} findings more")
    if count > _COMMITS:
        lines.append(f"  and {count - _COMMITS} commits more")
    lines.append(f"hint: 'gitedit show {reports[0].commit[:12]}' says more; then amend the commit, or drop its record")
    return "".join(line + "\n" for line in lines)


def message_refused(problems: Sequence[str], file: str) -> str:
    """Return the words for a commit message."""
    lines = [
        "gitedit: the record in the message does not fit what is committed",
        *(f"  {visible(p)}" for p in problems),
    ]
    lines.append("hint: commit only what the batch did, or take the Gitedit- lines out of the message")
    lines.append(f"hint: your message is kept in {visible(file)}")
    return "".join(line + "\n" for line in lines)
