"""`gitedit stats`: what agents wrote, and what is left of it, by agent, path and month.

Lines are counted for verified commits only, where all that changes is recorded; of the others, verdicts and edits are.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from gitedit.audit.lines import is_here
from gitedit.audit.model import CommitReport
from gitedit.commands.audit import AuditRequest, audit
from gitedit.commands.blame import Line, lines, look_up, version
from gitedit.git import history, repository
from gitedit.git.blame import Origin, blame
from gitedit.git.commits import parse_commit
from gitedit.git.counts import Numbers, numstat, renames, tree_lines
from gitedit.git.diffs import EMPTY_TREE
from gitedit.git.objects import ObjectReader
from gitedit.git.process import for_hook

_CHUNK = 512
_AT_ONCE = 2
"""Files that git blames while the lines of another are looked up: it walks the history anew for each."""

Progress = Callable[[int, int | None], None]


class Row(NamedTuple):
    """The numbers of one agent, path or month."""

    key: str | None
    """None: the record names no agent. Several agents that wrote in the same file of one commit: `A + B`."""
    commits: int
    edits: int
    """Recorded regions."""
    added: int
    """Lines, as `git diff --numstat` counts them, of verified commits."""
    removed: int
    lines: int
    """Lines at the head that verified recorded edits wrote."""
    of: int
    """Lines that there are: at the head, or in the path's file there."""
    strategies: Mapping[str, int]
    verdicts: Mapping[str, int]


class Stats(NamedTuple):
    """All numbers of a range."""

    head: str
    """The commit whose lines are counted: the first that the revisions name."""
    lines: int
    """Of all text files there."""
    recorded: int
    """Those that verified recorded edits of the range wrote."""
    commits: int
    """With a record."""
    verdicts: Mapping[str, int]
    agents: tuple[Row, ...]
    """Most lines first."""
    paths: tuple[Row, ...]
    """Most lines first."""
    months: tuple[Row, ...]
    """Oldest first; by the author's date."""


class _Sum:
    """A row while it is counted."""

    def __init__(self) -> None:
        self.commits: set[str] = set()
        self.edits: Counter[str] = Counter()
        self.verdicts: Counter[str] = Counter()
        self.added = self.removed = self.lines = 0

    def commit(self, report: CommitReport, strategies: Iterable[str]) -> None:
        self.edits.update(strategies)
        if report.commit not in self.commits:
            self.commits.add(report.commit)
            self.verdicts[report.status] += 1

    def row(self, key: str | None, of: int) -> Row:
        strategies = dict(sorted(self.edits.items()))
        numbers = (len(self.commits), self.edits.total(), self.added, self.removed, self.lines, of)
        return Row(key, *numbers, strategies, dict(sorted(self.verdicts.items())))


class _Sums(dict[str | None, _Sum]):
    """Rows by key."""

    def __missing__(self, key: str | None) -> _Sum:
        self[key] = _Sum()
        return self[key]


class _Tables(NamedTuple):
    agents: _Sums
    paths: _Sums
    months: _Sums


class _Head(NamedTuple):
    """The commit whose lines are counted, and how it is read."""

    room: history.Room
    reader: ObjectReader
    commit: str
    """"" where the revisions name none."""
    files: Mapping[str, int]
    """Path -> lines, of its text files."""


def stats(request: AuditRequest, progress: Progress | None = None) -> Stats:
    """Return the numbers of a range; raises what `audit` raises."""
    reports = [report for report in audit(request).commits if report.records]
    verified = {report.commit: report for report in reports if report.status == "verified"}
    found = repository.find(for_hook(request.directory), bare_allowed=True)
    tables = _Tables(_Sums(), _Sums(), _Sums())
    with history.open_room(found) as room:
        reader = ObjectReader(room.git)
        try:
            head = _head(room, reader, history.resolve(found, room, request.revisions))
            for report in reports:
                _count_edits(tables, report)
            for report, numbers in _numbers(room, reader, list(verified.values())):
                _count_changes(tables, report, numbers)
            recorded = 0
            for path, line in _recorded_lines(head, verified, progress):
                recorded += 1
                _count_line(tables, path, line, verified[line.commit])
        finally:
            reader.close()
    return _stats(tables, reports, head, recorded)


def _head(room: history.Room, reader: ObjectReader, tips: Iterable[str]) -> _Head:
    tip = next((tip for tip in tips if not tip.startswith("^")), None)
    if tip is None:
        return _Head(room, reader, "", {})
    commit = room.git.run("rev-parse", "--verify", f"{tip}^{{commit}}").decode("ascii").strip()
    return _Head(room, reader, commit, tree_lines(room.git, reader, f"{commit}^{{tree}}"))


