"""Compute, store and verify one batch, all of it invisible: H, I and W in, a plan that may be published out."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from gitedit import __version__
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import FileEdits
from gitedit.errors import ConflictError, RepositoryError
from gitedit.git import commit as commits
from gitedit.git import index, paths, refs
from gitedit.git.configuration import Configuration
from gitedit.git.objects import GitObject, object_id, store
from gitedit.git.readers import Readers
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader
from gitedit.publish import conversion, draft, plan, snapshot, verify
from gitedit.publish.conversion import Agreement, Conversion
from gitedit.publish.draft import Draft
from gitedit.publish.plan import FilePlan
from gitedit.publish.snapshot import FileSnapshot
from gitedit.publish.verify import Numstat
from gitedit.publish.workspace import Workspace
from gitedit.record import message as messages
from gitedit.record.compose import make_record
from gitedit.record.digests import batch_digest, sha256_hex
from gitedit.record.grammar import lines_text
from gitedit.record.model import ChangedFile, Record
from gitedit.settings import Settings


class Task(NamedTuple):
    """One request in one repository, as far as it is known before any file is read."""

    request: ApplyRequest
    space: Workspace
    configuration: Configuration
    settings: Settings
    files: tuple[FileEdits, ...]
    """Joined; paths relative to the top."""
    readers: Readers

    @property
    def repository(self) -> Repository:
        """The repository at work in."""
        return self.space.repository

    @property
    def paths(self) -> list[str]:
        """The files' paths, in the batch's order."""
        return [file.path for file in self.files]

    @property
    def stored(self) -> bool:
        """Return whether more than the disk is to change."""
        return self.request.commit or self.request.stage


class Prepared(NamedTuple):
    """A batch that is computed, stored and verified, and still invisible."""

    plans: list[FilePlan]
    draft: Draft = Draft(None, (), {}, ())
    figures: Mapping[str, Numstat] = {}
    """What git's numstat says, by path; without a commit nothing."""
    warnings: tuple[str, ...] = ()
    entries: Mapping[str, tuple[index.IndexEntry, ...]] = {}
    index_identity: index.IndexIdentity | None = None
    agreement: Agreement = Agreement({}, [])
    record: Record | None = None
    message: str = ""
    record_refs: Mapping[str, str] = {}
    """Where the record's lines are too many for a message: a ref of its own -> the blob that holds them."""


def prepare(task: Task) -> Prepared:
    """Compute, store and verify; nothing of it can be seen."""
    head_tree, root = _head_tree(task)
    asked = [*task.paths, *conversion.attribute_files(task.paths)] if task.stored else []
    entries, identity = task.readers.entries.read(asked)
    sources = snapshot.Sources(task.repository, task.readers.objects, head_tree, entries, commit=task.request.commit)
    snapshots = snapshot.take(sources, task.paths, staged=task.stored)
    _check_expected(task, snapshots, entries)
    chosen = task.settings
    matching = plan.Matching(chosen.mode, chosen.exact, chosen.encoding)
    plans = plan.make(snapshots, task.files, matching)
    for one in plans:
        verify.check_outside(_on_disk(one))
    prepared = Prepared(plans, warnings=tuple(_edit_warnings(plans)), entries=entries, index_identity=identity)
    if not task.stored:
        return prepared
    rules = _conversion(task, entries, plans)
    _check_clean(task, rules, snapshots)
    agreement = conversion.check(rules, plans, strict=chosen.strict_eol)
    drafted = draft.make(plans, head_tree, task.repository.algorithm)
    warnings = (*prepared.warnings, *agreement.warnings)
    prepared = prepared._replace(draft=drafted, agreement=agreement, warnings=warnings)
    if root is None or drafted.tree is None:
        store(task.space.git, drafted.objects, task.repository.algorithm)
        return prepared
    prepared = _with_message(task, prepared)
    store(task.space.git, prepared.draft.objects, task.repository.algorithm)
    return prepared._replace(figures=verify.verify(task.readers.trees, root, drafted.tree, drafted.changes))


