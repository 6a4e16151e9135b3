"""Make a verified plan visible: files, index and branch together, or none of them.

Everything that can refuse (locks, the index entries, the branch's old value) is asked before the first file is
replaced; only hooks, which must see the edited files, run in between. Any failure is taken back by `recover`.
"""

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from gitedit.errors import ConflictError, EditError, OperationError, RepositoryError
from gitedit.git import index, refs, state, worktree
from gitedit.git.index import IndexEntry, IndexIdentity
from gitedit.git.refs import RefTransaction
from gitedit.git.repository import Repository
from gitedit.publish import journal as journals
from gitedit.publish import recover, signals, steps
from gitedit.publish.journal import Journal, JournalFile
from gitedit.publish.plan import FilePlan
from gitedit.publish.snapshot import check_unchanged
from gitedit.publish.workspace import Workspace

# Above this many files one sync(2) is cheaper than an fsync(2) each.
_SYNC_ABOVE = 16
_OLD_INDEX = "old.index"


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
    commit: str | None = None
    """The finished commit object; None: there is none, or hooks run before it is made."""
    hooks: Callable[[], str] | None = None
    """Runs the commit hooks, then makes the commit object and returns its id."""
    extra_refs: Mapping[str, str] | None = None
    """More refs to create in the same transaction: full name -> object id."""
    index_installed: Callable[[IndexIdentity | None, IndexIdentity | None], None] | None = None
    """Told which index file became which, both as they were under the lock."""
    reason: str = ""
    """For the reflog."""

    @property
    def commits(self) -> bool:
        """Return whether a branch is to move."""
        return self.commit is not None or self.hooks is not None


def publish(workspace: Workspace, publication: Publication) -> str | None:
    """Publish; return the commit's id, if there is one. On any failure everything is taken back.

    Raises:
        ConflictError: `locked`, `file-changed`, `ref-moved`, `index-changed`.
        HookError: `hook-rejected`, `hook-changed-commit`, `signing-failed`.
    """
    run = _Run(workspace, publication)
    try:
        run.begin()
        commit = run.carry_out()
    except BaseException as error:
        with signals.held():
            notes = run.undo()
        if isinstance(error, EditError):
            error.hint = "; ".join(filter(None, [error.hint, *notes]))
        else:
            for note in notes:
                error.add_note(note)
        raise
    return commit


