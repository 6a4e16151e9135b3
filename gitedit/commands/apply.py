"""`gitedit apply`: one batch, all or nothing, and with `--commit` one commit of exactly its lines.

Everything is computed, stored and verified while it is invisible; `publish.transaction` then shows it.
"""

import contextlib
import os
import threading

from gitedit import settings
from gitedit.commands.commit import Making
from gitedit.commands.prepare import Prepared, Task, compute, prepare
from gitedit.commands.request import ApplyRequest
from gitedit.edits.batch import joined, read_batch
from gitedit.edits.model import Batch, FileEdits, Region
from gitedit.errors import EditError, RepositoryError
from gitedit.git import commit as commits
from gitedit.git import configuration, hooks, paths, process, repository, state, worktree
from gitedit.git.configuration import ConfigurationReader
from gitedit.git.indexlock import IndexLock
from gitedit.git.objects import object_id
from gitedit.git.readers import Readers
from gitedit.git.refs import RefUpdater
from gitedit.git.repository import Repository
from gitedit.git.writers import ObjectWriters
from gitedit.publish import hooking, recover, signals, transaction, workspace
from gitedit.publish.plan import FilePlan
from gitedit.publish.result import FileResult, Result
from gitedit.publish.verify import Numstat
from gitedit.publish.workspace import Workspace

# `git status` of an editor holds the index lock for a moment; a lock that stays is somebody's crash.
_LOCK_AT_START_SECONDS = 1.0
# Loose objects of a hundred commits are a few hundred; git itself packs at 6,700.
_MAINTAIN_EVERY = 100


def apply(request: ApplyRequest) -> Result:
    """Apply a batch; return the facts. On any EditError everything is as it was.

    Raises:
        EditError: every refusal is a subclass; see INTERFACE for codes.
    """
    with contextlib.closing(Session(request.directory)) as session:
        return session.apply(request)


def deliver_late_signal() -> None:
    """Give the calling program the signal that came when a batch could not be taken back any more."""
    signals.deliver_noted()


