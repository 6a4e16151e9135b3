"""`gitedit show`: what the records of one commit claim, and whether the exact case holds.

Exact: the commit changes the recorded bytes of the recorded files and nothing else. What a rebase, cherry-pick or
squash does to a record is for the audit to judge.
"""

from typing import Literal, NamedTuple

from gitedit.audit.exact import exact
from gitedit.errors import EditError
from gitedit.git import history, repository
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.diffs import EMPTY_TREE, DiffEntry, between_trees
from gitedit.git.objects import ObjectReader
from gitedit.git.process import for_hook
from gitedit.record.model import FoundRecord
from gitedit.record.read import read_message

Status = Literal["verified", "not-exact", "forged", "malformed", "incomplete", "unverifiable"]


class ShownRecord(NamedTuple):
    """One record of the commit."""

    found: FoundRecord
    status: Status
    detail: str
    """What is wrong, in words; "" where verified."""
    places: tuple[tuple[int, ...], ...]
    """Per file of the record, the 1-based line of the new version at which each region starts; () where unknown."""


class Shown(NamedTuple):
    """One commit."""

    commit: Commit
    records: tuple[ShownRecord, ...]
    """In message order; empty for an ordinary commit."""
    quotations: tuple[int, ...]
    """1-based lines of the message at which a record is only quoted."""


class _MissingError(Exception):
    """An object that the verdict needs is not in the repository; never fetched."""

    def __init__(self, oid: str) -> None:
        super().__init__(f"the object {oid} is not in this repository")


def show(directory: str, revision: str) -> Shown:
    """Return the facts of the one commit that `revision` names; raise EditError `bad-revision` where there is none.

    A commit without a record is no error. Whatever the repository's configuration says, only objects are read.
    """
    found = repository.find(for_hook(directory), bare_allowed=True)
    with history.open_room(found) as room:
        oids = history.resolve(found, room, [revision])
        if len(oids) != 1 or oids[0].startswith("^"):
            raise EditError("bad-revision", f"'{revision[:200]}' names more than one commit")
        oid = room.git.run("rev-parse", "--verify", f"{oids[0]}^{{commit}}").decode("ascii").strip()
        reader = ObjectReader(room.git)
        try:
            commit = parse_commit(oid, reader.need(oid, "commit"))
            reading = read_message(commit.message)
            records = tuple(_judged(each, commit, room, reader) for each in reading.records)
        finally:
            reader.close()
    return Shown(commit, records, reading.quotations)


def _judged(found: FoundRecord, commit: Commit, room: history.Room, reader: ObjectReader) -> ShownRecord:
    status, detail = _by_itself(found)
    if status != "verified":
        return ShownRecord(found, status, detail, ())
    blobs: dict[str, bytes] = {}

    def read(oid: str) -> bytes:
        blobs[oid] = _need(reader, oid, "blob")
        return blobs[oid]

    try:
        problem = exact(found.record, _changes(commit, room, reader), read)
    except _MissingError as missing:
        return ShownRecord(found, "unverifiable", str(missing), ())
    if problem is not None:
        return ShownRecord(found, "not-exact", problem, ())
    places = [tuple(_line(blobs[file.new_oid], e.new_start) for e in file.edits) for file in found.record.files]
    return ShownRecord(found, "verified", "", tuple(places))


def _by_itself(found: FoundRecord) -> tuple[Status, str]:
    """Return what the record's own lines already decide."""
    if found.unsupported is not None:
        return "unverifiable", f"a record of version {found.unsupported}, which this gitedit does not know"
    if found.malformed is not None:
        return "malformed", found.malformed
    if found.forged is not None:
        return "forged", found.forged
    if found.lost:
        return "incomplete", f"{found.lost} of its lines are lost"
    if not found.record.files:
        return "incomplete", f"its lines are kept at refs/gitedit/records/{found.record.id}, not in the message"
    return "verified", ""


def _changes(commit: Commit, room: history.Room, reader: ObjectReader) -> list[DiffEntry]:
    """Return the whole diff from the first parent; a commit whose parents were cut off is never judged as a root."""
    before = EMPTY_TREE[room.algorithm]
    if commit.oid in room.shallow:
        raise _MissingError(commit.parents[0] if commit.parents else commit.oid)
    if commit.parents:
        parent = commit.parents[0]
        before = parse_commit(parent, _need(reader, parent, "commit")).tree
    entries = next(iter(between_trees(room.git, [(before, commit.tree)])))
    if entries is None:
        raise _MissingError(commit.tree)
    return entries


def _need(reader: ObjectReader, oid: str, kind: str) -> bytes:
    found = reader.read(oid)
    if found is None or found.kind != kind:
        raise _MissingError(oid)
    return found.body


def _line(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
