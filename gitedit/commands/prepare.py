"""Compute, store and verify one batch, all of it invisible: H, I and W in, a plan that may be published out."""

from collections.abc import Mapping
from typing import NamedTuple

from gitedit import __version__
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import FileEdits
from gitedit.git import commit as commits
from gitedit.git import index, paths, refs
from gitedit.git.configuration import Configuration
from gitedit.git.objects import GitObject, object_id, store
from gitedit.git.readers import Readers
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader, root_of
from gitedit.publish import conversion, draft, plan, snapshot, verify, versions
from gitedit.publish.conversion import Agreement, Conversion
from gitedit.publish.draft import Draft
from gitedit.publish.plan import FilePlan
from gitedit.publish.verify import Numstat
from gitedit.publish.workspace import Workspace
from gitedit.record import message as messages
from gitedit.record.compose import make_record, with_lines_in_ref
from gitedit.record.digests import batch_digest
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
    """A batch that is computed, and still invisible; `figures` are there once it is stored and verified."""

    plans: list[FilePlan]
    head_tree: str | None = None
    """Id of HEAD's tree; None: no commit."""
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
    prepared = compute(task)
    store(task.space.git, prepared.draft.objects, task.repository.algorithm)
    return verified(task, prepared)


def compute(task: Task) -> Prepared:
    """Compute everything up to the message and the objects to store; nothing is stored."""
    head_tree, root = _head_tree(task)
    asked = [*task.paths, *conversion.attribute_files(task.paths)] if task.stored else []
    entries, identity = task.readers.entries.read(asked)
    sources = snapshot.Sources(task.repository, task.readers.objects, head_tree, entries, commit=task.request.commit)
    snapshots = snapshot.take(sources, task.paths, staged=task.stored)
    found = versions.Versions(task.space, task.readers, task.configuration)
    found.check(snapshots, {file.path: file.expect for file in task.files if file.expect is not None})
    if task.request.require_clean:
        found.check_clean(snapshots)
    chosen = task.settings
    matching = plan.Matching(chosen.mode, chosen.exact, chosen.encoding)
    plans = plan.make(snapshots, task.files, matching)
    for one in plans:
        verify.check_outside(_on_disk(one))
    prepared = Prepared(plans, warnings=tuple(_edit_warnings(plans)), entries=entries, index_identity=identity)
    if not task.stored:
        return prepared
    rules = _conversion(task, entries, plans)
    agreement = conversion.check(rules, plans, strict=chosen.strict_eol)
    drafted = draft.make(plans, head_tree, task.repository.algorithm)
    warnings = (*prepared.warnings, *agreement.warnings)
    prepared = prepared._replace(head_tree=root, draft=drafted, agreement=agreement, warnings=warnings)
    return prepared if root is None else _with_message(task, prepared)


def verified(task: Task, prepared: Prepared) -> Prepared:
    """Have git compare the stored trees, which must differ as planned, and add its figures; only a commit needs it."""
    before, after = prepared.head_tree, prepared.draft.tree
    if before is None or after is None:
        return prepared
    figures = verify.verify(task.readers.trees, before, after, prepared.draft.changes)
    return prepared._replace(figures=figures)


def _head_tree(task: Task) -> tuple[TreeReader | None, str | None]:
    """Return HEAD's tree, as reader and id, where a commit is wanted and there is one."""
    head = task.repository.head
    if not task.request.commit or head is None:
        return None, None
    root = root_of(task.readers.objects, head)
    return TreeReader(task.readers.objects, root, task.repository.algorithm), root


def _conversion(task: Task, entries: Mapping[str, tuple[index.IndexEntry, ...]], plans: list[FilePlan]) -> Conversion:
    contents = {one.path: one.worktree.content for one in plans}
    return conversion.examine(task.space, task.readers, task.configuration, entries, contents)


def _with_message(task: Task, prepared: Prepared) -> Prepared:
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
    if not messages.fits_in_message(record):
        record = with_lines_in_ref(record)
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
