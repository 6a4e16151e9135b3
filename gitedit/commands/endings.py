"""`gitedit endings`: lines whose text stays while their ending flips, in what is to be committed; and the way back.

What is judged is always an index: the real one with `--staged`, else a scratch one in which git has added the work
tree's changes, so that attributes and filters say what a commit would store. New and deleted lines are free.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gitedit.edits import flips
from gitedit.edits.flips import Flip, Hunk
from gitedit.errors import EditError, RepositoryError
from gitedit.git import attributes, cleanroom, configuration, hooks, paths, process, repository, stagedlines, worktree
from gitedit.git.diffs import DiffEntry
from gitedit.git.objects import ObjectReader
from gitedit.git.process import Git
from gitedit.git.repository import Repository
from gitedit.publish import workspace
from gitedit.report.complaints import Complaint

CODE = "line-endings"
_REGULAR = ("100644", "100755")
_LARGEST = 512 << 20
"""Bytes; larger files are binary to git, too (core.bigFileThreshold)."""
_RUNS = 20
"""Complaints a file gets; the last one says how many lines more."""


class EndingsRequest(NamedTuple):
    """One `gitedit endings`."""

    files: tuple[str, ...] = ()
    """None: every file."""
    directory: str = "."
    staged: bool = False
    fix: bool = False
    disk_only: bool = False
    """With `fix` and `staged`: leave the index alone, as the pre-commit framework wants it."""


class Endings(NamedTuple):
    """What was found."""

    complaints: tuple[Complaint, ...]
    fixed: tuple[str, ...]
    """Files whose endings were restored."""
    left: tuple[str, ...]
    """Why a file was not, or not everywhere, in words."""


class _Flipped(NamedTuple):
    """One file with flips."""

    path: str
    mode: str
    content: bytes
    """As judged."""
    flips: list[Flip]

    def restored(self) -> bytes:
        return flips.restored(flips.split(self.content), {flip.line: flip.old for flip in self.flips})


def endings(request: EndingsRequest) -> Endings:
    """Judge, and with `fix` restore. Raises EditError: `not-a-repository` and its kind, OperationError."""
    with paths.failures_named():
        found = repository.find(process.for_hook(request.directory))
        wanted = None if not request.files else frozenset(_inside(found, request.files))
        with _judged(found, staged=request.staged) as git:
            reader = ObjectReader(git)
            try:
                flipped = _flipped(found, git, reader, wanted)
            finally:
                reader.close()
        fixer = _Fixer(found, request)
        for one in flipped if request.fix else ():
            fixer.fix(one)
    complaints = [complaint for one in flipped for complaint in _complaints(one, fixed=one.path in fixer.fixed)]
    return Endings(tuple(complaints), tuple(fixer.fixed), tuple(fixer.left))


def _inside(found: Repository, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        # A hook is also told of `.git/COMMIT_EDITMSG`.
        with contextlib.suppress(RepositoryError):
            yield paths.by_name(found, name)


@contextlib.contextmanager
def _judged(found: Repository, *, staged: bool) -> Iterator[Git]:
    """Return a git whose index is what is to be judged."""
    git = found.at_top.reading()
    if staged:
        yield git
        return
    with workspace.scratch(found) as space:
        copy = space.path("run", "index")
        with contextlib.suppress(FileNotFoundError), open(found.index_file, "rb") as old, open(copy, "wb") as new:
            new.write(old.read())
        scratch = cleanroom.storing_in(git.with_variables(GIT_INDEX_FILE=copy), space.objects_dir, found.objects_dir)
        scratch = scratch.with_options(*hooks.NONE, "-c", "core.splitIndex=false", "-c", "core.safecrlf=false")
        scratch.run("add", "-u", "--", ".")
        yield scratch


# -- judging -------------------------------------------------------------------------------------------------------


def _flipped(found: Repository, git: Git, reader: ObjectReader, wanted: frozenset[str] | None) -> list[_Flipped]:
    if found.head is None:
        return []
    parents = [found.head, *stagedlines.merged(found, git.environment)]
    candidates = _candidates(git, reader, parents, wanted)
    result = _ours(git, reader, parents, candidates)
    if result:
        # Back to what HEAD's own parents have: an amend, or a commit that repairs the one before.
        before = git.ask("rev-parse", f"{found.head}^@").out.decode("ascii", "replace").split()
        repaired = _versions(git, reader, before, result)
        result = [
            one._replace(flips=kept)
            for one in result
            if (kept := [f for f in one.flips if not any(v.get(f.line) == f.new for v in repaired[one.path])])
        ]
    return result


def _candidates(
    git: Git, reader: ObjectReader, parents: Sequence[str], wanted: frozenset[str] | None
) -> list[_Flipped]:
    """Return the files that no parent has as they are and that may hold flips, none found yet."""
    per_parent = [{entry.path: entry for entry in stagedlines.changes(git, parent)} for parent in parents]
    shared = [path for path in per_parent[0] if all(path in entries for entries in per_parent)]
    found: list[_Flipped] = []
    for path in shared if wanted is None else wanted.intersection(shared):
        entries = [entries[path] for entries in per_parent]
        olds = [entry.old_oid for entry in entries if _is_edit(entry)]
        oids = [entries[0].new_oid, *olds]
        if not olds or any(size is None or size[1] > _LARGEST for size in reader.sizes(oids)):
            continue
        content, *before = [reader.need(oid, "blob") for oid in oids]
        if any(flips.may_be_flipped(old, content) for old in before):
            found.append(_Flipped(path, entries[0].new_mode, content, []))
    return sorted(found)


def _is_edit(entry: DiffEntry) -> bool:
    return entry.old_mode in _REGULAR and entry.new_mode in _REGULAR


def _ours(git: Git, reader: ObjectReader, parents: Sequence[str], files: Sequence[_Flipped]) -> list[_Flipped]:
    versions = _versions(git, reader, parents, files)
    judged = [one._replace(flips=flips.flips(flips.split(one.content), versions[one.path])) for one in files]
    return [one for one in judged if one.flips]


def _versions(
    git: Git, reader: ObjectReader, parents: Sequence[str], files: Sequence[_Flipped]
) -> dict[str, list[Mapping[int, bytes]]]:
    """Return, by path, what `compare` says of each parent's version."""
    found: dict[str, list[Mapping[int, bytes]]] = {one.path: [] for one in files}
    for parent in parents if files else ():
        entries = {entry.path: entry for entry in stagedlines.changes(git, parent)}
        ranges = stagedlines.ranges(git, parent, [one.path for one in files])
        for one in files:
            new = flips.split(one.content)
            entry = entries.get(one.path)
            if entry is None:
                found[one.path].append({number: flips.ending(line) for number, line in enumerate(new)})
            elif _is_edit(entry):
                hunks = [Hunk(*each) for each in ranges.get((entry.old_oid, entry.new_oid), [])]
                old = flips.split(reader.need(entry.old_oid, "blob"))
                found[one.path].append(flips.compare(old, new, hunks))
    return found


