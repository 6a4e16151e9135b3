"""Line endings and attributes: does git agree that the edited file on disk is what the commit stores?

GIT.md section 5. The committed bytes pass no filter; git is only asked, in a scratch tree, before anything is touched.
"""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitedit.errors import RepositoryError
from gitedit.git import attributes, index, worktree
from gitedit.git.attributes import Attributes
from gitedit.git.cleanroom import quoted
from gitedit.git.configuration import Configuration
from gitedit.git.objects import object_id
from gitedit.git.paths import shown
from gitedit.git.readers import Readers
from gitedit.publish.plan import FilePlan
from gitedit.publish.snapshot import FileSnapshot, Stored
from gitedit.publish.workspace import Workspace

_ATTRIBUTES = ".gitattributes"


class Conversion(NamedTuple):
    """How git converts the files of one batch."""

    workspace: Workspace
    configuration: Configuration
    rules: Mapping[str, Attributes]
    """By path."""
    sources: Mapping[str, bytes]
    """Path -> content of every attributes file above the batch's files, as the batch leaves it."""

    def clean(
        self, snapshots: Sequence[FileSnapshot], contents: Mapping[str, bytes], *, safecrlf: bool = True
    ) -> attributes.Cleaned:
        """Return what `git add` would store for these contents of these files; without `safecrlf` it refuses none."""
        if not snapshots:
            return attributes.Cleaned({}, "")
        workspace = self.workspace
        scratch = workspace.scratch("clean")
        stored = {one.path: (one.staged.mode, one.staged.oid) for one in snapshots if one.staged is not None}
        stored |= {one.path: (one.head.mode, one.head.oid) for one in snapshots if one.head is not None}
        files = {path: (content, False) for path, content in self.sources.items()}
        files |= {one.path: (contents[one.path], one.disk.executable) for one in snapshots}
        git = workspace.git.with_variables(
            GIT_DIR=workspace.repository.git_dir,
            GIT_OBJECT_DIRECTORY=os.path.join(scratch, "objects"),
            GIT_ALTERNATE_OBJECT_DIRECTORIES=_alternates(workspace),
        )
        git = git.with_options(*_attributes_file(self.configuration, workspace.repository.top))
        if not safecrlf:
            git = git.with_options("-c", "core.safecrlf=false")
        for name in ("tree", "objects"):
            os.mkdir(os.path.join(scratch, name))
        return attributes.clean(git, scratch, workspace.repository.algorithm, stored, files)

    def stored_id(self, snapshot: FileSnapshot) -> str:
        """Return the blob id of the bytes on disk as git would store them."""
        content = snapshot.disk.content
        if attributes.cannot_matter(self.rules[snapshot.path], self.configuration, [content]):
            return object_id("blob", content, self.workspace.repository.algorithm)
        return self.clean([snapshot], {snapshot.path: content}).entries.get(snapshot.path, "")


def _alternates(workspace: Workspace) -> str:
    directories = dict.fromkeys([workspace.objects_dir, workspace.repository.objects_dir])
    return os.pathsep.join(quoted(path) for path in directories)


def _attributes_file(configuration: Configuration, top: str) -> tuple[str, ...]:
    """Return the option that has git find core.attributesFile from a scratch tree, where it is relative to the top."""
    name = (configuration.get("core.attributesfile") or [""])[-1] or ""
    return ("-c", f"core.attributesFile={os.path.join(top, name)}") if name and name[0] not in "/~%" else ()


def attribute_files(paths: Sequence[str]) -> list[str]:
    """Return the paths of the attributes files that git reads for these paths, whether they exist or not."""
    found = {_ATTRIBUTES: None}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder:
            found[f"{folder}/{_ATTRIBUTES}"] = None
            folder = folder.rpartition("/")[0]
    return sorted(found)


def examine(
    workspace: Workspace,
    readers: Readers,
    configuration: Configuration,
    entries: Mapping[str, tuple[index.IndexEntry, ...]],
    contents: Mapping[str, bytes],
) -> Conversion:
    """Read the attributes of the paths in `contents` (path -> bytes on disk after the edit).

    Raises RepositoryError `filtered`.
    """
    paths = list(contents)
    looked: dict[str, bytes | None] = {}
    for name in attribute_files(paths):
        content = contents.get(name)
        if content is None:
            content = worktree.content(os.path.join(workspace.repository.top, name))
        if content is None and name in entries:
            # Not on disk, as in a sparse checkout: git falls back to the index.
            content = readers.objects.need(entries[name][0].oid, "blob")
        looked[name] = content
    sources = {name: content for name, content in looked.items() if content is not None}
    edited = any(path.rpartition("/")[2] == _ATTRIBUTES for path in paths)
    found = _at_edited(workspace, configuration, sources, paths) if edited else readers.attributes.read(paths, looked)
    for path, values in found.items():
        if values.filtered:
            hint = "its content passes a filter between disk and repository; edit it without --commit and use git"
            raise RepositoryError("filtered", f"{shown(path)}: has the attribute {values.filtered}", hint)
    return Conversion(workspace, configuration, found, sources)