class Session:
    """A repository open for any number of batches: git's readers stay, and so does what they said while it holds."""

    def __init__(self, directory: str) -> None:
        """`directory` is what the batches' paths are relative to."""
        self._directory = directory
        # The flock excludes no thread that uses the same open file, and no fork of this process.
        self._turn = threading.Lock()
        self._process = os.getpid()
        self._repository: Repository | None = None
        self._readers: Readers | None = None
        self._place: tuple[object, object] = None, None
        self._reads: ConfigurationReader | None = None
        self._configuration: configuration.Configuration = {}
        self._idents = commits.Idents()
        self._lock = workspace.LockFile()
        self._refs = RefUpdater()
        self._writers: ObjectWriters | None = None
        self._commits = 0
        self._maintain_every = 1

    def for_many(self) -> "Session":
        """Let git's writers stay, too, and have its housekeeping done once in a hundred commits and at the end."""
        self._maintain_every = _MAINTAIN_EVERY
        self._refs = RefUpdater("commit (gitedit)")
        self._writers = ObjectWriters()
        return self

    def apply(self, request: ApplyRequest) -> Result:
        """Apply one batch; return the facts. On any EditError everything is as it was."""
        self._leave_to_parent()
        with self._turn, paths.failures_named(), signals.raising():
            batch = request.batch if isinstance(request.batch, Batch) else read_batch(request.batch)
            _check_request(request)
            if self._repository is None or not repository.still_at(self._repository):
                self._repository = repository.find(process.for_apply(self._directory))
            resolved = _resolved(self._repository, request, batch)
            if request.dry_run:
                with workspace.scratch(self._repository) as space:
                    return self._apply(request, batch, resolved, space, [])
            with workspace.locked(self._repository, self._lock) as space:
                self._repository = space.repository
                notes = recover.recover(space)
                return self._apply(request, batch, resolved, space, notes)

    def close(self) -> None:
        """End the children; do the housekeeping that is due."""
        self._leave_to_parent()
        with self._turn:
            self._close()

    def _leave_to_parent(self) -> None:
        """Forget the children and the lock of the process that this one is a fork of; they are in use there."""
        if self._process == os.getpid():
            return
        self._process, self._turn = os.getpid(), threading.Lock()
        self._lock.close()
        self._refs = self._refs.anew()
        self._writers = None if self._writers is None else ObjectWriters()
        self._readers = None
        self._commits = 0

    def _close(self) -> None:
        self._refs.close()
        self._lock.close()
        if self._writers is not None:
            self._writers.close()
        if self._readers is not None:
            self._readers.close()
            self._readers = None
        if self._repository is not None and self._commits % self._maintain_every:
            commits.maintain(self._repository.at_top, self._configuration)

    def _apply(
        self, request: ApplyRequest, batch: Batch, resolved: tuple[FileEdits, ...], space: Workspace, notes: list[str]
    ) -> Result:
        """Tell the whole story of one batch."""
        if self._reads is None or self._reads.git_dir != space.repository.git_dir:
            self._reads = ConfigurationReader(space.repository)
        config = self._reads.read(space.repository.ref)
        chosen = settings.resolve(config, os.environ, batch, request)
        readers = self._readers_of(space)
        task = Task(request, space, config, chosen, resolved, readers)
        try:
            if not request.dry_run:
                _check_locks(task)
            prepared = prepare(task) if request.dry_run else compute(task)
            warnings = [*notes, *_inherited(task), *prepared.warnings]
            commit = None
            if not request.dry_run:
                prepared, commit = self._publish(task, prepared, warnings)
        finally:
            if readers is not self._readers:
                readers.close()
        if task.stored and not request.dry_run:
            warnings += self._after(task, commit)
        return _result(task, prepared, commit, warnings)

    def _publish(self, task: Task, prepared: Prepared, warnings: list[str]) -> tuple[Prepared, str | None]:
        """Show everything; return what was verified, and the commit's id."""
        present = hooks.find(task.repository, task.configuration)
        hooked = task.request.commit and present.for_commit(verify=task.request.verify)
        if hooked and task.repository.at_top.reading().run("ls-files", "-z", "--unmerged"):
            message = "the index has unresolved merge conflicts, and there are hooks to run"
            raise RepositoryError("unmerged", message, "resolve the conflicts first")
        restaged = prepared.draft.restaged
        reason = f"commit (gitedit): {prepared.message.partition(chr(10))[0]}"
        same = frozenset(
            one.path for one in prepared.plans if one.staged is not None and _is_staged(task, prepared, one)
        )
        with contextlib.closing(Making(task, prepared, self._idents, self._writers, hooked=hooked)) as making:

            def run_hooks() -> str:
                if prepared.record is None:
                    raise EditError("internal", "a commit without a record")
                message = _hook_run(task, prepared, present, same).run(prepared.message, prepared.record)
                warnings.extend(_left_by_hooks(task, prepared))
                return making.commit(message)

            commit = transaction.publish(
                task.space,
                transaction.Publication(
                    plans=prepared.plans,
                    restaged=restaged,
                    same_on_disk=same,
                    entries=prepared.entries,
                    index_identity=prepared.index_identity,
                    commits=task.request.commit,
                    stored=making.stored,
                    hooks=run_hooks if hooked else None,
                    extra_refs=prepared.record_refs,
                    index_installed=lambda before, now: task.readers.entries.installed(before, now, restaged),
                    begin_refs=lambda: self._refs.begin(task.repository.at_top, reason, task.space.lock),
                    warn=warnings.append,
                ),
            )
            return making.prepared, commit

    def _readers_of(self, space: Workspace) -> Readers:
        """Return the session's readers; a dry run has its own, as its objects are elsewhere."""
        if space.dry:
            return Readers(space.git, space.clean_room(), space.repository.index_file)
        # The repository may have been moved, and another have come in its place; or our folder was removed.
        place = _inode(space.repository.objects_dir), _inode(space.path("room"))
        if self._readers is not None and place != self._place:
            self._readers.close()
            self._readers = None
        if self._readers is None:
            self._readers = Readers(space.git, space.clean_room(), space.repository.index_file)
            self._place = place[0], _inode(space.path("room"))
        return self._readers

    def _after(self, task: Task, commit: str | None) -> list[str]:
        """Do what git does after it wrote an index, and `git commit` at its end; return warnings."""
        found = task.repository
        present = hooks.find(found, task.configuration)
        # Arguments: the work tree was updated, no skip-worktree bit was.
        present.run("post-index-change", found.index_file, "1", "0")
        if commit is None:
            return []
        self._repository = found._replace(head=commit)
        self._commits += 1
        status = present.run("post-commit", found.index_file)
        self._configuration = task.configuration
        if self._commits % self._maintain_every == 0:
            commits.maintain(found.at_top, task.configuration)
        warnings = [f"the post-commit hook exited with {status}"] if status else []
        return warnings if found.ref else [*warnings, "HEAD is detached: no branch holds the commit"]


