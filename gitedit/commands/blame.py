"""`gitedit blame`: git's own blame, and for each line whether a recorded edit wrote it, held against the objects.

A line is recorded where the commit it comes from is verified and a recorded region of that commit wrote in it. Every
other line is `unrecorded`: nobody knows who wrote it, and nothing is guessed.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gitedit.audit.lines import Writer, written
from gitedit.audit.model import CommitReport
from gitedit.audit.single import judge
from gitedit.errors import EditError, OperationError, RepositoryError
from gitedit.git import history, paths, repository
from gitedit.git.blame import Origin, blame
from gitedit.git.commits import parse_commit
from gitedit.git.objects import ObjectReader
from gitedit.git.process import for_hook
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader


class BlameRequest(NamedTuple):
    """One `gitedit blame`."""

    path: str
    """As for git: relative to `directory`."""
    revision: str = "HEAD"
    directory: str = "."
    ignored: str | None = None
    """A file of commits to look through, as git's --ignore-revs-file."""
    cache: bool = True


class Line(NamedTuple):
    """One line."""

    number: int
    """1-based."""
    text: bytes
    """With its newline, if it has one."""
    commit: str
    path: str
    """The file's name in that commit."""
    author: str
    seconds: int
    """The author's date, since 1970."""
    status: str
    """The audit's verdict on that commit."""
    writers: tuple[Writer, ...]
    """The recorded edits that wrote in the line; empty: unrecorded."""


class Blamed(NamedTuple):
    """A file, line by line."""

    path: str
    """Relative to the top."""
    commit: str
    """Whose version of the file it is."""
    lines: tuple[Line, ...]


class Judged(NamedTuple):
    """The origins of a file's lines, judged: what a line is told from."""

    reports: Mapping[str, CommitReport]
    writers: Mapping[tuple[str, str], Mapping[int, tuple[Writer, ...]]]
    """(commit, path there) -> line there -> who wrote it."""
    blobs: Mapping[tuple[str, str], list[bytes]]
    """(commit, path there) -> its lines; only where somebody recorded wrote."""


def blamed(request: BlameRequest) -> Blamed:
    """Return the lines of a file with the commits that they come from.

    Raises EditError: `bad-revision`; RepositoryError `missing-file`, `not-regular`, or why the path is no path here.
    """
    found = repository.find(for_hook(request.directory), bare_allowed=True)
    path = paths.by_name(found, request.path) if found.top else request.path
    with history.open_room(found) as room:
        commit = one_commit(found, room, request.revision)
        reader = ObjectReader(room.git)
        try:
            blob = version(reader, room, commit, path)
            if blob is None:
                shown = paths.shown(request.path)
                message = f"{shown}: there is no such file in {request.revision[:200]}"
                raise RepositoryError("missing-file", message, "a path is relative to the current folder, or to -C")
            origins = blame(room, commit, path, _ignored(request)) if blob else []
            reports = {
                one.oid: report
                for one, report in judge(found, room, (run.commit for run in origins), cache=request.cache)
            }
            judged = look_up(reader, room, reports, origins)
        finally:
            reader.close()
    return Blamed(path, commit, tuple(lines(blob, origins, judged)))


def _ignored(request: BlameRequest) -> str | None:
    """Return the file of commits to look through, if there is one; raise OperationError where it cannot be read."""
    if not request.ignored:
        return None
    path = os.path.abspath(os.path.join(request.directory, request.ignored))
    try:
        with open(path, "rb"):
            return path
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have that name"
        message = f"cannot read the file of ignored commits {paths.shown(request.ignored)}: {reason}"
        raise OperationError("io-error", message, "a path is relative to the current folder, or to -C") from error


def one_commit(found: Repository, room: history.Room, revision: str) -> str:
    """Return the id of the one commit that a revision names; raise EditError `bad-revision`."""
    oids = history.resolve(found, room, [revision])
    if len(oids) != 1 or oids[0].startswith("^"):
        raise EditError(
            "bad-revision",
            f"'{revision[:200]}' names more than one commit",
            "only 'gitedit audit', 'log' and 'stats' take ranges",
        )
    return room.git.run("rev-parse", "--verify", f"{oids[0]}^{{commit}}").decode("ascii").strip()


def version(reader: ObjectReader, room: history.Room, commit: str, path: str) -> bytes | None:
    """Return a commit's version of a file, None where it has none; raise RepositoryError `not-regular`."""
    tree = parse_commit(commit, reader.need(commit, "commit")).tree
    entry = TreeReader(reader, tree, room.algorithm).find(path)
    if entry is None:
        return None
    if not entry.mode.startswith("1") or entry.mode == "160000":
        hint = "a folder, a link or a submodule has no lines that anybody edited"
        raise RepositoryError("not-regular", f"{paths.shown(path)}: is not a file in {commit}", hint)
    found = reader.read(entry.oid)
    if found is None or found.kind != "blob":
        hint = "nothing is fetched: in a partial clone, fetch it first"
        raise OperationError("git-failed", f"{paths.shown(path)}: the blob {entry.oid} is not here", hint)
    return found.body


def look_up(
    reader: ObjectReader, room: history.Room, reports: Mapping[str, CommitReport], origins: Iterable[Origin]
) -> Judged:
    """Find what the verified records among the origins wrote."""
    writers: dict[tuple[str, str], Mapping[int, tuple[Writer, ...]]] = {}
    blobs: dict[tuple[str, str], list[bytes]] = {}
    for place in dict.fromkeys((run.commit, run.path) for run in origins):
        report = reports.get(place[0])
        if report and report.status == "verified" and (blob := version(reader, room, *place)) is not None:
            writers[place] = written(report, place[1], blob)
            blobs[place] = blob.split(b"\n")
    return Judged(reports, writers, blobs)


def lines(blob: bytes, origins: Sequence[Origin], judged: Judged) -> Iterator[Line]:
    """Yield a file's lines."""
    texts = blob.split(b"\n")
    for run in origins:
        place = run.commit, run.path
        there, by_line = judged.blobs.get(place, []), judged.writers.get(place, {})
        report = judged.reports.get(run.commit)
        status = report.status if report else "unverifiable"
        for at in range(run.length):
            number, first = run.line + at, run.first + at
            # Where commits are looked through, git guesses: the line there may be another one.
            same = first <= len(there) and there[first - 1] == texts[number - 1]
            who = by_line.get(first, ()) if same else ()
            ending = b"\n" if number < len(texts) else b""
            yield Line(number, texts[number - 1] + ending, run.commit, run.path, run.author, run.seconds, status, who)
