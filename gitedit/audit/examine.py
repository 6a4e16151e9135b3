"""From commits to reports: batch by batch one `diff-tree` for all, one `cat-file`, and each blob read once.

Only candidates come here. Blobs stream through in the order in which the exact case asks for them, one file at a time.
"""

import contextlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import NamedTuple

from gitedit.audit.canonical import canonical
from gitedit.audit.claims import Claims, agent_findings, claims_in, quotation
from gitedit.audit.exact import other_bytes
from gitedit.audit.model import ERROR, CommitReport, Finding, Placed
from gitedit.audit.paths import LineCounter
from gitedit.audit.renames import Renames
from gitedit.audit.sources import MissingObjectError, Sources, parent_paths
from gitedit.audit.verdict import Judgement, Place, facts, judge, worst_status
from gitedit.git import history, walk
from gitedit.git.commits import Commit, has_encoding, parse_commit
from gitedit.git.diffs import EMPTY_TREE, DiffEntry, between_trees
from gitedit.git.objects import ObjectReader
from gitedit.record.digests import delta, sha256_hex
from gitedit.record.grammar import is_hex
from gitedit.record.model import FoundRecord, Record
from gitedit.record.read import read_message

_KEY = b"gitedit-"
"""What every line of ours holds, ASCII case ignored."""
_REVERTED = re.compile(r"This reverts commit ([0-9a-f]{40,64})")
"""As `git revert` writes it, in every language."""
_SIDE_COMMITS = 10_000
"""Commits of a merge's other branches that are searched for the records that its message repeats."""
_KEPT_BYTES = 16 << 20
"""Of blobs that are wanted again."""
_LONGEST_MESSAGE = 8 << 20
"""Characters: the records of a thousand commits, squashed. The lines of a longer one take ten times its memory."""


class Examined(NamedTuple):
    """One judged candidate, and what later commits are compared with."""

    report: CommitReport
    values: tuple[str, ...]
    """Hashes of the whole values of the records that are verified here."""
    delta: str
    """Of the whole diff; "" where it is not known."""
    inverse: str
    """`delta` of the same diff with old and new exchanged."""
    reverted: str
    """The commit that the message says it reverts, or ""."""


class Case(NamedTuple):
    """One candidate with its diff, before any blob is read."""

    commit: Commit
    entries: list[DiffEntry] | None
    """None: an object is missing."""
    why: str
    """Why the diff is not known."""
    delta: str
    """Of the whole diff; "" where it is not known."""
    record: Record | None
    """The record of a message as `apply` writes it, if it names this very diff: only its bytes are to be checked."""


def is_candidate(raw: walk.RawCommit) -> bool:
    """Return whether the message may speak of us, or take back a commit that does."""
    body = raw.body
    if _KEY in body.lower() or b"This reverts commit " in body or b"\0" in body:
        return True
    # Bytes in UTF-7 or EBCDIC need not look like the text that git shows.
    return has_encoding(body) and _KEY.decode() in parse_commit(*raw).message.lower()


