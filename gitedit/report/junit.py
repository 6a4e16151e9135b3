"""An audit as JUnit XML: a commit is a test case, a finding that counts is a failure. Well-formed whatever bytes occur.

`visible` leaves no character that XML 1.0 forbids: controls, lone surrogates and U+FFFE are not printable.
"""

from collections.abc import Iterator, Sequence

from gitedit.audit.model import ERROR, LEVELS, AuditReport, CommitReport, Finding
from gitedit.report.escapes import visible
from gitedit.report.table import finding_words
from gitedit.report.verdicts import batch_words, boundary, kind, short, verdict

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;"})


def audit_junit(report: AuditReport, *, fail_on: str = ERROR, allow_unverifiable: bool = False) -> Iterator[str]:
    """Yield the document; a failure is what makes the audit exit with 1."""
    least = LEVELS.index(fail_on)
    failing = [[f for f in commit.findings if LEVELS.index(f.level) >= least] for commit in report.commits]
    extra = list(_extra(report, allow_unverifiable=allow_unverifiable))
    tests = len(report.commits) + len(extra)
    failures = sum(map(bool, failing)) + len(extra)
    skipped = sum(map(_is_skipped, report.commits, failing))
    counts = f'tests="{tests}" failures="{failures}" errors="0" skipped="{skipped}"'
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="gitedit audit" {counts}>\n'
    yield f'  <testsuite name="gitedit audit" {counts}>\n'
    for commit, findings in zip(report.commits, failing, strict=True):
        yield from _case(commit, findings)
    for name, message in extra:
        yield f'    <testcase classname="gitedit.audit" name="{name}">\n'
        yield f'      <failure type="{name}" message="{_text(message)}"/>\n    </testcase>\n'
    yield "  </testsuite>\n</testsuites>\n"


def _extra(report: AuditReport, *, allow_unverifiable: bool) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the audit as a whole."""
    if report.batch_commits is not None and not report.batch_commits:
        yield "batch", batch_words(())
    for oid in () if allow_unverifiable else report.boundary:
        yield "history", boundary(oid)


def _is_skipped(commit: CommitReport, failing: Sequence[Finding]) -> bool:
    return commit.status == "no-record" and not failing


def _case(commit: CommitReport, failing: Sequence[Finding]) -> Iterator[str]:
    name = f"{short(commit.commit)} {commit.subject}"
    body = [f'      <failure type="{_text(kind(f))}" message="{_text(f.message)}"/>\n' for f in failing]
    if _is_skipped(commit, failing):
        body.append('      <skipped message="no record"/>\n')
    said = [verdict(commit), *(finding_words(f) for f in commit.findings if f not in failing)]
    body.append(f"      <system-out>{_text(chr(10).join(said))}</system-out>\n")
    yield f'    <testcase classname="gitedit.audit" name="{_text(name)}">\n{"".join(body)}    </testcase>\n'


def _text(text: str) -> str:
    return "\n".join(visible(line) for line in text.split("\n")).translate(_ENTITIES)
