"""Which lines of a commit's version of a file a recorded edit wrote: told from verified records, never guessed."""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from gitedit.audit.model import CommitReport
from gitedit.record.encoding import shown_path


class Writer(NamedTuple):
    """One recorded edit that wrote a line, or a part of one."""

    record: str
    """The record's id."""
    agent: str | None
    session: str | None
    strategy: str


def written(report: CommitReport, path: str, blob: bytes) -> dict[int, tuple[Writer, ...]]:
    """Return, by 1-based line of `blob`, the recorded edits that wrote in it; `blob` is the commit's version of `path`.

    A region that an audit has not found in the commit wrote nothing: not where its record is not verified, and not
    where another record of the same commit lies over it.
    """
    if report.status != "verified":
        return {}
    found: dict[int, list[Writer]] = {}
    starts = _starts(blob)
    for record in report.records:
        for file in record.files:
            if not is_here(report, file.path, path):
                continue
            for edit in file.edits:
                if edit.placed is None:
                    continue
                writer = Writer(record.id, record.agent, record.session, edit.strategy)
                for line in _lines(starts, len(blob), edit.placed.new, edit.new_length):
                    writers = found.setdefault(line, [])
                    writers += [] if writer in writers else [writer]
    return {line: tuple(writers) for line, writers in found.items()}


def is_here(report: CommitReport, recorded: str, path: str) -> bool:
    """Return whether a recorded path is `path` in this commit: itself, or renamed upstream, of which a note tells."""
    if recorded == path:
        return True
    message = f"{shown_path(recorded)} is {shown_path(path)} here"
    return any((f.rule, f.path, f.message) == ("renamed", path, message) for f in report.findings)


def _starts(blob: bytes) -> list[int]:
    """Return the byte offset of each line, also of the empty one behind a last newline; nothing else ends a line."""
    return list(accumulate((len(line) + 1 for line in blob.split(b"\n")[:-1]), initial=0))


def _lines(starts: list[int], size: int, start: int, length: int) -> range:
    """Return the 1-based lines that hold a region's bytes; for an empty region, the line from which bytes are gone."""
    first = bisect_right(starts, start)
    last = bisect_right(starts, start + length - 1) if length else first
    # Behind the last newline there is no line, unless bytes follow.
    most = len(starts) - (starts[-1] == size)
    return range(first, min(last, most) + 1)
