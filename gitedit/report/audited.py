"""An audit as JSON lines: a commit each, written as it goes; the whole document is the report's own `json_pieces`."""

import json
from collections.abc import Iterator

from gitedit.audit.model import AuditReport


def lines(report: AuditReport) -> Iterator[str]:
    """Yield a line a commit, and last `summary` and `boundary`: without that line the output was cut off."""
    for commit in report.commits:
        yield commit.json_text() + "\n"
    yield json.dumps({"summary": dict(report.summary), "boundary": report.boundary}) + "\n"