def _at_edited(
    workspace: Workspace, configuration: Configuration, sources: Mapping[str, bytes], paths: Sequence[str]
) -> dict[str, Attributes]:
    """Return the attributes in a work tree that holds only the attributes files, as the batch leaves them."""
    tree = workspace.scratch("attributes")
    for name, content in sources.items():
        whole = os.path.join(tree, name)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "wb") as stream:
            stream.write(content)
    git = workspace.git.reading().with_variables(GIT_DIR=workspace.repository.git_dir, GIT_WORK_TREE=tree)
    git = git.with_options(*_attributes_file(configuration, workspace.repository.top))
    reader = attributes.AttributeReader(git._replace(directory=tree))
    try:
        return reader.read(paths, sources)
    finally:
        reader.close()


class Agreement(NamedTuple):
    """What git said."""

    cleaned: Mapping[str, str]
    """Path -> blob id of clean(E(W)), for the files that git had to be asked about."""
    warnings: list[str]


def check(conversion: Conversion, plans: Sequence[FilePlan], *, strict: bool) -> Agreement:
    """Ask git about every file for which the answer can matter.

    Raises RepositoryError `line-endings`, where the next `git add` would flatten what the edit wrote, where
    core.safecrlf makes `git add` refuse, and, with `strict`, where the stored form is not the one git would store.
    """
    doubtful = [plan for plan in plans if not _skipped(conversion, plan)]
    if not doubtful:
        return Agreement({}, [])
    after = conversion.clean(
        [plan.snapshot for plan in doubtful], {plan.path: plan.worktree.content for plan in doubtful}
    )
    _check_refusal(conversion, doubtful, after)
    disagreed = [plan for plan in doubtful if not _agreed(conversion, plan, after.entries.get(plan.path))]
    before = conversion.clean(
        [plan.snapshot for plan in disagreed], {plan.path: plan.snapshot.disk.content for plan in disagreed}
    )
    _check_refusal(conversion, disagreed, before)
    warnings, dirty = [], []
    for plan in disagreed:
        stored = _stored(plan)
        if any(one.oid == before.entries.get(plan.path) for one in stored):
            raise _flattens(conversion, plan)
        if any(one.content == plan.snapshot.disk.content for one in stored):
            warnings.append(_kept(conversion, plan, strict=strict))
        else:
            dirty.append(plan)
    return Agreement(after.entries, [*warnings, *_judge_dirty(conversion, dirty, strict=strict)])


def _skipped(conversion: Conversion, plan: FilePlan) -> bool:
    contents = (plan.snapshot.disk.content, plan.worktree.content)
    return attributes.cannot_matter(conversion.rules[plan.path], conversion.configuration, contents)


def _check_refusal(conversion: Conversion, plans: Sequence[FilePlan], cleaned: attributes.Cleaned) -> None:
    if cleaned.refusal:
        names = ", ".join(shown(plan.path) for plan in plans[:5])
        said = f"git says: {cleaned.refusal[:300]}"
        why = "core.safecrlf is set and " if attributes.safecrlf(conversion.configuration) else ""
        raise RepositoryError("line-endings", f"{names}: {why}`git add` would refuse the edited file", said)


def _agreed(conversion: Conversion, plan: FilePlan, cleaned: str | None) -> bool:
    """Return whether clean(E(W)) is what the commit, or at least the index, is to hold."""
    algorithm = conversion.workspace.repository.algorithm
    targets = [revision.content for revision in (plan.committed, plan.staged) if revision is not None]
    return any(cleaned == object_id("blob", content, algorithm) for content in targets)


def _stored(plan: FilePlan) -> list[Stored]:
    """Return H and I, as far as they are known."""
    return [one for one in (plan.snapshot.head, plan.snapshot.staged) if one is not None]


def _judge_dirty(conversion: Conversion, plans: Sequence[FilePlan], *, strict: bool) -> list[str]:
    """Judge files that hold other work, too: clean(E(W)) tells nothing there, so ask what git makes of N and of H."""
    algorithm = conversion.workspace.repository.algorithm
    new = {plan.path: revision.content for plan in plans if (revision := plan.committed or plan.staged) is not None}
    after = conversion.clean([plan.snapshot for plan in plans], new, safecrlf=False).entries
    changed = [plan for plan in plans if after.get(plan.path) != object_id("blob", new[plan.path], algorithm)]
    old = {plan.path: _stored(plan)[0] for plan in changed}
    contents = {path: one.content for path, one in old.items()}
    before = conversion.clean([plan.snapshot for plan in changed], contents, safecrlf=False).entries
    for plan in changed:
        if before.get(plan.path) == old[plan.path].oid:
            raise _flattens(conversion, plan)
    return [_kept(conversion, plan, strict=strict) for plan in changed]


def _flattens(conversion: Conversion, plan: FilePlan) -> RepositoryError:
    name = conversion.rules[plan.path].named
    message = f"{shown(plan.path)}: the next `git add` would change the line endings that the edit writes ({name})"
    hint = "use the file's own line endings in newText, or change the attribute"
    return RepositoryError("line-endings", message, hint)


def _kept(conversion: Conversion, plan: FilePlan, *, strict: bool) -> str:
    """Return the warning for a file that is stored in another form than git would store it in; refuse if `strict`."""
    name = conversion.rules[plan.path].named
    message = f"{shown(plan.path)}: is stored in a form that git would not store ({name}); endings are kept"
    if strict:
        raise RepositoryError("line-endings", message, "`git add --renormalize` it in a commit of its own first")
    return message
