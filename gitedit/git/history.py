"""Read history from raw objects, blind to whatever a repository, its config or its refs say about how to show it.

Revisions are resolved in the repository; everything else is read in a clean room outside it, which sees only objects.
Nothing is written into the repository, and what is missing is missing: no promisor remote exists in the room.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.errors import EditError
from gitedit.git import cleanroom
from gitedit.git.commits import Commit
from gitedit.git.diffs import RAW_OPTIONS, DiffEntry, between_trees, parse_raw
from gitedit.git.process import Git
from gitedit.git.repository import Repository

_REF_WORDS = ("--all", "--branches", "--tags", "--remotes")
"""What a revision may be that begins with `-`; any other is an option, as `--output=FILE`."""

_NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "nobody"), ("EMAIL", "nobody"), ("DATE", "@0 +0000"))
}
"""Who makes the commits that only the room has."""


class Room(NamedTuple):
    """A clean room that lasts as long as one reading of history."""

    git: Git
    algorithm: str
    """sha1 or sha256."""
    shallow: frozenset[str]
    """Ids of the commits whose parents were cut off."""


@contextlib.contextmanager
def open_room(repository: Repository) -> Iterator[Room]:
    """Make a clean room in a temporary folder; it goes when the block ends."""
    environment = repository.git.environment
    directories = [repository.objects_dir]
    inherited = environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES", "")
    # Inside pre-receive the new objects are in a quarantine, and the real ones are its alternates.
    directories += [os.path.join(repository.git.directory, path) for path in _split_directories(inherited)]
    shallow_file = environment.get("GIT_SHALLOW_FILE") or repository.shallow_file
    shallow_file = os.path.join(repository.git.directory, shallow_file)
    with tempfile.TemporaryDirectory(prefix="gitedit-audit-") as folder:
        room = os.path.join(folder, "room")
        cleanroom.make(room, repository.algorithm)
        git = cleanroom.enter(
            room, [os.path.abspath(path) for path in directories], own_objects=True, shallow_file=shallow_file
        )
        yield Room(git, repository.algorithm, _shallow_ids(shallow_file))


def resolve(repository: Repository, room: Room, revisions: Sequence[str]) -> list[str]:
    """Return `revisions` (as for `git log`; default HEAD) as object ids, those to leave out with a `^` before them.

    Raises:
        EditError: `bad-revision`, for what does not name commits, and for options.
    """
    # Grafts would move `HEAD~2`; replaced objects are already out of the way.
    git = repository.git.with_variables(GIT_GRAFT_FILE=os.devnull).reading()
    found: list[str] = []
    excluding = False
    for revision in revisions or ["HEAD"]:
        if revision == "--not":
            excluding = not excluding
            continue
        names = _ids(git, revision)
        found += (_negated(name) for name in names) if excluding else names
    _need_commits(room.git, found)
    return found


def between(room: Room, older: str, newer: str, *, limit: int) -> list[str]:
    """Return up to `limit` commits from `newer` back to `older`, which is left out: empty where it is no ancestor."""
    answer = room.git.ask("rev-list", "--ancestry-path", f"--max-count={limit}", f"{older}..{newer}")
    return answer.out.decode("ascii").split()


def refs_below(repository: Repository, prefix: str) -> dict[str, str]:
    """Return the object ids of the refs below `prefix`, by what follows it in their names."""
    out = repository.git.reading().run("for-each-ref", "--format=%(objectname) %(refname)", prefix)
    rows = (line.split(" ", 1) for line in out.decode("utf-8", "surrogateescape").split("\n") if line)
    return {name.removeprefix(prefix): oid for oid, name in rows}


def merge_changes(room: Room, merge: Commit) -> list[DiffEntry] | None:
    """Return what a merge changes besides merging, None where that is not known: an object is missing, for one.

    Its objects go into the room's own folder.
    """
    if len(merge.parents) > 2:
        return _octopus_changes(room, merge)
    answer = room.git.ask("show", "--remerge-diff", "--format=", *RAW_OPTIONS, merge.oid)
    return None if answer.status else parse_raw(answer.out.lstrip(b"\n"))


def _octopus_changes(room: Room, merge: Commit) -> list[DiffEntry] | None:
    """Return the difference to what `git merge` makes of all parents: one after the other, no conflicts, no renames.

    None also where they conflict, and with git before 2.38, which has no `merge-tree --write-tree`.
    """
    git = room.git.with_variables(**_NOBODY).with_options("-c", "merge.renames=false")
    merged, tree = merge.parents[0], ""
    for parent in merge.parents[1:]:
        answer = git.ask("merge-tree", "--write-tree", merged, parent)
        if answer.status:
            return None
        tree = answer.out.split(b"\n", 1)[0].decode("ascii")
        merged = git.run("commit-tree", tree, "-p", merged, "-p", parent).decode("ascii").strip()
    return next(between_trees(git, [(tree, merge.tree)]))


def signatures(repository: Repository, commits: Sequence[str]) -> dict[str, str]:
    """Return git's verdict (`%G?`) on each commit's signature; runs the program that the user configured."""
    if not commits:
        return {}
    names = "".join(f"{oid}\n" for oid in commits).encode()
    options = ("--no-walk=unsorted", "--stdin", "--no-show-signature", "--format=%H %G?")
    out = repository.git.reading().run("log", *options, data=names)
    return dict(line.split(" ", 1) for line in out.decode("ascii", "replace").splitlines() if " " in line)


def _ids(git: Git, revision: str) -> list[str]:
    """Return the object ids that one revision argument stands for; a range is several."""
    word, _, _ = revision.partition("=")
    if "\0" in revision or (revision.startswith("-") and word not in _REF_WORDS):
        raise _bad(revision)
    # Before `--` a word is a revision or an error, never a file.
    answer = git.ask("rev-parse", "--revs-only", revision, "--")
    names = answer.out.decode("ascii", "replace").split()
    if answer.status or not (names or word in _REF_WORDS):
        raise _bad(revision)
    if revision == "--all":
        # `git log --all` means a detached HEAD, too.
        names += git.ask("rev-parse", "--revs-only", "--verify", "-q", "HEAD").out.decode("ascii").split()
    if word in _REF_WORDS:
        # A ref may name a blob, as those that keep a record's lines do.
        checked = git.run("cat-file", "--batch-check", data=_peeled(names)).splitlines()
        names = [name for name, line in zip(names, checked, strict=True) if b" commit " in line]
    return names


def _need_commits(git: Git, names: Sequence[str]) -> None:
    if not names:
        return
    answer = git.run("cat-file", "--batch-check", data=_peeled(names))
    for name, line in zip(names, answer.splitlines(), strict=True):
        if b" commit " not in line:
            raise _bad(name.removeprefix("^"))


def _peeled(names: Sequence[str]) -> bytes:
    return "".join(f"{name.removeprefix('^')}^{{commit}}\n" for name in names).encode("ascii")


def _negated(name: str) -> str:
    return name[1:] if name.startswith("^") else "^" + name


def _bad(revision: str) -> EditError:
    shown = revision.encode("utf-8", "backslashreplace").decode()[:200]
    return EditError("bad-revision", f"'{shown}' names no commit", "see `git help revisions`")


def _shallow_ids(path: str) -> frozenset[str]:
    try:
        with open(path, encoding="ascii", errors="replace") as stream:
            return frozenset(stream.read().split())
    except OSError:
        return frozenset()


def _split_directories(text: str) -> list[str]:
    """Return the folders of GIT_ALTERNATE_OBJECT_DIRECTORIES; one that begins with `"` is C-quoted (git 2.11)."""
    found: list[str] = []
    rest = text
    while rest:
        if rest.startswith('"'):
            end = 1
            while end < len(rest) and rest[end] != '"':
                end += 2 if rest[end] == "\\" else 1
            found.append(_unquoted(rest[1:end]))
            rest = rest[end + 1 :].removeprefix(os.pathsep)
        else:
            path, _, rest = rest.partition(os.pathsep)
            found.append(path)
    return [path for path in found if path]


def _unquoted(text: str) -> str:
    plain = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
    out = bytearray()
    at = 0
    while at < len(text):
        step = 1
        piece = text[at]
        if piece == "\\" and at + 1 < len(text):
            octal = text[at + 1 : at + 4]
            if len(octal) == 3 and not octal.strip("01234567"):
                out.append(int(octal, 8) & 255)
                at += 4
                continue
            step, piece = 2, plain.get(text[at + 1], text[at + 1])
        out += os.fsencode(piece)
        at += step
    return os.fsdecode(bytes(out))
