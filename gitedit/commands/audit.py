"""`gitedit audit`: what every recorded commit of a range did, proved from git objects alone.

Messages first; whatever speaks of us is judged by its diff and its blobs, or is known from the cache; then the notes
that need more than one commit, the records that are due, and the signatures.
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitedit.audit import batches, lineage, required, signatures
from gitedit.audit.cache import Cache
from gitedit.audit.examine import Examined, Examiner, is_candidate, ordinary
from gitedit.audit.model import (
    ERROR,
    LEVELS,
    WARNING,
    AuditReport,
    CommitReport,
    Finding,
    summarise,
)
from gitedit.audit.sources import MissingObjectError
from gitedit.git import history, process, repository, walk
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.repository import Repository
from gitedit.record.digests import delta

RECORD_REFS = "refs/gitedit/records/"
_CHUNK = 512
"""Commits looked at together."""
_CHUNK_BYTES = 8 << 20
"""Of their messages."""
_PROGRESS = 1000
"""Commits between two calls of the progress callback."""
_NAMED_REVERTS = 100
"""Reverts of commits outside the range that are looked up: each is judged alone."""
_BETWEEN = 1000
"""Commits between two with the same record whose diffs are read."""


class AuditRequest(NamedTuple):
    """One `gitedit audit`."""

    directory: str = "."
    revisions: tuple[str, ...] = ()
    """As for `git log`; empty: HEAD."""
    every_commit: bool = False
    """List ordinary commits, too."""
    first_parent: bool = False
    require: tuple[str, ...] = ()
    """`agent:GLOB`, `author:GLOB` or `path:GLOB`, each."""
    allow_unverifiable: bool = False
    """Unverifiable commits and shallow boundaries are warnings."""
    signatures: bool = False
    """Have git verify them."""
    cache: bool = True
    batch: bytes | None = None
    """The content of a batch file: only the commits that record it are listed."""
    record_refs: Mapping[str, str] = {}
    """Record id -> blob id, besides the repository's refs: in a hook the pushed refs are not there yet."""


def audit(request: AuditRequest, progress: Callable[[int], None] | None = None) -> AuditReport:
    """Judge the commits that the revisions reach; `progress` is told how many were read.

    Raises:
        EditError: `usage`, `bad-revision`, `bad-batch` and its kind, RepositoryError, OperationError.
    """
    rules = required.parse_rules(request.require)
    found = repository.find(process.for_hook(request.directory), bare_allowed=True)
    batch = None if request.batch is None else batches.wanted(request.batch, found)
    with history.open_room(found) as room:
        run = _Audit(request, rules, found, room)
        try:
            run.read(history.resolve(found, room, request.revisions), progress)
            if batch:
                run.keep_batch(batch)
            else:
                run.add_notes()
            run.add_signatures()
        finally:
            run.close()
    return run.report(batch)


def exit_status(report: AuditReport, *, fail_on: str = ERROR, allow_unverifiable: bool = False) -> int:
    """Return 0 where nothing is at or above `fail_on` and no history is cut off, else 1."""
    if report.batch_commits is not None and not report.batch_commits:
        return 1
    if report.boundary and not allow_unverifiable:
        return 1
    worst = [LEVELS.index(level) for commit in report.commits if (level := commit.worst())]
    return int(max(worst, default=-1) >= LEVELS.index(fail_on))


class _Chunk(NamedTuple):
    """Commits looked at together."""

    oids: list[str]
    commits: dict[str, Commit]
    """Taken apart, where that is needed."""
    known: dict[str, Examined]
    """From the cache."""


