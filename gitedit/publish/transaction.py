"""Make a verified plan visible: files, index and branch together, or none of them.

Everything that can refuse (locks, the index entries, the branch's old value) is asked before the first file is
replaced; only hooks, which must see the edited files, run in between. Any failure is taken back by `recover`.
"""

import contextlib
import errno
import functools
import operator
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from gitedit.errors import ConflictError, EditError, OperationError, RepositoryError
from gitedit.git import index, refs, state, worktree
from gitedit.git.index import IndexEntry, IndexIdentity
from gitedit.git.paths import failures_named, shown
from gitedit.git.process import Git
from gitedit.git.refs import RefTransaction
from gitedit.git.repository import Repository
from gitedit.publish import indexes, kept, recover, signals, steps
from gitedit.publish import journal as journals
from gitedit.publish.journal import Journal, JournalFile
from gitedit.publish.plan import FilePlan
from gitedit.publish.snapshot import check_unchanged
from gitedit.publish.workspace import DRAFT, Workspace

if TYPE_CHECKING:
    from gitedit.git.indexlock import IndexLock
    from gitedit.git.worktree import DiskFile

# Above this many files one sync(2) is cheaper than an fsync(2) each.
_SYNC_ABOVE = 16


class Publication(NamedTuple):
    """All that is to become visible."""

    plans: Sequence[FilePlan]
    restaged: Mapping[str, str]
    """Path -> blob id of E(I); empty: the index stays."""
    same_on_disk: frozenset[str]
    """Paths whose E(W) is, to git, exactly E(I): their stat data may be recorded."""
    entries: Mapping[str, tuple[IndexEntry, ...]]
    """The index entries of the paths when the snapshot was taken."""
    index_identity: IndexIdentity | None
    """The index file when the entries were read."""
    commits: bool
    """A branch is to move."""
    stored: Callable[[], str | None]
    """Waits until all objects are stored, and verifies them; returns the commit's id, unless hooks have a say in it.
    Called while nothing is visible yet."""
    begin_refs: Callable[[], RefTransaction]
    """Begins the transaction that moves the branch."""
    hooks: Callable[[], str] | None = None
    """Runs the commit hooks, then makes the commit object and returns its id."""
    extra_refs: Mapping[str, str] | None = None
    """More refs to create in the same transaction: full name -> object id."""
    index_installed: Callable[[IndexIdentity | None, IndexIdentity | None], None] | None = None
    """Told which index file became which, both as they were under the lock."""
    warn: Callable[[str], object] | None = None
    """Told what there is to say about a publication that went well."""


def publish(workspace: Workspace, publication: Publication) -> str | None:
    """Publish; return the commit's id, if there is one. On any failure everything is taken back.

    Raises:
        ConflictError: `locked`, `file-changed`, `ref-moved`, `index-changed`.
        HookError: `hook-rejected`, `hook-changed-commit`, `signing-failed`.
    """
    run = _Run(workspace, publication)
    try:
        with failures_named():
            run.begin()
            return run.carry_out()
    except BaseException as error:
        if run.shown:
            # A handler that is not ours raised while all was done but tidied up.
            with contextlib.suppress(OSError, EditError):
                run.finish()
            raise
        signals.note_only()
        with signals.held():
            notes = _undone(run, error)
        if isinstance(error, EditError):
            error.hint = "; ".join(filter(None, [error.hint, *notes]))
        else:
            for note in notes:
                error.add_note(note)
        raise


def _undone(run: "_Run", error: BaseException) -> list[str]:
    try:
        return run.undo()
    except (OSError, EditError, journals.TornError) as second:
        message = f"{error or type(error).__name__}; and what was done could not be taken back yet: {second}"
        raise OperationError("io-error", message, "run `gitedit recover` when the cause is gone") from error


class _Place(NamedTuple):
    """Where one file is exchanged."""

    plan: FilePlan
    target: str
    temporary: str
    replaced: str
    """What stood at `target` is here afterwards; `temporary` itself where no hook could find it there."""


class _NextIndex(NamedTuple):
    """The index that holds E(I), under way."""

    source: IndexIdentity | None
    """Of the index that it is made from."""
    path: str
    git: Git
    rows: Mapping[str, tuple[str, str]]
    rewrite: index.Rewrite


