"""H, I and W: one file as HEAD, the index and the disk hold it, or the reason why that file can't be edited."""

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gitedit.errors import ConflictError, RepositoryError
from gitedit.git import index, worktree
from gitedit.git.index import IndexEntry
from gitedit.git.objects import ObjectReader, object_id
from gitedit.git.paths import shown
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader
from gitedit.git.worktree import DiskFile

_LINK, _GITLINK = "120000", "160000"
_EMPTY_BLOB = {algorithm: object_id("blob", b"", algorithm) for algorithm in ("sha1", "sha256")}
_LFS = b"version https://git-lfs.github.com/spec/"


class Stored(NamedTuple):
    """A file as git stores it."""

    mode: str
    """`100644` or `100755`."""
    oid: str
    content: bytes


class FileSnapshot(NamedTuple):
    """One file in the three places."""

    path: str
    """Relative to the top."""
    disk: DiskFile
    """W."""
    staged: Stored | None = None
    """I; None: not asked for."""
    head: Stored | None = None
    """H; None: not asked for."""


class Sources(NamedTuple):
    """Where the stored versions are read from."""

    repository: Repository
    reader: ObjectReader
    head_tree: TreeReader | None
    """None: the snapshot is not for a commit."""
    entries: Mapping[str, tuple[IndexEntry, ...]]
    """Index entries of the batch's paths."""
    commit: bool
    """HEAD must hold the paths, too."""


def take(sources: Sources, paths: Sequence[str], *, staged: bool) -> list[FileSnapshot]:
    """Read every file in the places asked for: the disk, the index with `staged`, HEAD where there is a tree.

    Raises RepositoryError: `not-committed`, `missing-file`, `unmerged`, `hidden-flag`, `not-in-worktree`, `symlink`,
    `hard-link`, `not-regular`, `submodule`, `filtered`.
    """
    snapshots = []
    if staged and sources.head_tree:
        sources.head_tree.read_ahead(paths)
    for path in paths:
        rows = sources.entries.get(path, ())
        if staged:
            check_index(sources, path, rows)
        disk = _disk(sources.repository, path, rows)
        snapshots.append(FileSnapshot(path, disk))
    if not staged:
        return snapshots
    return _with_stored(sources, snapshots)


def _with_stored(sources: Sources, snapshots: list[FileSnapshot]) -> list[FileSnapshot]:
    """Add H and I, equal contents as one object."""
    trees = sources.head_tree
    heads = [trees.find(snapshot.path) if trees else None for snapshot in snapshots]
    rows = [sources.entries[snapshot.path][0] for snapshot in snapshots]
    wanted = list(dict.fromkeys([row.oid for row in rows] + [entry.oid for entry in heads if entry]))
    bodies: dict[str, bytes] = {}
    for oid, found in zip(wanted, sources.reader.read_many(wanted), strict=True):
        bodies[oid] = found.body if found is not None else sources.reader.need(oid, "blob")
    done = []
    for snapshot, entry, row in zip(snapshots, heads, rows, strict=True):
        disk = snapshot.disk
        for body in (bodies[row.oid], *([bodies[entry.oid]] if entry else [])):
            check_content(snapshot.path, body)
            if body is not disk.content and body == disk.content:
                disk = disk._replace(content=body)
        head = None if entry is None else Stored(entry.mode, entry.oid, bodies[entry.oid])
        done.append(FileSnapshot(snapshot.path, disk, Stored(row.mode, row.oid, bodies[row.oid]), head))
    return done


def check_index(sources: Sources, path: str, rows: tuple[IndexEntry, ...]) -> None:
    """Refuse what has no plain, visible, merged entry in the index, and in HEAD where a commit is to be made."""
    trees = sources.head_tree
    committed = trees.find(path) if trees else None
    if any(row.stage for row in rows):
        hint = "resolve the conflict (plain `gitedit apply` may edit the file), then `git add` it"
        raise RepositoryError("unmerged", f"{shown(path)}: has an unresolved merge conflict", hint)
    modes = [row.mode for row in rows] + ([committed.mode] if committed else [])
    if _GITLINK in modes:
        raise RepositoryError("submodule", f"{shown(path)}: is a submodule")
    if committed is not None and committed.mode == "40000":
        raise RepositoryError("not-regular", f"{shown(path)}: is a folder in HEAD")
    if _LINK in modes:
        raise RepositoryError("symlink", f"{shown(path)}: is a symbolic link")
    if not rows or (sources.commit and committed is None):
        raise _not_committed(sources, path, staged=bool(rows), committed=committed is not None)
    tag = rows[0].tag
    if tag != "H":
        if tag.upper() == "S" and not os.path.lexists(os.path.join(sources.repository.top, path)):
            hint = "`git sparse-checkout add` its folder first"
            raise RepositoryError("not-in-worktree", f"{shown(path)}: is outside the sparse checkout", hint)
        name = "skip-worktree" if tag.upper() == "S" else "assume-unchanged"
        hint = f"`git update-index --no-{name}` shows git the file again"
        raise RepositoryError("hidden-flag", f"{shown(path)}: is hidden from git by its {name} flag", hint)
    if rows[0].oid == _EMPTY_BLOB[sources.repository.algorithm] and _intended(sources.repository, path):
        hint = "`git add` and commit it first, or edit without --commit and --stage"
        raise RepositoryError("not-committed", f"{shown(path)}: only its name is in the index (`git add -N`)", hint)


