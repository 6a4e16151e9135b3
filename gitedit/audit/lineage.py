"""Notes that need more than one commit: a record verified twice on one line of history, and a record taken back."""

from collections.abc import Callable, Sequence
from itertools import islice

from gitedit.audit.examine import Examined
from gitedit.audit.model import NOTE, CommitReport, Finding

_PAIRS = 100
"""Repeated records whose ancestry is asked for: each costs a walk."""


def notes(judged: Sequence[Examined], repeats: Callable[[str, str, str], bool]) -> dict[str, list[Finding]]:
    """Return the notes by commit.

    Args:
        judged: the candidates, newest first.
        repeats: (older commit, newer commit, inverse of the older's diff) -> whether the older is an ancestor of the
            newer and no commit in between has that inverse as its diff.
    """
    found: dict[str, list[Finding]] = {}
    by_delta: dict[str, Examined] = {}
    by_value: dict[str, Examined] = {}
    pairs: list[tuple[Examined, Examined]] = []
    for one in reversed(judged):
        taken_back = by_delta.get(one.inverse) if one.inverse else None
        if taken_back:
            found.setdefault(one.report.commit, []).append(taken_back_note(taken_back.report))
        for value in one.values:
            if value in by_value:
                pairs.append((by_value[value], one))
            by_value[value] = one
        if one.values and one.delta:
            by_delta[one.delta] = one
    for older, newer in islice(pairs, _PAIRS):
        if repeats(older.report.commit, newer.report.commit, older.inverse):
            message = f"the record of {older.report.commit} is verified here again, and nothing took it back in between"
            found.setdefault(newer.report.commit, []).append(Finding("duplicate", NOTE, message))
    return found


def taken_back_note(report: CommitReport) -> Finding:
    """Return the note for a commit whose diff is that of a verified record, old and new exchanged."""
    ids = ", ".join(record.id for record in report.records)
    return Finding("reverts", NOTE, f"takes back record {ids} of {report.commit}")
