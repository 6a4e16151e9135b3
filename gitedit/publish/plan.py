"""Replay: the batch applied to H, I and W of every file, and the refusal where the three do not agree. Pure."""

from collections.abc import Callable
from typing import NamedTuple

from gitedit.edits.engine import apply_edits
from gitedit.edits.model import FileEdits, Mode, Revision
from gitedit.errors import EditError, MatchError, Problem
from gitedit.git.paths import shown
from gitedit.publish.snapshot import FileSnapshot

Revise = Callable[[bytes], Revision]

_SAME_STRATEGY = {"line-endings": "exact"}


class Matching(NamedTuple):
    """How the edits of a batch are matched."""

    mode: Mode
    exact: bool
    encoding: str | None


class FilePlan(NamedTuple):
    """What is to become of one file."""

    snapshot: FileSnapshot
    worktree: Revision
    """E(W)."""
    staged: Revision | None = None
    """E(I); None: the index stays."""
    committed: Revision | None = None
    """N = E(H); None: no commit."""

    @property
    def path(self) -> str:
        """Relative to the top."""
        return self.snapshot.path


def make(snapshots: list[FileSnapshot], files: tuple[FileEdits, ...], matching: Matching) -> list[FilePlan]:
    """Apply each file's edits to every version that its snapshot holds.

    Raises EditError with the code of the first edit that misses; `uncommitted-lines` where it fits the file on disk
    but not the stored versions.
    """
    return [_plan(snapshot, file, matching) for snapshot, file in zip(snapshots, files, strict=True)]


def _plan(snapshot: FileSnapshot, file: FileEdits, matching: Matching) -> FilePlan:
    done: dict[bytes, Revision] = {}

    def revise(source: bytes) -> Revision:
        if source not in done:
            done[source] = apply_edits(
                source, file.edits, mode=matching.mode, exact=matching.exact, encoding=matching.encoding
            )
        return done[source]

    disk = snapshot.disk.content
    try:
        worktree = revise(disk)
    except EditError as error:
        raise _named(error, snapshot.path, hint=_already_there(snapshot, revise)) from error
    committed = staged = None
    if snapshot.head is not None:
        committed = _replayed(snapshot, worktree, revise, snapshot.head.content, "HEAD")
    if snapshot.staged is not None:
        staged = _replayed(snapshot, worktree, revise, snapshot.staged.content, "the index")
    return FilePlan(snapshot, worktree, staged, committed)


def _replayed(snapshot: FileSnapshot, worktree: Revision, revise: Revise, source: bytes, place: str) -> Revision:
    """Return E(source), which must match as E(W) did."""
    if source == snapshot.disk.content:
        return worktree
    hint = "the batch touches lines that are not committed yet: commit or stash them first"
    path = snapshot.path
    try:
        revision = revise(source)
    except EditError as error:
        message = f"{shown(path)}: fits the file on disk but not {place}: {error.message}"
        problems = tuple(problem._replace(path=path) for problem in error.problems)
        raise MatchError("uncommitted-lines", message[:1999], hint, problems) from error
    pairs = zip(_strategies(worktree), _strategies(revision), strict=True)
    for number, (on_disk, stored) in enumerate(pairs):
        if on_disk != stored:
            message = f"edit {number + 1} matches by {on_disk} on disk and by {stored} in {place}"
            problem = Problem(path, number, "uncommitted-lines", message)
            raise MatchError("uncommitted-lines", f"{shown(path)}: {message}", hint, (problem,))
    return revision


def _strategies(revision: Revision) -> list[str]:
    return [_SAME_STRATEGY.get(edit.matched_via, edit.matched_via) for edit in revision.edits]


def _already_there(snapshot: FileSnapshot, revise: Revise) -> str | None:
    """Return the hint for a batch that was applied to the disk before, by whomever."""
    if snapshot.head is None:
        return None
    try:
        done = revise(snapshot.head.content).content == snapshot.disk.content
    except EditError:
        return None
    return "already on disk: git add and commit, or restore the file first" if done else None


def _named(error: EditError, path: str, hint: str | None) -> EditError:
    """Return the same error with the path in front of its message and in its problems."""
    problems = tuple(problem._replace(path=path) for problem in error.problems)
    message = f"{shown(path)}: {error.message}"[:1999]
    return type(error)(error.code, message, error.hint if hint is None else hint, problems)