def _stats(tables: _Tables, reports: Sequence[CommitReport], head: _Head, recorded: int) -> Stats:
    total = sum(head.files.values())
    agents = [one.row(key, total) for key, one in tables.agents.items()]
    paths = [one.row(key, head.files.get(key or "", 0)) for key, one in tables.paths.items()]
    months = [tables.months[key].row(key, total) for key in sorted(tables.months, key=str)]
    verdicts = Counter(report.status for report in reports)
    return Stats(
        head.commit,
        total,
        recorded,
        len(reports),
        dict(sorted(verdicts.items())),
        tuple(sorted(agents, key=_most_first)),
        tuple(sorted(paths, key=_most_first)),
        tuple(months),
    )


def _most_first(row: Row) -> tuple[int, int, str]:
    return -row.lines, -row.edits, row.key or ""


def _count_edits(tables: _Tables, report: CommitReport) -> None:
    for record in report.records:
        tables.agents[record.agent].commit(report, ())
        tables.months[report.date[:7]].commit(report, ())
        for file in record.files:
            strategies = [edit.strategy for edit in file.edits]
            tables.agents[record.agent].commit(report, strategies)
            tables.months[report.date[:7]].commit(report, strategies)
            tables.paths[file.path].commit(report, strategies)


def _count_changes(tables: _Tables, report: CommitReport, numbers: Numbers) -> None:
    claims = [(record.agent, file.path) for record in report.records for file in record.files]
    for path, (added, removed) in numbers.items():
        here = [(agent, recorded) for agent, recorded in claims if is_here(report, recorded, path)]
        if not here:
            continue
        sums = tables.agents[_joined(agent for agent, _ in here)], tables.months[report.date[:7]]
        for one in (*sums, tables.paths[here[0][1]]):
            one.added += added
            one.removed += removed


def _count_line(tables: _Tables, path: str, line: Line, report: CommitReport) -> None:
    for one in (
        tables.agents[_joined({writer.agent for writer in line.writers})],
        tables.months[report.date[:7]],
        tables.paths[path],
    ):
        one.lines += 1


def _joined(agents: Iterable[str | None]) -> str | None:
    """Return the one agent, or all of them: what two wrote together is told of neither alone."""
    names = set(agents)
    return names.pop() if len(names) == 1 else " + ".join(sorted(name or "(no agent)" for name in names))


def _numbers(
    room: history.Room, reader: ObjectReader, reports: Sequence[CommitReport]
) -> Iterator[tuple[CommitReport, Numbers]]:
    for start in range(0, len(reports), _CHUNK):
        chunk = reports[start : start + _CHUNK]
        wanted = dict.fromkeys(oid for report in chunk for oid in (report.commit, *report.parents[:1]))
        found = zip(wanted, reader.read_many(list(wanted)), strict=True)
        trees = {oid: parse_commit(oid, item.body).tree for oid, item in found if item and item.kind == "commit"}
        empty = EMPTY_TREE[room.algorithm]
        pairs = [(trees[r.parents[0]] if r.parents else empty, trees[r.commit]) for r in chunk]
        yield from zip(chunk, numstat(room.git, pairs), strict=True)


def _recorded_lines(
    head: _Head, verified: Mapping[str, CommitReport], progress: Progress | None
) -> Iterator[tuple[str, Line]]:
    """Yield the lines at the head that verified edits wrote: git is asked only for files that they may stand in."""
    paths = _paths_now(head, verified.values())

    def origins_of(path: str) -> list[Origin]:
        # An empty file has no lines, and git refuses to blame one.
        runs = blame(head.room, head.commit, path) if head.files[path] else []
        return [run for run in runs if run.commit in verified]

    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        for number, (path, origins) in enumerate(zip(paths, pool.map(origins_of, paths), strict=True)):
            if progress:
                progress(number, len(paths))
            blob = version(head.reader, head.room, head.commit, path)
            if blob:
                judged = look_up(head.reader, head.room, verified, origins)
                yield from ((path, line) for line in lines(blob, origins, judged) if line.writers)
    finally:
        # Whoever interrupts it does not wait for the other files.
        pool.shutdown(cancel_futures=True)


def _paths_now(head: _Head, reports: Iterable[CommitReport]) -> list[str]:
    """Return the files at the head that have, or had, a recorded path."""
    names: set[str] = set()
    for report in reports:
        names |= {file.path for record in report.records for file in record.files}
        names |= {finding.path for finding in report.findings if finding.rule == "renamed" and finding.path}
    if head.commit and not names <= head.files.keys():
        for old, new in renames(head.room.git, head.commit):
            if old in names:
                names.add(new)
    return sorted(names & head.files.keys())
