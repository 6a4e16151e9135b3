"""The verdict on one commit: its claims against its whole diff, path by path; the worst finding gives the status.

Everything that has to be read comes through `Sources`; what is missing there makes the commit `unverifiable`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from gitedit.audit import chain
from gitedit.audit.claims import Claims
from gitedit.audit.explain import line_at
from gitedit.audit.model import (
    ERROR,
    NOTE,
    STATUSES,
    EditFacts,
    FileFacts,
    Finding,
    Placed,
    RecordFacts,
    StoredRecords,
    records_text,
)
from gitedit.audit.paths import PathVerdict, judge_path
from gitedit.audit.renames import Renames
from gitedit.audit.sources import MissingObjectError, Sources
from gitedit.git.diffs import ABSENT, DiffEntry
from gitedit.record.compose import first_difference
from gitedit.record.digests import RegionDigest, change, delta
from gitedit.record.encoding import decode_value, shown_path
from gitedit.record.model import FileClaim, FoundRecord, Record

_FEW = 20
"""Findings of one kind that a commit gets; the last one says how many more there are."""

Place = tuple[int, int, int]
"""(record, file, edit), each counted from 0."""


class Judgement(NamedTuple):
    """What the bytes say about the claims."""

    status: str
    detail: str | None
    findings: tuple[Finding, ...]
    records: Sequence[RecordFacts]


def judge(
    claims: Claims,
    entries: Sequence[DiffEntry] | None,
    sources: Sources,
    renames: Renames,
    *,
    merge: bool = False,
    why: str = "",
) -> Judgement:
    """Judge a commit by its diff from the first parent; `entries` None: the diff is not known, for the reason `why`."""
    findings = list(claims.findings)
    case = _Case(claims.sound, entries or (), sources, renames)
    if entries is None and claims.records:
        findings.append(Finding("unverifiable", ERROR, why))
    elif claims.sound:
        try:
            case.run(whole=len(claims.sound) == len(claims.records))
        except MissingObjectError as error:
            case.findings = [Finding("unverifiable", ERROR, str(error))]
        findings += case.findings if not _lost(findings) else filter(_holds_anyway, case.findings)
    status = worst_status(findings) or ("verified" if claims.sound else "no-record")
    detail = None
    if status == "verified":
        detail = "merge" if merge else case.detail()
    return Judgement(status, detail, tuple(findings), facts(claims.records, claims.sound, case.places))


def _lost(findings: Sequence[Finding]) -> bool:
    """Return whether lines of a record are lost in which the commit's bytes may be explained."""
    return any(finding.rule == "incomplete" and finding.level == ERROR for finding in findings)


def _holds_anyway(finding: Finding) -> bool:
    """Return whether a finding is true whatever lost lines say: "explained by no record" is not."""
    return finding.reason != "outside-region"


def worst_status(findings: Sequence[Finding]) -> str | None:
    """Return the worst status among findings that are not notes."""
    found = {finding.rule for finding in findings}
    return next((status for status in STATUSES if status in found), None)


