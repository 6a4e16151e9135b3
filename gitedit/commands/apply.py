"""`gitedit apply`: one batch, all or nothing, and with `--commit` one commit of exactly its lines.

Everything is computed, stored and verified while it is invisible; `publish.transaction` then shows it.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from gitedit import __version__, settings
from gitedit.commands.request import ApplyRequest
from gitedit.edits.batch import joined, read_batch
from gitedit.edits.model import Batch, FileEdits
from gitedit.errors import ConflictError, EditError, OperationError, RepositoryError
from gitedit.git import commit as commits
from gitedit.git import configuration, hooks, index, paths, process, repository, state
from gitedit.git.configuration import Configuration
from gitedit.git.indexlock import IndexLock
from gitedit.git.objects import ObjectReader, object_id
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader
from gitedit.publish import conversion, draft, hooking, plan, recover, signals, snapshot, transaction, verify, workspace
from gitedit.publish.conversion import Agreement, Conversion
from gitedit.publish.draft import Draft
from gitedit.publish.plan import FilePlan
from gitedit.publish.result import FileResult, Result
from gitedit.publish.snapshot import FileSnapshot
from gitedit.publish.verify import Numstat
from gitedit.publish.workspace import Workspace
from gitedit.record import message as messages
from gitedit.record.compose import make_record
from gitedit.record.digests import batch_digest, sha256_hex
from gitedit.record.model import ChangedFile, Record
from gitedit.settings import Settings

# `git status` of an editor holds the index lock for a moment; a lock that stays is somebody's crash.
_LOCK_AT_START_SECONDS = 1.0


class _Task(NamedTuple):
    """One request in one repository, as far as it is known before any file is read."""

    request: ApplyRequest
    space: Workspace
    configuration: Configuration
    settings: Settings
    files: tuple[FileEdits, ...]
    """Joined; paths relative to the top."""
    reader: ObjectReader

    @property
    def repository(self) -> Repository:
        return self.space.repository

    @property
    def paths(self) -> list[str]:
        return [file.path for file in self.files]

    @property
    def stored(self) -> bool:
        """Return whether more than the disk is to change."""
        return self.request.commit or self.request.stage


class _Prepared(NamedTuple):
    """A batch that is computed, stored and verified, and still invisible."""

    plans: list[FilePlan]
    draft: Draft
    figures: Mapping[str, Numstat]
    warnings: list[str]
    entries: Mapping[str, tuple[index.IndexEntry, ...]]
    index_identity: index.IndexIdentity | None
    agreement: Agreement
    record: Record | None = None
    message: str = ""


def apply(request: ApplyRequest) -> Result:
    """Apply a batch; return the facts. On any EditError everything is as it was.

    Raises:
        EditError: every refusal is a subclass; see INTERFACE for codes.
    """
    try:
        batch = request.batch if isinstance(request.batch, Batch) else read_batch(request.batch)
        git = process.for_apply(request.directory)
        if request.stage and request.commit:
            raise EditError("usage", "--commit and --stage exclude each other")
        if (request.commit or request.stage) and state.inside_hook(os.environ):
            hint = "a commit is being made around it; edit without --commit and --stage"
            raise RepositoryError("inside-hook", "gitedit was called from a git hook", hint)
        found = repository.find(git)
        with signals.raising():
            if request.dry_run:
                with workspace.scratch(found) as space:
                    return _apply(request, batch, space, [])
            with workspace.locked(found) as space:
                notes = recover.recover(space)
                return _apply(request, batch, space, notes)
    except OSError as error:
        where = f"{paths.shown(os.fsdecode(error.filename))}: " if error.filename else ""
        raise OperationError("io-error", f"{where}{error.strerror or error}", "everything is as it was") from error


def _apply(request: ApplyRequest, batch: Batch, space: Workspace, notes: list[str]) -> Result:
    reader = ObjectReader(space.git.reading())
    try:
        task = _task(request, batch, space, reader)
        _check_states(task)
        prepared = _prepare(task)
        warnings = [*notes, *_inherited(task), *prepared.warnings]
        commit = None if request.dry_run else _publish(task, prepared, warnings)
    finally:
        reader.close()
    if commit is not None:
        warnings += _after(task, prepared)
    return _result(task, prepared, commit, warnings)


def _task(request: ApplyRequest, batch: Batch, space: Workspace, reader: ObjectReader) -> _Task:
    config = configuration.read(space.git)
    chosen = settings.resolve(config, os.environ, batch, request)
    files = joined(file._replace(path=paths.resolve(space.repository, file.path)) for file in batch.files)
    return _Task(request, space, config, chosen, files, reader)


def _check_states(task: _Task) -> None:
    """Refuse what can be told from the repository alone."""
    if not task.request.dry_run:
        recover.check_aside(task.space, task.paths)
    if not task.stored:
        return
    under_way = state.in_progress(task.repository)
    if task.request.commit and under_way:
        hint = "finish or abort it first; without --commit the files can be edited"
        raise RepositoryError("in-progress", f"{under_way} is in progress", hint)
    lock = IndexLock(task.repository.index_file, "", task.space.token)
    if not task.request.dry_run:
        lock.wait_until_free(_LOCK_AT_START_SECONDS)


def _prepare(task: _Task) -> _Prepared:
    """Compute, store and verify; nothing of it can be seen."""
    head_tree, root = _head_tree(task)
    identity = index.identity(task.repository.index_file)
    asked = [*task.paths, *conversion.attribute_files(task.paths)] if task.stored else []
    entries = index.entries(task.repository.at_top.reading(), asked) if asked else {}
    sources = snapshot.Sources(task.repository, task.reader, head_tree, entries, commit=task.request.commit)
    snapshots = snapshot.take(sources, task.paths, staged=task.stored)
    _check_expected(task, snapshots, entries)
    chosen = task.settings
    matching = plan.Matching(chosen.mode, chosen.exact, chosen.encoding)
    plans = plan.make(snapshots, task.files, matching)
    for one in plans:
        verify.check_outside(_on_disk(one))
    if not task.stored:
        return _Prepared(plans, Draft(None, (), {}, ()), {}, _edit_warnings(plans), {}, None, Agreement({}, []))
    rules = _conversion(task, entries, plans)
    _check_clean(task, rules, snapshots)
    agreement = conversion.check(rules, plans, strict=chosen.strict_eol)
    drafted = draft.make(plans, head_tree, task.repository.algorithm)
    figures = draft.store(task.space, drafted, root)
    warnings = [*_edit_warnings(plans), *agreement.warnings]
    prepared = _Prepared(plans, drafted, figures, warnings, entries, identity, agreement)
    return _with_message(task, prepared) if task.request.commit else prepared


def _head_tree(task: _Task) -> tuple[TreeReader | None, str | None]:
    """Return HEAD's tree, as reader and id, where a commit is wanted and there is one."""
    head = task.repository.head
    if not task.request.commit or head is None:
        return None, None
    root = task.reader.need(head, "commit").split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")
    return TreeReader(task.reader, root, task.repository.algorithm), root