class _Run:
    """One publication under way."""

    def __init__(self, workspace: Workspace, publication: Publication) -> None:
        self._workspace = workspace
        self._publication = publication
        self._repository: Repository = workspace.repository
        self._journal = _journal(workspace, publication)
        self._places = [self._place(number) for number in range(len(publication.plans))]
        self._written: list[DiskFile] = []
        self._lock: IndexLock | None = None
        self._refs: RefTransaction | None = None
        self._next: _NextIndex | None = None
        self._commit: str | None = None
        self._began = self._hooks_began = False
        self._locked: IndexIdentity | None = None
        self.shown = False

    def _place(self, number: int) -> _Place:
        plan, name = self._publication.plans[number], self._journal.files[number].temporary
        target = f"{self._repository.top}/{plan.path}"
        temporary = f"{target.rpartition('/')[0]}/{name}"
        hooked = self._publication.hooks is not None
        # Out of the work tree, where a hook's `git add -A` would find it.
        return _Place(
            plan, target, temporary, self._workspace.path(self._journal.replaced(number)) if hooked else temporary
        )

    def begin(self) -> None:
        """Write the temporary files, see the objects stored, begin the journal: nothing of it is visible yet."""
        workspace, publication = self._workspace, self._publication
        if publication.commits and publication.hooks is None:
            self._refs = self._publication.begin_refs()
        if publication.restaged and publication.hooks is None:
            self._next = self._new_index()
        disks = [plan.snapshot.disk for plan in publication.plans]
        permissions = functools.reduce(operator.and_, (disk.permissions for disk in disks))
        journals.draft(workspace, self._journal, [disk.content for disk in disks], at_most=permissions)
        steps.reached("draft")
        many = len(disks) > _SYNC_ABOVE
        for place, disk in zip(self._places, disks, strict=True):
            content = place.plan.worktree.content
            self._written.append(
                worktree.write_temporary(place.target, place.temporary, content, disk, durable=not many)
            )
        if many:
            os.sync()
        steps.reached("temporaries")
        self._commit = publication.stored()
        if self._commit is not None:
            journals.add_commit(workspace, self._commit, DRAFT)
        self._began = True
        journals.begin(workspace)
        steps.reached("journal")

    def carry_out(self) -> str | None:
        """Take every step that others can see; return the commit's id."""
        publication = self._publication
        if publication.hooks is not None:
            self._swap()
            self._hooks_began = True
            self._commit = publication.hooks()
            steps.reached("hooks-run")
            self._refs = self._publication.begin_refs()
            journals.add_commit(self._workspace, self._commit)
            steps.reached("journal-commit")
        self._journal = self._journal._replace(commit=self._commit)
        if publication.restaged:
            self._lock = recover.hold(self._workspace, self._workspace.token)
            steps.reached("index-locked")
            self._check_entries()
            if self._next is None or self._next.source != self._locked:
                self._discard_next()
                self._next = self._new_index()
        if self._commit is not None:
            self._prepare(self._commit)
            steps.reached("refs-prepared")
        if publication.hooks is None:
            self._swap()
        following = self._next_index(self._next) if self._next is not None else None
        self._check_replaced()
        # Both: the mask is this thread's alone, and a handler runs here whichever thread the signal was given to.
        signals.note_only()
        with signals.held():
            self._show(following, self._commit)
        return self._commit

    def undo(self) -> list[str]:
        """Take everything back; return what there is to say about it."""
        if self._refs is not None:
            self._refs.abort()
        self._discard_next()
        if self._began and self._commit is not None and self._moved(self._commit):
            # A handler that is not ours raised, in another thread's stead, while the branch moved: it stays.
            self.shown = True
            return self.finish()
        notes = []
        if self._began:
            found_by = "the edit" if self._hooks_began else None
            notes = recover.take_back(self._workspace, self._journal, found_by=found_by, everything=self._hooks_began)
        return notes + recover.forget_draft(self._workspace)

    def finish(self) -> list[str]:
        """Tidy up after what is done; return what is kept, in sentences."""
        return recover.finish(self._workspace, self._journal)

    def _swap(self) -> None:
        for place in self._places:
            disk = place.plan.snapshot.disk
            is_expected = functools.partial(worktree.holds, file=disk)
            looked_at = worktree.untouched(place.target, disk)
            if not worktree.exchange(place.target, place.temporary, is_expected, looked_at=looked_at):
                raise _changed(place.plan)
            if place.replaced != place.temporary:
                _take_away(place)
            steps.reached("swapped")

    def _check_replaced(self) -> None:
        """Check once more that nobody has written into a replaced file: an editor may have had it open."""
        for place in self._places:
            disk = place.plan.snapshot.disk
            if not worktree.untouched(place.replaced, disk):
                found = worktree.content(place.replaced)
                if found is not None and found != disk.content:
                    raise _changed(place.plan)

    def _check_entries(self) -> None:
        """Check, under the lock, that our entries are still those that the plan was made from."""
        publication = self._publication
        self._locked = index.identity(self._repository.index_file)
        if self._locked == publication.index_identity:
            return
        paths = list(publication.restaged)
        now = index.entries(self._repository.at_top.reading(), paths)
        check_unchanged({path: publication.entries[path] for path in paths}, now)

    def _prepare(self, commit: str) -> None:
        repository = self._repository
        old = repository.head or ""
        for attempt in ("first", "last"):
            if self._refs is None:
                self._refs = self._publication.begin_refs()
            self._refs.ask(repository.ref, commit, old, self._journal.created)
            worktree.exchanger()
            if self._refs.prepared():
                break
            answer, self._refs = self._refs.abort(), None
            refusal = refs.refused(repository, repository.ref, old, answer)
            # A refusal without a cause that is still to be seen was somebody's lock, gone by now.
            if attempt == "last" or not isinstance(refusal, OperationError):
                raise refusal
        _check_still_on(repository)

    def _new_index(self) -> _NextIndex:
        """Have git begin to build the index that holds E(I); it waits for the files."""
        publication = self._publication
        rows = {path: (publication.entries[path][0].mode, oid) for path, oid in publication.restaged.items()}
        source = index.identity(self._repository.index_file)
        following = indexes.following(self._workspace)
        if index.identity(self._repository.index_file) != source:
            # Rewritten while it was linked or copied: made from no known index, so to be made again.
            source = None
        git = indexes.git_for(self._repository.at_top, following)
        return _NextIndex(source, following, git, rows, index.Rewrite(git, rows))

    def _discard_next(self) -> None:
        if self._next is not None:
            self._next.rewrite.close()
            self._next = None

    def _next_index(self, begun: _NextIndex) -> str:
        """Finish the next index, with the stat data of the files that are exactly E(I)."""
        same = [n for n, place in enumerate(self._places) if place.plan.path in self._publication.same_on_disk]
        on_disk = [number for number in same if self._holds(number, looking=False)]
        answer = begun.rewrite.finish([self._places[number].plan.path for number in on_disk])
        if answer.status or not all(self._holds(number, looking=True) for number in on_disk):
            # Somebody saved or removed one meanwhile: those bytes must not be taken for staged ones.
            indexes.following(self._workspace)
            index.update(begun.git, begun.rows)
        steps.reached("next-index")
        return begun.path

    def _holds(self, number: int, *, looking: bool) -> bool:
        """Return whether the disk holds E(W), as executable as W was: a hook's `chmod` must not be staged.

        Unless `looking`, the stat data that our own file had will do.
        """
        place = self._places[number]
        if not looking and worktree.untouched(place.target, self._written[number]):
            return True
        with contextlib.suppress(FileNotFoundError):
            same_mode = bool(os.lstat(place.target).st_mode & stat.S_IXUSR) == place.plan.snapshot.disk.executable
            return same_mode and worktree.content(place.target) == place.plan.worktree.content
        return False

    def _show(self, following: str | None, commit: str | None) -> None:
        """Take the last steps: index before branch, so that the worst that a kill leaves is an edit staged."""
        if following is not None and self._lock is not None:
            indexes.keep_old(self._workspace)
            self._lock.install(following)
            if self._publication.index_installed is not None:
                self._publication.index_installed(self._locked, index.identity(self._repository.index_file))
            steps.reached("index-installed")
        if commit is not None and self._refs is not None:
            if not self._refs.commit() and not self._moved(commit):
                raise OperationError("git-failed", "git update-ref could not move the branch")
            steps.reached("refs-committed")
        # From here it is done, and must not be taken back: what can't be tidied up now, the next run will.
        self.shown = True
        with contextlib.suppress(OSError):
            for number, place in enumerate(self._places):
                if worktree.content(place.replaced) == place.plan.snapshot.disk.content:
                    os.unlink(place.replaced)
                elif os.path.lexists(place.replaced):
                    kept.move(self._workspace, place.replaced, self._journal, number, "found")
            for note in recover.let_go(self._workspace, self._journal):
                if self._publication.warn is not None:
                    self._publication.warn(note)

    def _moved(self, commit: str) -> bool:
        return refs.value(self._repository.at_top, self._repository.ref or "HEAD") == commit