def _head_tree(task: Task) -> tuple[TreeReader | None, str | None]:
    """Return HEAD's tree, as reader and id, where a commit is wanted and there is one."""
    head = task.repository.head
    if not task.request.commit or head is None:
        return None, None
    root = task.readers.objects.need(head, "commit").split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")
    return TreeReader(task.readers.objects, root, task.repository.algorithm), root


def _conversion(task: Task, entries: Mapping[str, tuple[index.IndexEntry, ...]], plans: list[FilePlan]) -> Conversion:
    contents = {one.path: one.worktree.content for one in plans}
    return conversion.examine(task.space, task.readers, task.configuration, entries, contents)


def _check_expected(
    task: Task, snapshots: list[FileSnapshot], entries: Mapping[str, tuple[index.IndexEntry, ...]]
) -> None:
    """Refuse a file that is not the version the batch was made for."""
    for file, found in zip(task.files, snapshots, strict=True):
        if file.expect is None or _is_expected(task, file.expect, found, entries):
            continue
        message = f"{paths.shown(file.path)}: is not the version that the batch expects"
        raise ConflictError("stale", message, "read the file again and make the batch anew")


def _is_expected(
    task: Task, expect: str, found: FileSnapshot, entries: Mapping[str, tuple[index.IndexEntry, ...]]
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
    rules = conversion.examine(task.space, task.readers, task.configuration, entries, contents)
    return rules.stored_id(found) == expect


def _check_clean(task: Task, rules: Conversion, snapshots: list[FileSnapshot]) -> None:
    """With --require-clean, refuse files that differ between HEAD, index and disk."""
    if not task.request.require_clean:
        return
    for found in snapshots:
        staged, head = found.staged, found.head
        if head is not None and staged is not None and (head.oid, head.mode) != (staged.oid, staged.mode):
            raise RepositoryError("dirty", f"{paths.shown(found.path)}: has staged changes", "commit or unstage them")
        if staged is not None and found.disk.content != staged.content and rules.stored_id(found) != staged.oid:
            raise RepositoryError("dirty", f"{paths.shown(found.path)}: has unstaged changes", "commit or stash them")


def _with_message(task: Task, prepared: Prepared) -> Prepared:
    """Add the record and the message that holds it."""
    chosen, changes = task.settings, prepared.draft.changes
    recorded = partial(
        make_record,
        changes,
        mode=chosen.mode,
        batch_digest=batch_digest(task.files, chosen.mode, exact=chosen.exact),
        tool=f"gitedit/{__version__}",
        agent=chosen.agent,
        session=chosen.session,
    )
    record = recorded()
    if not messages.fits_in_message(record):
        record = recorded(lines_in_ref=True)
        prepared = _with_lines_in_ref(task, prepared, record)
    text = chosen.message
    warnings = [] if text is None else list(messages.warnings_for(text))
    if text is None:
        text = messages.default_text(changes, readable=chosen.summary)
    signer = commits.identity(task.repository.at_top).signer if task.request.signoff else None
    assisted_by = chosen.agent if chosen.assisted_by else None
    message = messages.render(text, record, assisted_by=assisted_by, signoff=signer)
    return prepared._replace(record=record, message=message, warnings=(*prepared.warnings, *warnings))


def _with_lines_in_ref(task: Task, prepared: Prepared, record: Record) -> Prepared:
    """Plan the record's lines as a blob with a ref of its own, unless that ref has them already."""
    lines = GitObject("blob", lines_text(record.files))
    oid = object_id(*lines, task.repository.algorithm)
    name = f"refs/gitedit/records/{record.id}"
    drafted = prepared.draft._replace(objects=[*prepared.draft.objects, lines])
    known = refs.value(task.repository.at_top.reading(), name) == oid
    return prepared._replace(draft=drafted, record_refs={} if known else {name: oid})


def _edit_warnings(plans: list[FilePlan]) -> list[str]:
    return [f"{paths.shown(one.path)}: {warning}" for one in plans for warning in one.worktree.warnings]


def _on_disk(one: FilePlan) -> ChangedFile:
    """Return W -> E(W) in the shape that verification takes."""
    return ChangedFile(one.path, "", "", "", "", one.snapshot.disk.content, one.worktree.content, one.worktree.regions)