class _Case:
    """The records of one commit being held against its diff."""

    def __init__(
        self, records: Sequence[Record], entries: Sequence[DiffEntry], sources: Sources, renames: Renames
    ) -> None:
        self.records = records
        self.entries = {entry.path: entry for entry in entries}
        self.sources = sources
        self.renames = renames
        self.findings: list[Finding] = []
        self.places: dict[Place, Placed] = {}
        self.digests: dict[Place, RegionDigest] = {}
        self.moved = False

    def detail(self) -> str:
        if len(self.records) > 1:
            return f"squash({len(self.records)})"
        is_exact = not self.moved and self.records[0].value("delta") == delta(self.entries.values())
        return "exact" if is_exact else "moved"

    def run(self, *, whole: bool) -> None:
        """Judge every path; `whole`: these are all the claims, so that a path of none of them is one too many."""
        claimed: dict[str, list[tuple[int, int]]] = {}
        for r, record in enumerate(self.records):
            for f, file in enumerate(record.files):
                claimed.setdefault(file.path, []).append((r, f))
        extra = [path for path in self.entries if path not in claimed]
        missing: list[str] = []
        for path, group in claimed.items():
            entry = self.entries.get(path)
            if entry:
                self._take(group, judge_path(self._files(group), entry, self.sources.blob))
            elif not self._cancels_out(path, group):
                missing.append(path)
        lost: list[str] = []
        for path in missing:
            renamed = self._renamed(path, claimed[path])
            if renamed:
                extra.remove(renamed)
            else:
                lost.append(path)
        self._missing(lost)
        if whole:
            self._extra(extra, all_here=all(finding.level == NOTE for finding in self.findings))
        self._change()

    def _files(self, group: Sequence[tuple[int, int]]) -> list[FileClaim]:
        return [self.records[r].files[f] for r, f in group]

    def _take(self, group: Sequence[tuple[int, int]], verdict: PathVerdict) -> None:
        if verdict.finding:
            self.findings.append(verdict.finding)
        for (claim, edit), placed in verdict.places.items():
            self.places[(*group[claim], edit)] = placed
        for (claim, edit), digest in verdict.digests.items():
            self.digests[(*group[claim], edit)] = digest
        self.moved = self.moved or not verdict.chained
        if not verdict.unique:
            path = self._files(group)[0].path
            message = f"{shown_path(path)}: recorded bytes stand in the parent's version more than once"
            self.findings.append(Finding("place-not-unique", NOTE, message, None, path))

    def _cancels_out(self, path: str, group: Sequence[tuple[int, int]]) -> bool:
        """Return whether the records lead back to where they began: an edit and its inverse change nothing.

        They prove it only if they begin at the blob that is here; any two invented ones lead back to somewhere.
        """
        files = self._files(group)
        if len(files) < 2:
            return False
        here = self.sources.in_parent(path)
        if here is not None and chain.order(files, here, here) is not None:
            return True
        if here is None or chain.order(files, files[0].old_oid, files[0].old_oid) is None:
            return False
        message = f"{shown_path(path)}: the records cancel each other out, but begin at another version of it"
        self.findings.append(Finding("unverifiable", ERROR, message, None, path))
        return True

    def _renamed(self, path: str, group: Sequence[tuple[int, int]]) -> str | None:
        """Return the changed path that a recorded one became upstream, if there is one."""
        found = self.renames.find(path, self._files(group))
        if found is None:
            return None
        other, verdict = found
        self._take(group, verdict)
        self.findings.append(Finding("renamed", NOTE, f"{shown_path(path)} is {shown_path(other)} here", None, other))
        return other

    def _missing(self, missing: Sequence[str]) -> None:
        for count, path in enumerate(missing[:_FEW], 1):
            more = f" ({len(missing) - _FEW} more paths)" if count == _FEW < len(missing) else ""
            message = f"{shown_path(path)}: recorded, but the commit does not change it{more}"
            self.findings.append(Finding("modified", ERROR, message, "missing-path", path))

    def _extra(self, extra: Sequence[str], *, all_here: bool) -> None:
        total = sum(len(file.edits) for record in self.records for file in record.files)
        here = f"all {total} recorded regions are here; " if all_here and extra else ""
        for count, path in enumerate(extra[:_FEW], 1):
            entry = self.entries[path]
            line = self._first_line(entry)
            what = f"{shown_path(path)}:{line}" if line else shown_path(path)
            more = f" ({len(extra) - _FEW} more paths)" if count == _FEW < len(extra) else ""
            message = f"{here}{what} is explained by no record{more}"
            self.findings.append(Finding("modified", ERROR, message, "extra-path", path, line))

    def _first_line(self, entry: DiffEntry) -> int | None:
        """Return the first line that differs in the commit's version, None where it has none."""
        if not entry.new_mode.startswith("1") or entry.new_mode == "160000":
            return None
        if entry.old_mode in (ABSENT, "160000") or entry.old_oid == entry.new_oid:
            return 1
        try:
            old, new = self.sources.blob(entry.old_oid), self.sources.blob(entry.new_oid)
        except MissingObjectError:
            return None
        return line_at(new, first_difference(old, 0, new, 0))

    def _change(self) -> None:
        """Recompute each record's `change`, where every region of it has been checked by its bytes."""
        for r, record in enumerate(self.records):
            wanted = [(r, f, e) for f, file in enumerate(record.files) for e in range(len(file.edits))]
            known = [self.digests[place] for place in wanted if place in self.digests]
            if len(known) == len(wanted) and change(known) != record.value("change"):
                message = f"record {record.id}: its regions are not those that change= hashes"
                self.findings.append(Finding("forged", ERROR, message))


def facts(found: Sequence[FoundRecord], sound: Sequence[Record], places: dict[Place, Placed]) -> Sequence[RecordFacts]:
    """Return the claims as facts, with the places of their regions where they were found."""
    numbers = {id(record): number for number, record in enumerate(sound)}
    records = [_facts(item, numbers.get(id(item.record), -1), places) for item in found]
    return StoredRecords(records_text(records), len(records)) if records else ()


def _facts(found: FoundRecord, number: int, places: dict[Place, Placed]) -> RecordFacts:
    record = found.record
    files = tuple(
        FileFacts(
            file.path,
            file.old_mode,
            file.new_mode,
            file.old_oid,
            file.new_oid,
            tuple(
                EditFacts(
                    edit.strategy,
                    edit.old_start,
                    edit.old_length,
                    edit.new_start,
                    edit.new_length,
                    places.get((number, f, e)),
                )
                for e, edit in enumerate(file.edits)
            ),
        )
        for f, file in enumerate(record.files)
    )
    values = {key: value for key, _, value in (token.partition("=") for token in record.tokens)}
    mode, tool, agent, session, batch = (
        decode_value(value) if (value := values.get(key)) and "%" in value else value
        for key in ("mode", "tool", "agent", "session", "batch")
    )
    return RecordFacts(record.id, found.position, mode, tool, agent, session, batch, files)