def _intended(repository: Repository, path: str) -> bool:
    """Return whether the empty entry is an `add -N`: only then `git diff` shows an entry's file as added."""
    # `git diff` writes the index anew, GIT_OPTIONAL_LOCKS=0 or not, where it finds stat data to refresh.
    git = repository.at_top.reading().with_options("-c", "diff.autoRefreshIndex=false")
    diff = ("diff", "--name-only", "-z", "--no-renames", "--no-relative", "--diff-filter=A")
    return bool(git.run(*diff, "--", path))


def _not_committed(sources: Sources, path: str, *, staged: bool, committed: bool) -> RepositoryError:
    repository = sources.repository
    if committed:
        what, hint = "its deletion is staged", f"`git restore --staged {shown(path)}` brings it back"
    elif sources.commit and repository.head is None:
        what, hint = "the branch has no commit yet", "make the first commit with git, or edit without --commit"
    elif staged:
        what, hint = "it is new in the index and not in HEAD", "commit it first, or edit it with --stage"
    else:
        _check_submodule(repository, path)
        what, hint = "git does not track it", "`git add` and commit it first, or edit without --commit and --stage"
        twin = _twin(index.all_paths(repository.at_top.reading()), path)
        if twin is not None:
            hint = f"git tracks {shown(twin)}: use that spelling"
        else:
            # What no commit could make editable is said first: a link, a folder, nothing at all.
            worktree.read(repository.top, path)
            what = "git ignores it" if _ignored(repository, path) else what
    return RepositoryError("not-committed", f"{shown(path)}: {what}", hint)


def _ignored(repository: Repository, path: str) -> bool:
    # check-ignore knows no literal pathspecs: it exits with 128. It takes glob characters for themselves as it is.
    git = repository.at_top.reading().with_variables(GIT_LITERAL_PATHSPECS="0")
    return git.ask("check-ignore", "-q", "--", f"./{path}").status == 0


def _check_submodule(repository: Repository, path: str) -> None:
    """Refuse a path below a submodule that is not checked out: its folder has no `.git` to tell."""
    names = path.split("/")
    folders = ["/".join(names[:length]) for length in range(1, len(names))]
    for folder, rows in index.entries(repository.at_top.reading(), folders).items() if folders else ():
        if any(row.mode == _GITLINK for row in rows):
            hint = "`git submodule update --init` it, and run gitedit inside"
            raise RepositoryError("submodule", f"{shown(path)}: belongs to the submodule {shown(folder)}", hint)


def _twin(tracked: list[str], path: str) -> str | None:
    """Return the tracked path that differs from `path` only in case or Unicode form."""
    import unicodedata  # noqa: PLC0415 (only where a path was not found)

    def key(name: str) -> str:
        return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())

    wanted = key(path)
    return next((name for name in tracked if name != path and key(name) == wanted), None)


def _disk(repository: Repository, path: str, rows: tuple[IndexEntry, ...]) -> DiskFile:
    try:
        disk = worktree.read(repository.top, path)
    except RepositoryError as error:
        if error.code == "missing-file" and rows and rows[0].tag.upper() == "S":
            hint = "`git sparse-checkout add` its folder first"
            message = f"{shown(path)}: is outside the sparse checkout"
            raise RepositoryError("not-in-worktree", message, hint) from None
        if error.code == "missing-file" and rows:
            hint = f"`git restore {shown(path)}` brings it back"
            message = f"{shown(path)}: is in the index but not on disk"
            raise RepositoryError("missing-file", message, hint) from None
        raise
    check_content(path, disk.content)
    return disk


def check_content(path: str, content: bytes) -> None:
    """Refuse what only stands for the content; raise RepositoryError `filtered`."""
    if content.startswith(_LFS):
        raise RepositoryError("filtered", f"{shown(path)}: is a Git LFS pointer", "its content is not in git")


def check_unchanged(before: Mapping[str, tuple[IndexEntry, ...]], now: Mapping[str, tuple[IndexEntry, ...]]) -> None:
    """Raise ConflictError `index-changed` unless the entries are the same."""
    for path, rows in before.items():
        if now.get(path) != rows:
            message = f"{shown(path)}: somebody staged another version meanwhile"
            raise ConflictError("index-changed", message, "nothing was changed; retry")