def _conversion(task: _Task, entries: Mapping[str, tuple[index.IndexEntry, ...]], plans: list[FilePlan]) -> Conversion:
    contents = {one.path: one.worktree.content for one in plans}
    return conversion.examine(task.space, task.reader, task.configuration, entries, contents)


def _check_expected(
    task: _Task, snapshots: list[FileSnapshot], entries: Mapping[str, tuple[index.IndexEntry, ...]]
) -> None:
    """Refuse a file that is not the version the batch was made for."""
    for file, found in zip(task.files, snapshots, strict=True):
        if file.expect is None or _is_expected(task, file.expect, found, entries):
            continue
        message = f"{paths.shown(file.path)}: is not the version that the batch expects"
        raise ConflictError("stale", message, "read the file again and make the batch anew")


def _is_expected(
    task: _Task, expect: str, found: FileSnapshot, entries: Mapping[str, tuple[index.IndexEntry, ...]]
) -> bool:
    content = found.disk.content
    kind, _, wanted = expect.rpartition(":")
    if kind == "sha256":
        return sha256_hex(content) == wanted.lower()
    if found.head is not None and expect == found.head.oid:
        return True
    if expect == object_id("blob", content, task.repository.algorithm):
        return True
    contents = {found.path: content}
    rules = conversion.examine(task.space, task.reader, task.configuration, entries, contents)
    return rules.stored_id(found) == expect


def _check_clean(task: _Task, rules: Conversion, snapshots: list[FileSnapshot]) -> None:
    """With --require-clean, refuse files that differ between HEAD, index and disk."""
    if not task.request.require_clean:
        return
    for found in snapshots:
        staged, head = found.staged, found.head
        if head is not None and staged is not None and (head.oid, head.mode) != (staged.oid, staged.mode):
            raise RepositoryError("dirty", f"{paths.shown(found.path)}: has staged changes", "commit or unstage them")
        if staged is not None and found.disk.content != staged.content and rules.stored_id(found) != staged.oid:
            raise RepositoryError("dirty", f"{paths.shown(found.path)}: has unstaged changes", "commit or stash them")


def _with_message(task: _Task, prepared: _Prepared) -> _Prepared:
    """Add the record and the message that holds it."""
    chosen, changes = task.settings, prepared.draft.changes
    record = make_record(
        changes,
        mode=chosen.mode,
        batch_digest=batch_digest(task.files, chosen.mode, exact=chosen.exact),
        tool=f"gitedit/{__version__}",
        agent=chosen.agent,
        session=chosen.session,
    )
    text = chosen.message
    warnings = [] if text is None else list(messages.warnings_for(text))
    if text is None:
        text = messages.default_text(changes, readable=chosen.summary)
    signer = commits.identity(task.repository.at_top) if task.request.signoff else None
    assisted_by = chosen.agent if chosen.assisted_by else None
    message = messages.render(text, record, assisted_by=assisted_by, signoff=signer)
    return prepared._replace(record=record, message=message, warnings=[*prepared.warnings, *warnings])