def _take_away(place: _Place) -> None:
    with contextlib.suppress(FileNotFoundError):  # it could not be kept: no exchange here, and no links
        try:
            os.rename(place.temporary, place.replaced)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            os.unlink(place.temporary)


def _journal(workspace: Workspace, publication: Publication) -> Journal:
    files = []
    for number, plan in enumerate(publication.plans):
        restaged = publication.restaged.get(plan.path)
        row = publication.entries[plan.path][0] if restaged is not None else None
        files.append(
            JournalFile(
                path=plan.path,
                temporary=f"{journals.TEMPORARY}{workspace.token[:16]}.{number}",
                size=len(plan.snapshot.disk.content),
                before=journals.digest(plan.snapshot.disk.content),
                after=journals.digest(plan.worktree.content),
                mode=None if row is None else row.mode,
                staged=None if row is None else row.oid,
                restaged=restaged,
            )
        )
    repository = workspace.repository
    return Journal(
        token=workspace.token,
        files=tuple(files),
        ref=repository.ref,
        old=repository.head,
        publishes=publication.commits,
        created=publication.extra_refs or {},
    )


def _changed(plan: FilePlan) -> ConflictError:
    hint = "nothing was changed; read the file again and retry"
    return ConflictError("file-changed", f"{shown(plan.path)}: changed on disk while it was being edited", hint)


def _check_still_on(repository: Repository) -> None:
    """Raise ConflictError `ref-moved` where HEAD names another branch by now, RepositoryError `in-progress`."""
    if not refs.head_names(repository, repository.ref):
        message = "another branch was checked out while the commit was being made"
        raise ConflictError("ref-moved", message, "nothing was changed; retry")
    under_way = state.in_progress(repository)
    if under_way:
        raise RepositoryError("in-progress", f"{under_way} began while the commit was being made", "finish it first")