class Examiner:
    """Judges commits of one repository; close it when done."""

    def __init__(self, room: history.Room, record_refs: Callable[[], Mapping[str, str]]) -> None:
        self._room = room
        self._ask_record_refs = record_refs
        """Record id -> blob id; asked when a record first needs it."""
        self._record_refs: Mapping[str, str] | None = None
        self._ahead = ObjectReader(room.git)
        """For the blobs of the exact cases, in the order in which they are needed."""
        self._loose = ObjectReader(room.git)
        """For everything else, meanwhile."""

    def close(self) -> None:
        """End the children."""
        self._ahead.close()
        self._loose.close()

    def examine(self, batches: Iterable[Sequence[Commit]]) -> Iterator[list[Examined]]:
        """Judge commits; yield the verdicts of each batch, in order.

        While the next batch is prepared here, git already reads the blobs of this one.
        """
        ready: tuple[list[Case], _Blobs] | None = None
        for commits in batches:
            cases = [_case(commit, *found) for commit, found in zip(commits, self.diffs(commits), strict=True)]
            if ready:
                yield self._finish(*ready)
            wanted = [oid for case in cases if case.record for oid in _blobs(case.record)]
            ready = cases, _Blobs(self._ahead, self.blob, wanted)
        if ready:
            yield self._finish(*ready)

    def alone(self, commit: Commit) -> Examined:
        """Judge one commit while others are being judged."""
        [(entries, why)] = self.diffs([commit])
        return self._judge(_case(commit, entries, why))

    def _finish(self, cases: Sequence[Case], blobs: "_Blobs") -> list[Examined]:
        examined = [
            (self._exact(case, case.record, blobs) if case.record else None) or self._judge(case) for case in cases
        ]
        blobs.finish()
        return examined

    def diffs(self, commits: Sequence[Commit]) -> Iterator[tuple[list[DiffEntry] | None, str]]:
        """Yield each commit's diff from its first parent, or None and why it is not known."""
        parents = self._parent_trees(commits)
        trees = [(old, commit.tree) for old, commit in zip(parents, commits, strict=True)]
        # What is no id `diff-tree` would echo, as if nothing differed.
        pairs = [(old, new) for old, new in trees if old and self._is_id(old) and self._is_id(new)]
        answers = between_trees(self._room.git, pairs)
        for commit, (tree, own) in zip(commits, trees, strict=True):
            if tree and not (self._is_id(tree) and self._is_id(own)):
                yield None, f"{commit.oid} or its parent names no tree: run `git fsck`"
            elif tree:
                entries = next(answers)
                if entries is not None and len({entry.path for entry in entries}) < len(entries):
                    yield None, f"the trees of {commit.oid} or its parent name a path twice: run `git fsck`"
                else:
                    yield entries, f"the trees of {commit.oid} are not all here"
            elif commit.oid in self._room.shallow:
                yield None, "the history is cut off here: this repository is shallow"
            else:
                yield None, f"the parent {commit.parents[0]} is not here"

    def _is_id(self, text: str) -> bool:
        return is_hex(text, len(EMPTY_TREE[self._room.algorithm]))

    def _parent_trees(self, commits: Sequence[Commit]) -> list[str | None]:
        known = {commit.oid: commit.tree for commit in commits}
        firsts = [commit.parents[0] for commit in commits if commit.parents]
        unknown = [oid for oid in dict.fromkeys(firsts) if oid not in known and self._is_id(oid)]
        for oid, found in zip(unknown, self._loose.read_many(unknown), strict=True):
            if found and found.kind == "commit":
                known[oid] = parse_commit(oid, found.body).tree
        empty = EMPTY_TREE[self._room.algorithm]
        return [
            None if commit.oid in self._room.shallow else known.get(commit.parents[0]) if commit.parents else empty
            for commit in commits
        ]

    def _exact(self, case: Case, record: Record, blobs: "_Blobs") -> Examined | None:
        """Return the verdict if the exact case holds; takes the record's blobs off the stream either way."""
        left = 2 * len(record.files)
        places: dict[Place, Placed] = {}

        def read(oid: str) -> bytes:
            nonlocal left
            left -= 1
            blob = blobs.take(oid)
            if left % 2 == 0:
                number = len(record.files) - 1 - left // 2
                lines = LineCounter(blob)
                for at, edit in enumerate(record.files[number].edits):
                    places[0, number, at] = Placed(edit.old_start, edit.new_start, lines.at(edit.new_start))
            return blob

        try:
            problem = other_bytes(record, read)
        except MissingObjectError as error:
            problem = str(error)
        for oid in [*_blobs(record)][2 * len(record.files) - left :] if left else ():
            blobs.skip(oid)
        if problem is not None:
            return None
        found = FoundRecord(record, "trailer", 0)
        detail = "merge" if len(case.commit.parents) > 1 else "exact"
        judgement = Judgement("verified", detail, (), facts([found], [record], places))
        return _examined(case, Claims((found,), (record,), ()), judgement)

    def _judge(self, case: Case) -> Examined:
        """Return the verdict on any commit."""
        if _is_too_long(case.commit):
            said = f"the message is longer than {_LONGEST_MESSAGE >> 20} MiB, too long to be read"
            finding = Finding("unverifiable", ERROR, said)
            return _examined(case, Claims((), (), ()), Judgement("unverifiable", None, (finding,), ()))
        sources = Sources(self.blob, parent_paths(self._loose, case.commit, self._room.algorithm))
        claims, renames = self._claims(case, sources)
        merge = len(case.commit.parents) > 1
        judgement = judge(claims, case.entries, sources, renames, merge=merge, why=case.why)
        if merge and judgement.status in {"modified", "unverifiable"} and claims.sound:
            judgement = self._repeated(case.commit, claims, judgement)
        return _examined(case, claims, judgement)

    def _claims(self, case: Case, sources: Sources) -> tuple[Claims, Renames]:
        """Tell claims from quotations: a record elsewhere than in the trailers may know the file by an older name."""
        touched = None if case.entries is None else frozenset(entry.path for entry in case.entries)
        reading = read_message(case.commit.message)
        claims = claims_in(reading, touched, case.delta or None, self._lines)
        renames = Renames(case.entries or (), claims, sources)
        try:
            old_names = renames.of_quoted()
        except MissingObjectError as error:
            unknown = Finding("unverifiable", ERROR, str(error))
            return claims._replace(findings=(*claims.findings, unknown)), renames
        if touched is not None and old_names:
            claims = claims_in(reading, touched | old_names, case.delta or None, self._lines)
        return claims, renames

    def _repeated(self, merge: Commit, claims: Claims, judgement: Judgement) -> Judgement:
        """Take the records in a merge's message that are verified on a merged branch for what they are: quotations."""
        sound = claims.sound
        if len(sound) < len(claims.records):
            return judgement
        ids = [f"id={record.id}".encode() for record in sound]
        tips = ["^" + merge.parents[0], *merge.parents[1:]]
        found: list[Commit] = []
        for count, raw in enumerate(walk.commits(self._room.git, tips)):
            if count >= _SIDE_COMMITS:
                break
            if any(own in raw.body for own in ids):
                commit = parse_commit(*raw)
                found += [commit] if len(commit.parents) < 2 else []
        there = {value for commit in found for value in self.alone(commit).values}
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

    def _lines(self, record_id: str) -> bytes | None:
        if self._record_refs is None:
            self._record_refs = self._ask_record_refs()
        oid = self._record_refs.get(record_id)
        found = self._loose.read(oid) if oid else None
        return found.body if found and found.kind == "blob" else None


