"""From commits to reports: batch by batch one `diff-tree` for all, one `cat-file`, and each blob read once.

Only candidates come here. Blobs stream through in the order in which the exact case asks for them, one file at a time.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitedit.audit.claims import Claims, agent_findings, claims_in, quotation
from gitedit.audit.exact import exact, other_entries
from gitedit.audit.model import CommitReport, Finding, Placed
from gitedit.audit.paths import LineCounter
from gitedit.audit.verdict import Judgement, MissingObjectError, Place, Sources, facts, judge, worst_status
from gitedit.errors import OperationError
from gitedit.git import history
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.diffs import EMPTY_TREE, DiffEntry, between_trees
from gitedit.git.objects import GitObject, ObjectReader
from gitedit.git.trees import TreeReader
from gitedit.record.digests import delta, sha256_hex
from gitedit.record.model import Record
from gitedit.record.read import read_message

KEY = b"gitedit-"
"""What every line of ours holds, ASCII case ignored."""
_SIDE_COMMITS = 10_000
"""Commits of a merge's other branches that are searched for the records that its message repeats."""
_LONGEST_PATH = 4096
"""Bytes: longer ones no file system has, and walking down one is quadratic."""


class Examined(NamedTuple):
    """One judged candidate, and what later commits are compared with."""

    report: CommitReport
    values: tuple[str, ...]
    """Hashes of the whole values of the records that are verified here."""
    delta: str
    """Of the whole diff; "" where it is not known."""
    inverse: str
    """`delta` of the same diff with old and new exchanged."""


class Case(NamedTuple):
    """One candidate with its diff, before any blob is read."""

    commit: Commit
    entries: list[DiffEntry] | None
    """None: an object is missing."""
    why: str
    """Why the diff is not known."""
    claims: Claims
    delta: str

    @property
    def is_exact(self) -> bool:
        """Whether paths, modes and blobs are those of the one record, so that only its regions are to be checked."""
        if len(self.claims.sound) != 1 or len(self.claims.records) != 1 or self.entries is None:
            return False
        return not self.claims.findings and other_entries(self.claims.sound[0], self.entries) is None


