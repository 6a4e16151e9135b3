"""`gitedit show`: a commit, what its records claim, what the audit says of them, and each recorded region as a diff."""

from collections.abc import Mapping
from typing import NamedTuple

from gitedit.audit.lines import is_here
from gitedit.audit.model import CommitReport
from gitedit.audit.single import judge
from gitedit.commands.blame import one_commit
from gitedit.edits.hunks import Change, region_change
from gitedit.edits.model import Region
from gitedit.git import history, repository
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.diffs import EMPTY_TREE, DiffEntry, between_trees
from gitedit.git.objects import ObjectReader
from gitedit.git.process import for_hook
from gitedit.record.read import read_message

Place = tuple[int, int, int]
"""Index of a record, of a file in it, of an edit in that."""


class Shown(NamedTuple):
    """One commit."""

    report: CommitReport
    """The audit's."""
    quotations: tuple[int, ...]
    """1-based lines of the message at which a record is only quoted."""
    changes: Mapping[Place, Change]
    """The changed lines of each recorded region that the audit has found in the commit."""


def show(directory: str, revision: str, *, cache: bool = True) -> Shown:
    """Return the facts of the one commit that `revision` names; raise EditError `bad-revision` where there is none.

    A commit without a record is no error. Whatever the repository's configuration says, only objects are read.
    """
    found = repository.find(for_hook(directory), bare_allowed=True)
    with history.open_room(found) as room:
        oid = one_commit(found, room, revision)
        [(commit, report)] = judge(found, room, [oid], cache=cache)
        reader = ObjectReader(room.git)
        try:
            changes = _changes(report, _diff(commit, room, reader), reader)
        finally:
            reader.close()
    return Shown(report, read_message(commit.message).quotations, changes)


def _diff(commit: Commit, room: history.Room, reader: ObjectReader) -> list[DiffEntry]:
    """Return the diff from the first parent, as far as it is here."""
    before: str | None = EMPTY_TREE[room.algorithm]
    if commit.parents:
        found = reader.read(commit.parents[0])
        before = parse_commit(commit.parents[0], found.body).tree if found and found.kind == "commit" else None
    if before is None or commit.oid in room.shallow:
        return []
    return next(iter(between_trees(room.git, [(before, commit.tree)]))) or []


def _changes(report: CommitReport, entries: list[DiffEntry], reader: ObjectReader) -> dict[Place, Change]:
    changes: dict[Place, Change] = {}
    for r, record in enumerate(report.records):
        for f, file in enumerate(record.files):
            entry = next((entry for entry in entries if is_here(report, file.path, entry.path)), None)
            placed = [(e, edit, edit.placed) for e, edit in enumerate(file.edits) if edit.placed]
            if entry is None or not placed:
                continue
            old, new = (_blob(reader, oid) for oid in (entry.old_oid, entry.new_oid))
            for e, edit, at in placed:
                ends = at.old + edit.old_length, at.new + edit.new_length
                changes[r, f, e] = region_change(old, new, Region(at.old, ends[0], at.new, ends[1], edit.strategy))
    return changes


def _blob(reader: ObjectReader, oid: str) -> bytes:
    found = reader.read(oid)
    return found.body if found and found.kind == "blob" else b""
