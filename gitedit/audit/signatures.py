"""What git's verdict on a signature makes of a commit: a finding beside its status, which speaks of bytes alone."""

from collections.abc import Sequence

from gitedit.audit.model import ERROR, SIGNATURE, WARNING, CommitReport, Finding
from gitedit.errors import OperationError
from gitedit.git import history
from gitedit.git.repository import Repository

_GOOD = "G"
_UNCHECKED = "E"
_SAID = {
    "B": (ERROR, "git finds the signature bad"),
    "R": (ERROR, "the signature is by a key that was revoked"),
    "U": (WARNING, "the signature is good, but git does not know whose key it is by"),
    "X": (WARNING, "the signature is good, but has expired"),
    "Y": (WARNING, "the signature is good, but by a key that has expired"),
}
"""git's `%G?` -> level and words; any other letter says that the signature was not checked."""


def checked(repository: Repository, reports: Sequence[CommitReport]) -> list[CommitReport]:
    """Return the reports, those of signed commits with git's verdict; runs the program that the user configured."""
    verdicts = _verdicts(repository, [report.commit for report in reports if report.signed])
    return [_with(report, verdicts.get(report.commit, _UNCHECKED)) if report.signed else report for report in reports]


def _verdicts(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Return git's `%G?` on each commit's signature.

    `git log` dies of a signature that it cannot take apart: the commits before and behind it are asked for without it.
    """
    try:
        return history.signatures(repository, commits)
    except OperationError:
        if len(commits) == 1:
            return {}
    half = len(commits) // 2
    return {**_verdicts(repository, commits[:half]), **_verdicts(repository, commits[half:])}


def _with(report: CommitReport, verdict: str) -> CommitReport:
    """Return the report of a signed commit with git's verdict, and a finding unless that is `G`."""
    report = report._replace(signature=verdict)
    if verdict == _GOOD:
        return report
    level, said = _SAID.get(verdict, (WARNING, "git cannot check the signature"))
    message = f"{said}: `git verify-commit {report.commit[:12]}` says more"
    return report._replace(findings=(*report.findings, Finding(SIGNATURE, level, message)))