class Examiner:
    """Judges commits of one repository; close it when done."""

    def __init__(self, room: history.Room, record_refs: Callable[[], Mapping[str, str]]) -> None:
        self._room = room
        self._ask_record_refs = record_refs
        """Record id -> blob id; asked when a record first needs it."""
        self._record_refs: Mapping[str, str] | None = None
        self._ahead = ObjectReader(room.git)
        """For objects that are asked for in batches."""
        self._loose = ObjectReader(room.git)
        """For objects that are asked for one by one, while a batch is still being read."""

    def close(self) -> None:
        """End the children."""
        self._ahead.close()
        self._loose.close()

    def examine(self, commits: Sequence[Commit]) -> Iterator[Examined]:
        """Judge commits, in order; to be read to its end."""
        cases = self.cases(commits)
        wanted = [oid for case in cases if case.is_exact for oid in _blobs(case.claims.sound[0])]
        stream = self._ahead.stream(wanted)
        for case in cases:
            judgement = self._exact(case, stream) if case.is_exact else None
            yield _examined(case, judgement or self._judge(case))
        for _ in stream:
            # Nothing is left, but only the end of the stream frees the reader for the next batch.
            pass

    def cases(self, commits: Sequence[Commit]) -> list[Case]:
        """Return the commits with their diffs and claims."""
        return [self._case(commit, *found) for commit, found in zip(commits, self.diffs(commits), strict=True)]

    def diffs(self, commits: Sequence[Commit]) -> Iterator[tuple[list[DiffEntry] | None, str]]:
        """Yield each commit's diff from its first parent, or None and why it is not known."""
        parents = self._parent_trees(commits)
        pairs = [(tree, commit.tree) for commit, tree in zip(commits, parents, strict=True) if tree]
        answers = between_trees(self._room.git, pairs)
        for commit, tree in zip(commits, parents, strict=True):
            if tree:
                yield next(answers), f"the trees of {commit.oid} are not all here"
            elif commit.oid in self._room.shallow:
                yield None, "the history is cut off here: this repository is shallow"
            else:
                yield None, f"the parent {commit.parents[0]} is not here"

    def _parent_trees(self, commits: Sequence[Commit]) -> list[str | None]:
        known = {commit.oid: commit.tree for commit in commits}
        firsts = [commit.parents[0] for commit in commits if commit.parents]
        unknown = [oid for oid in dict.fromkeys(firsts) if oid not in known]
        for oid, found in zip(unknown, self._ahead.read_many(unknown), strict=True):
            if found and found.kind == "commit":
                known[oid] = parse_commit(oid, found.body).tree
        empty = EMPTY_TREE[self._room.algorithm]
        return [
            None if commit.oid in self._room.shallow else known.get(commit.parents[0]) if commit.parents else empty
            for commit in commits
        ]

    def _case(self, commit: Commit, entries: list[DiffEntry] | None, why: str) -> Case:
        touched = None if entries is None else frozenset(entry.path for entry in entries)
        whole = "" if entries is None else delta(entries)
        claims = claims_in(read_message(commit.message), touched, whole or None, self._lines)
        return Case(commit, entries, why, claims, whole)

    def _exact(self, case: Case, stream: Iterator[GitObject | None]) -> Judgement | None:
        """Return the verdict if the exact case holds; takes the record's blobs off the stream either way."""
        record = case.claims.sound[0]
        left = 2 * sum(1 for _ in record.files)
        places: dict[Place, Placed] = {}

        def read(_: str) -> bytes:
            nonlocal left
            left -= 1
            blob = next(stream)
            if blob is None or blob.kind != "blob":
                raise MissingObjectError
            if left % 2 == 0:
                number = len(record.files) - 1 - left // 2
                lines = LineCounter(blob.body)
                for at, edit in enumerate(record.files[number].edits):
                    places[0, number, at] = Placed(edit.old_start, edit.new_start, lines.at(edit.new_start))
            return blob.body

        try:
            problem = exact(record, case.entries or (), read)
        except MissingObjectError as error:
            problem = str(error)
        for _ in range(left):
            next(stream)
        if problem is not None:
            return None
        detail = "merge" if len(case.commit.parents) > 1 else "exact"
        return Judgement("verified", detail, (), facts(case.claims.records, case.claims.sound, places))

    def _judge(self, case: Case) -> Judgement:
        merge = len(case.commit.parents) > 1
        sources = Sources(self.blob, lambda path: self._in_parent(case.commit, path))
        judgement = judge(case.claims, case.entries, sources, merge=merge, why=case.why)
        if merge and judgement.status in {"modified", "unverifiable"} and case.claims.sound:
            return self._repeated(case, judgement)
        return judgement

    def _repeated(self, case: Case, judgement: Judgement) -> Judgement:
        """Take the records in a merge's message that are verified on a merged branch for what they are: quotations."""
        sound = case.claims.sound
        if len(sound) < len(case.claims.records):
            return judgement
        ids = [f"id={record.id}".encode() for record in sound]
        tips = ["^" + case.commit.parents[0], *case.commit.parents[1:]]
        found: list[Commit] = []
        for count, raw in enumerate(history.commits(self._room, tips)):
            if count >= _SIDE_COMMITS:
                break
            if any(own in raw.body for own in ids):
                commit = parse_commit(*raw)
                found += [commit] if len(commit.parents) < 2 else []
        with_own = Examiner(self._room, self._ask_record_refs)
        try:
            there = {value for examined in with_own.examine(found) for value in examined.values}
        finally:
            with_own.close()
        if not all(value_hash(record) in there for record in sound):
            return judgement
        return Judgement("no-record", None, tuple(quotation(record) for record in sound), ())

    def commit(self, oid: str) -> bytes | None:
        """Return one commit as stored, or None where it is not here."""
        found = self._loose.read(oid)
        return found.body if found and found.kind == "commit" else None

    def blob(self, oid: str) -> bytes:
        """Return one blob; raise MissingObjectError."""
        found = self._loose.read(oid)
        if found is None or found.kind != "blob":
            raise MissingObjectError(f"the blob {oid} is not here")
        return found.body

    def _in_parent(self, commit: Commit, path: str) -> bool:
        if len(path) > _LONGEST_PATH or not commit.parents:
            return False
        try:
            tree = parse_commit(commit.parents[0], self._loose.need(commit.parents[0], "commit")).tree
            return TreeReader(self._loose, tree, self._room.algorithm).find(path) is not None
        except (OperationError, ValueError) as error:
            raise MissingObjectError(f"the trees of {commit.parents[0]} are not all here") from error

    def _lines(self, record_id: str) -> bytes | None:
        if self._record_refs is None:
            self._record_refs = self._ask_record_refs()
        oid = self._record_refs.get(record_id)
        found = self._loose.read(oid) if oid else None
        return found.body if found and found.kind == "blob" else None


def report(commit: Commit, judgement: Judgement) -> CommitReport:
    """Return a commit's report."""
    return CommitReport(
        commit=commit.oid,
        parents=commit.parents,
        status=judgement.status,
        detail=judgement.detail,
        subject=commit.subject,
        author_name=commit.author_name,
        author_email=commit.author_email,
        date=commit.date,
        signed=commit.signed,
        signature=None,
        records=judgement.records,
        findings=judgement.findings,
    )


def ordinary(commit: Commit, findings: tuple[Finding, ...] = ()) -> CommitReport:
    """Return the report of a commit whose message does not speak of us."""
    return report(commit, Judgement(worst_status(findings) or "no-record", None, findings, ()))


def value_hash(record: Record) -> str:
    """Return what is equal only where whole records are: the id is a checksum of 64 bits."""
    return sha256_hex(" ".join(record.tokens).encode("utf-8", "surrogateescape"))


def _blobs(record: Record) -> Iterator[str]:
    for file in record.files:
        yield file.old_oid
        yield file.new_oid


def _examined(case: Case, judgement: Judgement) -> Examined:
    mismatches = tuple(agent_findings(case.commit.message, case.claims.records))
    judgement = judgement._replace(findings=judgement.findings + mismatches)
    verified = case.claims.sound if judgement.status == "verified" else ()
    inverse = delta((e.new_mode, e.old_mode, e.new_oid, e.old_oid, e.path) for e in case.entries or ())
    values = tuple(value_hash(record) for record in verified)
    return Examined(report(case.commit, judgement), values, case.delta, inverse if case.delta else "")