class _Run:
    """One publication under way."""

    def __init__(self, workspace: Workspace, publication: Publication) -> None:
        self._workspace = workspace
        self._publication = publication
        self._repository: Repository = workspace.repository
        self._journal = _journal(workspace, publication)
        self._lock = recover.lock_of(workspace, workspace.token)
        self._refs: RefTransaction | None = None
        self._hooks_began = False
        self._locked: IndexIdentity | None = None
        self._installed: IndexIdentity | None = None

    def begin(self) -> None:
        """Keep W, write the journal, then the temporary files: nothing of it is visible yet."""
        workspace, plans = self._workspace, self._publication.plans
        many = len(plans) > _SYNC_ABOVE
        for number, plan in enumerate(plans):
            workspace.save(self._journal.kept(number), plan.snapshot.disk.content, durable=not many)
        if many:
            os.sync()
        steps.reached("kept")
        journals.write(workspace, self._journal)
        steps.reached("journal")
        for plan, file in zip(plans, self._journal.files, strict=True):
            target = self._target(plan)
            temporary = os.path.join(os.path.dirname(target), file.temporary)
            worktree.write_temporary(target, temporary, plan.worktree.content, plan.snapshot.disk, durable=not many)
        if many:
            os.sync()
        steps.reached("temporaries")

    def carry_out(self) -> str | None:
        """Take every step that others can see; return the commit's id."""
        publication = self._publication
        commit = publication.commit
        if publication.hooks is not None:
            self._swap()
            self._hooks_began = True
            commit = publication.hooks()
            steps.reached("hooks-run")
            self._journal = self._journal._replace(commit=commit)
            journals.write(self._workspace, self._journal)
            steps.reached("journal-commit")
        if publication.restaged:
            self._lock.acquire()
            steps.reached("index-locked")
            self._check_entries()
        if commit is not None:
            self._prepare(commit)
            steps.reached("refs-prepared")
        if publication.hooks is None:
            self._swap()
        following = self._next_index() if publication.restaged else None
        with signals.held():
            self._show(following, commit)
        return commit

    def undo(self) -> list[str]:
        """Take everything back; return what there is to say about it."""
        if self._refs is not None:
            self._refs.abort()
        if self._installed is not None and index.identity(self._repository.index_file) == self._installed:
            # Needs no space: the index as it was is still there under another name.
            os.rename(self._workspace.path("run", _OLD_INDEX), self._repository.index_file)
        notes = recover.take_back(self._workspace, self._journal, found_by="the edit", everything=self._hooks_began)
        return notes if self._hooks_began else []

    def _swap(self) -> None:
        for number, (plan, file) in enumerate(zip(self._publication.plans, self._journal.files, strict=True)):
            target = self._target(plan)
            temporary = os.path.join(os.path.dirname(target), file.temporary)
            backup = self._workspace.path(self._journal.backup(number))
            worktree.replace(target, plan.path, temporary, backup, plan.snapshot.disk)
            steps.reached("swapped")

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
        self._refs = RefTransaction(repository.at_top, self._publication.reason)
        extra = self._publication.extra_refs or {}
        if not self._refs.prepare(repository.ref, commit, old, extra):
            answer, self._refs = self._refs.abort(), None
            raise refs.refused(repository, repository.ref, old, answer)
        _check_still_on(repository)

    def _next_index(self) -> str:
        """Build the index that holds E(I), with the stat data of the files that are exactly that."""
        workspace, publication = self._workspace, self._publication
        rows = {path: (publication.entries[path][0].mode, oid) for path, oid in publication.restaged.items()}
        contents = {plan.path: plan.worktree.content for plan in publication.plans}
        on_disk = [path for path in rows if path in publication.same_on_disk and self._holds(path, contents[path])]
        following = recover.next_index(workspace, "next")
        index.update(recover.index_git(self._repository.at_top, following), rows, on_disk)
        if not all(self._holds(path, contents[path]) for path in on_disk):
            # Somebody saved meanwhile: those bytes must not be taken for staged ones.
            following = recover.next_index(workspace, "next")
            index.update(recover.index_git(self._repository.at_top, following), rows, [])
        steps.reached("next-index")
        return following

    def _holds(self, path: str, expected: bytes) -> bool:
        return worktree.content(os.path.join(self._repository.top, path)) == expected

    def _show(self, following: str | None, commit: str | None) -> None:
        """Take the last steps: index before branch, so that the worst that a kill leaves is an edit staged."""
        if following is not None:
            with contextlib.suppress(OSError):
                os.link(self._repository.index_file, self._workspace.path("run", _OLD_INDEX))
            self._lock.install(following)
            self._installed = index.identity(self._repository.index_file)
            if self._publication.index_installed is not None:
                self._publication.index_installed(self._locked, self._installed)
            steps.reached("index-installed")
        if commit is not None and self._refs is not None:
            done = self._refs.commit()
            self._refs = None
            if not done and refs.value(self._repository.at_top, self._repository.ref or "HEAD") != commit:
                raise OperationError("git-failed", "git update-ref could not move the branch")
            steps.reached("refs-committed")
        self._lock.release()
        steps.reached("index-unlocked")
        recover.forget(self._workspace, self._journal)
        steps.reached("journal-dropped")

    def _target(self, plan: FilePlan) -> str:
        return os.path.join(self._repository.top, plan.path)


def _journal(workspace: Workspace, publication: Publication) -> Journal:
    files = []
    for number, plan in enumerate(publication.plans):
        restaged = publication.restaged.get(plan.path)
        row = publication.entries[plan.path][0] if restaged is not None else None
        files.append(
            JournalFile(
                path=plan.path,
                temporary=f".gitedit-{workspace.token[:16]}.{number}",
                before=journals.digest(plan.snapshot.disk.content),
                after=journals.digest(plan.worktree.content),
                staged=None if row is None else (row.mode, row.oid),
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
        commit=publication.commit,
    )


def _check_still_on(repository: Repository) -> None:
    """Raise ConflictError `ref-moved` where HEAD names another branch by now, RepositoryError `in-progress`."""
    if not refs.head_names(repository, repository.ref):
        message = "another branch was checked out while the commit was being made"
        raise ConflictError("ref-moved", message, "nothing was changed; retry")
    under_way = state.in_progress(repository)
    if under_way:
        raise RepositoryError("in-progress", f"{under_way} began while the commit was being made", "finish it first")
