"""A blamed file for people and as JSON: each line with its commit, and with the recorded edit that wrote it, if any."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from gitedit.report.escapes import visible
from gitedit.report.verdicts import short

if TYPE_CHECKING:
    from gitedit.commands.blame import Blamed, Line

_WIDEST = 28
"""Columns of the name of an agent or author."""
UNRECORDED = "unrecorded"


def blame_lines(blamed: "Blamed") -> Iterator[str]:
    """Yield `0123456789ab recorded Claude:opus exact 2023-11-14  3) text`, a line each."""
    if not blamed.lines:
        return
    rows = [(_who(line), _how(line)) for line in blamed.lines]
    who = min(max(len(row[0]) for row in rows), _WIDEST)
    how = max(len(row[1]) for row in rows)
    number = len(str(len(blamed.lines)))
    for line, (name, strategy) in zip(blamed.lines, rows, strict=True):
        text = visible(line.text.removesuffix(b"\n").decode("utf-8", "surrogateescape"))
        head = f"{short(line.commit)} {name[:who]:<{who}} {strategy:<{how}} {moment(line.seconds)[:10]}"
        yield f"{head} {line.number:>{number}}) {text}\n"


def blame_document(blamed: "Blamed") -> Iterator[str]:
    """Yield the JSON document, line by line."""
    head = json.dumps({"ok": True, "path": blamed.path, "commit": blamed.commit})
    yield head[:-1] + ', "lines": ['
    for number, line in enumerate(blamed.lines):
        yield (", " if number else "") + json.dumps(_facts(line))
    yield "]}\n"


def moment(seconds: int) -> str:
    """Return a date in UTC, ISO 8601; 1970 where there is no such date, as the audit does."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC).isoformat()


def _who(line: "Line") -> str:
    agents = dict.fromkeys(writer.agent or "(no agent)" for writer in line.writers)
    return visible(", ".join(agents) if agents else line.author).replace("\t", " ")


def _how(line: "Line") -> str:
    return visible(", ".join(dict.fromkeys(writer.strategy for writer in line.writers))) or UNRECORDED


def _facts(line: "Line") -> dict[str, Any]:
    return {
        "line": line.number,
        "commit": line.commit,
        "path": line.path,
        "author": line.author,
        "date": moment(line.seconds),
        "status": line.status,
        "recorded": bool(line.writers),
        "edits": [writer._asdict() for writer in line.writers],
        "text": line.text.decode("utf-8", "surrogateescape"),
    }
