"""An audit as JSON: one document, or one line a commit. Written commit by commit, never whole in memory."""

import json
from collections.abc import Iterator

from gitedit.audit.model import AuditReport


def document(report: AuditReport) -> Iterator[str]:
    """Yield the document of `audit --format json`."""
    yield '{"ok": true, "commits": ['
    for number, commit in enumerate(report.commits):
        yield (", " if number else "") + commit.json_text()
    yield f'], "summary": {json.dumps(dict(report.summary))}, "boundary": {json.dumps(report.boundary)}}}\n'


def lines(report: AuditReport) -> Iterator[str]:
    """Yield a line a commit, and last `summary` and `boundary`: without that line the output was cut off."""
    for commit in report.commits:
        yield commit.json_text() + "\n"
    yield json.dumps({"summary": dict(report.summary), "boundary": report.boundary}) + "\n"