def _inode(path: str) -> tuple[int, int] | None:
    with contextlib.suppress(OSError):
        facts = os.stat(path)
        return facts.st_dev, facts.st_ino
    return None


def _check_request(request: ApplyRequest) -> None:
    if request.stage and request.commit:
        raise EditError("usage", "--commit and --stage exclude each other")
    if (request.commit or request.stage) and state.inside_hook(os.environ):
        hint = "a commit is being made around it; edit without --commit and --stage"
        raise RepositoryError("inside-hook", "gitedit was called from a git hook", hint)


def _resolved(found: Repository, request: ApplyRequest, batch: Batch) -> tuple[FileEdits, ...]:
    """Return the batch's files by their paths from the top; refuse what the repository alone tells against."""
    under_way = state.in_progress(found)
    if request.commit and under_way:
        hint = "finish or abort it first; without --commit the files can be edited"
        raise RepositoryError("in-progress", f"{under_way} is in progress", hint)
    plain: set[str] = set()
    return joined(file._replace(path=paths.resolve(found, file.path, plain)) for file in batch.files)


def _check_locks(task: Task) -> None:
    recover.check_aside(task.space, task.paths)
    if task.stored:
        IndexLock(task.repository.index_file, "", task.space.token).wait_until_free(_LOCK_AT_START_SECONDS)


def _hook_run(task: Task, prepared: Prepared, present: hooks.Hooks, same: frozenset[str]) -> hooking.HookRun:
    rows = {change.path: (change.new_mode, change.new_oid) for change in prepared.draft.changes}
    on_disk = [path for path, (_, oid) in rows.items() if path in same and prepared.draft.restaged[path] == oid]
    tree = prepared.draft.tree or ""
    author = commits.identity(task.repository.at_top).author_variables
    return hooking.HookRun(task.space, present, tree, rows, on_disk, author, task.request.verify)


def _is_staged(task: Task, prepared: Prepared, one: FilePlan) -> bool:
    """Return whether `git add` of the edited file would store exactly the entry that the index is to hold."""
    algorithm = task.repository.algorithm
    staged = one.snapshot.staged
    oid = prepared.draft.restaged[one.path]
    modes = configuration.filemode(task.configuration)
    if staged is None or not (not modes or (staged.mode == "100755") == one.snapshot.disk.executable):
        return False
    return prepared.agreement.cleaned.get(one.path, object_id("blob", one.worktree.content, algorithm)) == oid


def _left_by_hooks(task: Task, prepared: Prepared) -> list[str]:
    """Return a warning for each file that does not hold the edit any more, though every hook passed."""
    return [
        f"{paths.shown(one.path)}: changed on disk while the hooks ran; the commit holds the edit, the rest is unstaged"
        for one in prepared.plans
        if worktree.content(os.path.join(task.repository.top, one.path)) != one.worktree.content
    ]


def _inherited(task: Task) -> list[str]:
    foreign = state.foreign_git_dir(task.repository, os.environ)
    return [] if foreign is None else [f"GIT_DIR={foreign} names another repository and was ignored"]


def _result(task: Task, prepared: Prepared, commit: str | None, warnings: list[str]) -> Result:
    files = []
    for one in prepared.plans:
        old, revision = one.snapshot.disk.content, one.worktree
        if one.snapshot.head is not None and one.committed is not None:
            old, revision = one.snapshot.head.content, one.committed
        figures = prepared.figures.get(one.path) or _counted(old, revision.content, revision.regions)
        files.append(
            FileResult(
                one.path, revision.edits, revision.regions, old, revision.content, figures.added, figures.removed
            )
        )
    made = commit is not None
    return Result(
        mode=task.settings.mode,
        dry_run=task.request.dry_run,
        files=tuple(files),
        warnings=tuple(warnings),
        commit=commit,
        ref=task.repository.ref if made else None,
        parent=task.repository.head if made else None,
        record_id=prepared.record.id if prepared.record and made else None,
    )


def _counted(old: bytes, new: bytes, regions: tuple[Region, ...]) -> Numstat:
    from gitedit.edits.hunks import changes  # noqa: PLC0415

    found = changes(old, new, regions)
    return Numstat(sum(len(one.added) for one in found), sum(len(one.removed) for one in found))