class _Blobs:
    """The blobs of one batch, in the order wanted.

    One that is wanted again is kept, within bounds: each version of a file is new in one commit and old in the next.
    """

    def __init__(self, reader: ObjectReader, alone: Callable[[str], bytes], wanted: Sequence[str]) -> None:
        self._alone = alone
        self._due = Counter(wanted)
        stream = reader.stream(list(self._due))
        # Asked for the first one, git goes on with the others.
        self._stream = chain([*islice(stream, 1)], stream)
        self._streamed: set[str] = set()
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def take(self, oid: str) -> bytes:
        """Return the next blob, which is `oid`; raise MissingObjectError."""
        self._due[oid] -= 1
        if oid in self._streamed:
            blob = self._kept.get(oid)
            if self._due[oid] == 0:
                self._size -= len(self._kept.pop(oid, b""))
            return self._alone(oid) if blob is None else blob
        self._streamed.add(oid)
        found = next(self._stream)
        if found is None or found.kind != "blob":
            raise MissingObjectError(f"the blob {oid} is not here")
        if self._due[oid] and self._size + len(found.body) <= _KEPT_BYTES:
            self._kept[oid] = found.body
            self._size += len(found.body)
        return found.body

    def skip(self, oid: str) -> None:
        """Pass over the next blob, which is `oid`."""
        if oid in self._streamed:
            self._due[oid] -= 1
        else:
            with contextlib.suppress(MissingObjectError):
                self.take(oid)

    def finish(self) -> None:
        """Read the stream to its end: only that frees the reader for the next batch."""
        for _ in self._stream:
            pass


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


def _case(commit: Commit, entries: list[DiffEntry] | None, why: str) -> Case:
    whole = "" if entries is None else delta(entries)
    record = None if _is_too_long(commit) else canonical(commit.message)
    if record and (record.value("delta") != whole or not _same(record, entries or ())):
        record = None
    return Case(commit, entries, why, whole, record)


def _is_too_long(commit: Commit) -> bool:
    return len(commit.message) > _LONGEST_MESSAGE


def _same(record: Record, entries: Sequence[DiffEntry]) -> bool:
    """Return whether the File lines, in order, are the entries."""
    files = [(f.old_mode, f.new_mode, f.old_oid, f.new_oid, f.path) for f in record.files]
    return files == list(entries)


def _examined(case: Case, claims: Claims, judgement: Judgement) -> Examined:
    mismatches = agent_findings(case.commit.message, claims.records)
    if mismatches:
        judgement = judgement._replace(findings=(*judgement.findings, *mismatches))
    verified = claims.sound if judgement.status == "verified" else ()
    inverse = delta((e.new_mode, e.old_mode, e.new_oid, e.old_oid, e.path) for e in case.entries or ())
    values = tuple(value_hash(record) for record in verified)
    reverted = _REVERTED.search(case.commit.message)
    return Examined(
        report(case.commit, judgement),
        values,
        case.delta,
        inverse if case.delta else "",
        reverted[1] if reverted else "",
    )