class _Audit:
    """One run."""

    def __init__(
        self, request: AuditRequest, rules: tuple[required.Rule, ...], found: Repository, room: history.Room
    ) -> None:
        self.request = request
        self.rules = rules
        self.repository = found
        self.room = room
        self.examiner = Examiner(room, self._record_refs)
        self.cache = Cache(os.path.join(found.common_dir, "gitedit")) if request.cache else None
        self.reports: list[CommitReport] = []
        self.candidates: dict[str, Examined] = {}
        self.boundary: list[str] = []
        self.known: dict[str, Examined] = {}
        """From the cache, until their chunk is taken."""
        self.count = 0
        self.batch_commits: tuple[str, ...] | None = None

    def close(self) -> None:
        self.examiner.close()
        if self.cache:
            self.cache.close()

    def report(self, batch: batches.Wanted | None) -> AuditReport:
        reports = self.reports
        summary = summarise((report.status for report in reports), len(reports) if batch else self.count)
        if batch is None and not self.request.every_commit:
            reports = [r for r in reports if r.records or r.findings]
        return AuditReport(tuple(reports), summary, tuple(self.boundary), self.batch_commits)

    def read(self, tips: list[str], progress: Callable[[int], None] | None) -> None:
        """Read and judge every commit."""
        waiting: deque[_Chunk] = deque()
        for judged in self.examiner.examine(self._fresh(self._chunks(tips, progress), waiting)):
            self._take(waiting.popleft(), judged)

    def _fresh(self, chunks: Iterator[list[walk.RawCommit]], waiting: "deque[_Chunk]") -> Iterator[list[Commit]]:
        """Yield, of each chunk, the candidates that are not known from the cache."""
        for raws in chunks:
            known = {raw.oid: self.known.pop(raw.oid) for raw in raws if raw.oid in self.known}
            commits = {raw.oid: parse_commit(*raw) for raw in raws if raw.body}
            waiting.append(_Chunk([raw.oid for raw in raws], commits, known))
            yield [commits[raw.oid] for raw in raws if raw.oid not in known and is_candidate(raw)]

    def _take(self, chunk: "_Chunk", judged: list[Examined]) -> None:
        if self.cache:
            self.cache.put(judged)
        known = {**chunk.known, **{one.report.commit: one for one in judged}}
        self.candidates.update((oid, known[oid]) for oid in chunk.oids if oid in known)
        reports = [known[oid].report if oid in known else ordinary(chunk.commits[oid]) for oid in chunk.oids]
        if self.rules:
            reports = self._required(reports, [chunk.commits[oid] for oid in chunk.oids])
        # What is only counted is not kept.
        self.reports += [r for r in reports if r.commit in known or r.findings or self.request.every_commit]

    def add_notes(self) -> None:
        """Add the notes that need more than one commit."""
        found = lineage.notes(list(self.candidates.values()), self._repeats)
        outside = [one for one in self.candidates.values() if one.reverted and one.reverted not in self.candidates]
        for one in outside[:_NAMED_REVERTS]:
            older = self._alone(one.reverted)
            if older and older.values and older.delta == one.inverse:
                found.setdefault(one.report.commit, []).append(lineage.taken_back_note(older.report))
        if found:
            self.reports = [r._replace(findings=(*r.findings, *found.get(r.commit, ()))) for r in self.reports]

    def add_signatures(self) -> None:
        """Have git verify the signatures of what is listed, and weaken what may be unverifiable."""
        if self.request.signatures:
            self.reports = signatures.checked(self.repository, self.reports)
        if self.request.allow_unverifiable:
            self.reports = [_weakened(report) for report in self.reports]

    def keep_batch(self, batch: batches.Wanted) -> None:
        """Keep the commits that record the batch, and apply it to their parents' blobs."""
        kept: list[CommitReport] = []
        for report in self.reports:
            setting = batches.recorded_in(report, batch)
            if setting is None:
                continue
            finding = None
            if report.status == "verified" and len(report.records) == 1 and report.detail != "merge":
                finding = self._other_result(report, batch, setting)
            kept.append(_with(report, finding) if finding else report)
        self.reports = kept
        self.batch_commits = tuple(report.commit for report in kept)

    def _chunks(self, tips: list[str], progress: Callable[[int], None] | None) -> Iterator[list[walk.RawCommit]]:
        """Yield the commits that have to be looked at, in bounded pieces."""
        chunk: list[walk.RawCommit] = []
        size = 0
        skip = self._skip if self.cache and not self.cache.is_empty() else None
        for raw in walk.commits(self.room.git, tips, first_parent=self.request.first_parent, skip=skip):
            self.count += 1
            if progress and self.count % _PROGRESS == 0:
                progress(self.count)
            if raw.oid in self.room.shallow:
                self.boundary.append(raw.oid)
            if not (self.rules or self.request.every_commit or raw.oid in self.known or is_candidate(raw)):
                continue
            chunk.append(raw)
            size += len(raw.body)
            if len(chunk) >= _CHUNK or size >= _CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
        if progress:
            progress(self.count)
        if chunk:
            yield chunk

    def _skip(self, oids: Sequence[str]) -> Collection[str]:
        """Return which commits need not be read: those in the cache, unless a rule asks for their messages."""
        known = self.cache.get(oids) if self.cache else {}
        self.known.update(known)
        return () if self.rules else known

    def _record_refs(self) -> Mapping[str, str]:
        return {**history.refs_below(self.repository, RECORD_REFS), **self.request.record_refs}

    def _required(self, reports: list[CommitReport], commits: list[Commit]) -> list[CommitReport]:
        """Return the reports with a finding on each to which a record is due and not verified."""
        wants_paths = any(rule.kind == "path" for rule in self.rules)
        diffs = self.examiner.diffs(commits) if wants_paths else iter([(None, "")] * len(commits))
        done: list[CommitReport] = []
        for report, commit, (entries, why) in zip(reports, commits, diffs, strict=True):
            rule = required.due_by(self.rules, commit, report, [entry.path for entry in entries or ()])
            if rule is None and wants_paths and entries is None:
                done.append(required.unknown(report, why))
            elif rule and len(commit.parents) > 1:
                done.append(self._required_of_merge(report, commit))
            else:
                done.append(required.missing(report, rule) if rule else report)
        return done

    def _required_of_merge(self, report: CommitReport, commit: Commit) -> CommitReport:
        """Do the same for a merge, which owes a record only for what it changes besides merging."""
        own = history.merge_changes(self.room, commit)
        if own is None:
            return required.unknown(report, "what the merge changes besides merging cannot be told")
        rule = required.due_by(self.rules, commit, report, [entry.path for entry in own]) if own else None
        return required.missing(report, rule) if rule else report

    def _alone(self, oid: str) -> Examined | None:
        """Judge one commit outside the range, if it is here."""
        commit = self._commit(oid)
        return self.examiner.alone(commit) if commit else None

    def _commit(self, oid: str) -> Commit | None:
        body = self.examiner.commit(oid)
        return None if body is None else parse_commit(oid, body)

    def _repeats(self, older: str, newer: str, inverse: str) -> bool:
        """Return whether `older` is an ancestor of `newer` and no commit in between takes its diff back."""
        path = history.between(self.room, older, newer, limit=_BETWEEN)
        if newer not in path:
            return False
        commits = [commit for oid in path if oid != newer and (commit := self._commit(oid))]
        return not any(entries and delta(entries) == inverse for entries, _ in self.examiner.diffs(commits))

    def _other_result(self, report: CommitReport, batch: batches.Wanted, setting: batches.Setting) -> Finding | None:
        commit = self._commit(report.commit)
        if commit is None or any(finding.rule == "renamed" for finding in report.findings):
            # The batch names the old path; that its regions are here is proved already.
            return None
        [(entries, _)] = self.examiner.diffs([commit])
        try:
            return batches.other_result(batch, setting, {e.path: e for e in entries or ()}, self.examiner.blob)
        except MissingObjectError as error:
            return Finding("unverifiable", ERROR, str(error))


def _with(report: CommitReport, finding: Finding) -> CommitReport:
    return report._replace(status=finding.rule, detail=None, findings=(*report.findings, finding))


def _weakened(report: CommitReport) -> CommitReport:
    findings = tuple(
        finding._replace(level=WARNING) if finding.rule == "unverifiable" else finding for finding in report.findings
    )
    return report._replace(findings=findings)