def _publish(task: _Task, prepared: _Prepared, warnings: list[str]) -> str | None:
    """Show everything; return the commit's id."""
    algorithm = task.repository.algorithm
    restaged = prepared.draft.restaged
    same = frozenset(
        one.path for one in prepared.plans if one.staged is not None and _is_staged(task, prepared, one, algorithm)
    )
    publication = transaction.Publication(
        plans=prepared.plans,
        restaged=restaged,
        same_on_disk=same,
        entries=prepared.entries,
        index_identity=prepared.index_identity,
        reason=f"commit (gitedit): {prepared.message.partition(chr(10))[0]}",
    )
    if not task.request.commit:
        return transaction.publish(task.space, publication)
    present = hooks.find(task.repository, task.configuration)
    if not present.for_commit(verify=task.request.verify):
        return transaction.publish(task.space, publication._replace(commit=_commit(task, prepared, prepared.message)))
    hooking.check_unmerged(present, lambda: bool(task.repository.at_top.reading().run("ls-files", "-z", "--unmerged")))
    commits.identity(task.repository.at_top)
    run = _hook_run(task, prepared, present, same)

    def run_hooks() -> str:
        record = prepared.record
        if record is None:
            raise EditError("internal", "a commit without a record")
        message = run.run(prepared.message, record)
        warnings.extend(_left_by_hooks(task, prepared))
        return _commit(task, prepared, message)

    return transaction.publish(task.space, publication._replace(hooks=run_hooks))


def _hook_run(task: _Task, prepared: _Prepared, present: hooks.Hooks, same: frozenset[str]) -> hooking.HookRun:
    rows = {change.path: (change.new_mode, change.new_oid) for change in prepared.draft.changes}
    on_disk = [path for path, (_, oid) in rows.items() if path in same and prepared.draft.restaged[path] == oid]
    tree = prepared.draft.tree or ""
    return hooking.HookRun(task.space, present, tree, rows, on_disk, task.request.verify)


def _is_staged(task: _Task, prepared: _Prepared, one: FilePlan, algorithm: str) -> bool:
    """Return whether `git add` of the edited file would store exactly the entry that the index is to hold."""
    staged = one.snapshot.staged
    oid = prepared.draft.restaged[one.path]
    modes = configuration.text(task.configuration, "core.filemode", "true") in {"false", "no", "off", "0", ""}
    if staged is None or not (modes or (staged.mode == "100755") == one.snapshot.disk.executable):
        return False
    return prepared.agreement.cleaned.get(one.path, object_id("blob", one.worktree.content, algorithm)) == oid


def _commit(task: _Task, prepared: _Prepared, message: str) -> str:
    """Store the commit object and audit it as anybody later can; nothing points to it yet."""
    parent, record, tree = task.repository.head, prepared.record, prepared.draft.tree
    if parent is None or record is None or tree is None:
        raise EditError("internal", "a commit without a parent, a tree or a record")
    sign = commits.signs(task.configuration, asked=task.settings.sign)
    commit = commits.make(task.space.git, tree, parent, message, sign=sign)
    draft.audit(task.reader, commit, prepared.draft, parent, message, record)
    return commit


def _left_by_hooks(task: _Task, prepared: _Prepared) -> list[str]:
    """Return a warning for each file that does not hold the edit any more, though every hook passed."""
    from gitedit.git import worktree  # noqa: PLC0415

    return [
        f"{paths.shown(one.path)}: changed on disk while the hooks ran; the commit holds the edit, the rest is unstaged"
        for one in prepared.plans
        if worktree.content(os.path.join(task.repository.top, one.path)) != one.worktree.content
    ]


def _after(task: _Task, prepared: _Prepared) -> list[str]:
    """Do what `git commit` does at its end; return warnings."""
    present = hooks.find(task.repository, task.configuration)
    status = present.run("post-commit", task.repository.index_file)
    commits.maintain(task.repository.at_top)
    warnings = [f"the post-commit hook exited with {status}"] if status else []
    if task.repository.ref is None:
        warnings.append("HEAD is detached: no branch holds the commit")
    return warnings


def _inherited(task: _Task) -> list[str]:
    foreign = state.foreign_git_dir(task.repository, os.environ)
    return [] if foreign is None else [f"GIT_DIR={foreign} names another repository and was ignored"]


def _edit_warnings(plans: list[FilePlan]) -> list[str]:
    return [f"{paths.shown(one.path)}: {warning}" for one in plans for warning in one.worktree.warnings]


def _on_disk(one: FilePlan) -> ChangedFile:
    """Return W -> E(W) in the shape that verification takes."""
    return ChangedFile(one.path, "", "", "", "", one.snapshot.disk.content, one.worktree.content, one.worktree.regions)


def _result(task: _Task, prepared: _Prepared, commit: str | None, warnings: list[str]) -> Result:
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


def _counted(old: bytes, new: bytes, regions: tuple) -> Numstat:  # type: ignore[type-arg]
    from gitedit.report.changes import changes  # noqa: PLC0415

    found = changes(old, new, regions)
    return Numstat(sum(len(one.added) for one in found), sum(len(one.removed) for one in found))