def _complaints(one: _Flipped, *, fixed: bool) -> Iterator[Complaint]:
    listed = flips.runs(one.flips)
    hint = "restore the endings (`gitedit endings --fix`), or commit the conversion alone with --no-verify"
    if fixed:
        hint = "the endings are restored: add the file and commit again"
    for number, (first, last) in enumerate(listed):
        change = f"{flips.NAMES[first.old]} became {flips.NAMES[first.new]}"
        where = "on this line" if first == last else f"on lines {first.line + 1} to {last.line + 1}"
        message = f"{change} {where}, whose text is unchanged"
        if number == _RUNS - 1 and len(listed) > _RUNS:
            rest = sum(end.line - start.line + 1 for start, end in listed[_RUNS:])
            yield Complaint(one.path, first.line + 1, CODE, f"{message}; and {rest} lines more", hint)
            return
        yield Complaint(one.path, first.line + 1, CODE, message, hint)


# -- restoring -----------------------------------------------------------------------------------------------------


class _Fixer:
    """Writes restored endings to the index and the disk, each from what it holds."""

    def __init__(self, found: Repository, request: EndingsRequest) -> None:
        self.repository = found
        self.request = request
        self.fixed: list[str] = []
        self.left: list[str] = []

    def fix(self, one: _Flipped) -> None:
        """Restore the endings of one file."""
        on_index = self.request.staged and not self.request.disk_only
        if on_index:
            git = self.repository.at_top
            oid = git.run("hash-object", "-w", "--no-filters", "--stdin", data=one.restored()).decode("ascii").strip()
            git.run("update-index", "--cacheinfo", f"{one.mode},{oid},{one.path}")
        try:
            on_disk = self._fix_disk(one)
        except EditError as error:
            on_disk = False
            self.left.append(error.message)
        if on_index or on_disk:
            self.fixed.append(one.path)

    def _fix_disk(self, one: _Flipped) -> bool:
        """Restore the endings in the file on disk as far as it holds those lines; return whether it is done."""
        disk = worktree.read(self.repository.top, one.path)
        content = disk.content
        if content == one.content:
            new = one.restored()
        elif self._is_converted(one.path, [content, one.content]):
            self.left.append(f"{paths.shown(one.path)}: git converts the file on disk, which was left as it is")
            return False
        elif self.request.disk_only:
            self.left.append(f"{paths.shown(one.path)}: the file on disk is not the staged one, and was left as it is")
            return False
        else:
            new = self._replayed(one, content)
        if new == content:
            return False
        worktree.rewrite(self.repository.top, one.path, new, disk)
        return True

    def _is_converted(self, path: str, contents: Sequence[bytes]) -> bool:
        git = self.repository.at_top.reading()
        rules = attributes.read_staged(git, [path])[path]
        return rules.filtered is not None or not attributes.cannot_matter(rules, configuration.read(git), contents)

    def _replayed(self, one: _Flipped, content: bytes) -> bytes:
        """Return other bytes than the judged ones with the same lines restored, where they still have that ending."""
        with workspace.scratch(self.repository) as space:
            git = space.git
            stored = [
                git.run("hash-object", "-w", "--no-filters", "--stdin", data=data).decode("ascii").strip()
                for data in (one.content, content)
            ]
            hunks = [Hunk(*each) for each in stagedlines.between(git.reading(), *stored)]
        lines = flips.split(content)
        wanted = {flip.line: flip for flip in one.flips}
        shift = 0
        places: dict[int, bytes] = {}
        at = 0
        for hunk in [*hunks, Hunk(len(one.content), len(one.content), len(content), len(content))]:
            shift = hunk.new_start - hunk.old_start
            for line in [number for number in wanted if at <= number < hunk.old_start]:
                if line + shift < len(lines) and flips.ending(lines[line + shift]) == wanted[line].new:
                    places[line + shift] = wanted[line].old
            at = hunk.old_end
        return flips.restored(lines, places)
