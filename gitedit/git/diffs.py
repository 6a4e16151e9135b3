"""What changed between two trees, as `git diff-tree --raw` tells it: modes, object ids and paths, nothing rendered."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.errors import OperationError
from gitedit.git.process import Git

RAW_OPTIONS = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--no-relative", "--ignore-submodules=none")
"""`diff.relative`, `diff.renames` and a committed `.gitmodules` with `ignore = all` each hide content otherwise."""
EMPTY_TREE = {
    "sha1": "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    "sha256": "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""Known to git without being stored."""
ABSENT = "000000"
"""The mode of the side on which a path is not there."""


class DiffEntry(NamedTuple):
    """One changed path of a tree diff."""

    old_mode: str
    """Six octal digits; `000000` where the path is new."""
    new_mode: str
    """Six octal digits; `000000` where the path is gone."""
    old_oid: str
    """Full object id; all zeros where the path is new."""
    new_oid: str
    path: str
    """Relative to the top; bytes that are not UTF-8 are surrogate-escaped."""


def parse_raw(out: bytes) -> list[DiffEntry]:
    """Return the entries of one `diff-tree -r -z --raw --no-renames --no-abbrev` output."""
    fields = out.split(b"\0")
    if len(fields) % 2 == 0 or fields[-1]:
        raise _unreadable()
    return [_entry(fields[i], fields[i + 1]) for i in range(0, len(fields) - 1, 2)]


def between_trees(git: Git, pairs: Sequence[tuple[str, str]]) -> Iterator[list[DiffEntry] | None]:
    """Yield the changes from the first tree to the second for each pair, None where an object is missing.

    Trees, not commits: fed a commit whose given parent is missing, `diff-tree --stdin` shows the diff to another
    parent (2.39). One child for all pairs; after a failure one child for each pair that it did not answer.
    """
    status, answered = _ask(git, pairs) if pairs else (0, [])
    if status:
        # What the child printed last may be half of its pair.
        answered = answered[:-1]
    done = 0
    for pair in pairs:
        if done < len(answered) and answered[done][0] == pair:
            yield answered[done][1]
            done += 1
        elif status == 0 or done < len(answered):
            # A missing tree is passed over in silence; a missing subtree kills the child.
            yield None
        else:
            failed, alone = _ask(git, [pair])
            yield alone[0][1] if alone and not failed else None


def _ask(git: Git, pairs: Sequence[tuple[str, str]]) -> tuple[int, list[tuple[tuple[str, str], list[DiffEntry]]]]:
    """Return the exit status and, in order, each pair that was answered with its entries."""
    requests = "".join(f"{old} {new}\n" for old, new in pairs).encode("ascii")
    status, out, _ = git.ask("diff-tree", "--stdin", *RAW_OPTIONS, data=requests)
    found: list[tuple[tuple[str, str], list[DiffEntry]]] = []
    fields = out.split(b"\0")
    for i in range(0, len(fields), 2):
        # Each pair begins with a line of its own; a path, which may hold newlines, stands only between two NULs.
        *headers, meta = fields[i].split(b"\n")
        for header in headers:
            old, _, new = header.decode("ascii", "replace").partition(" ")
            found.append(((old, new), []))
        if i + 1 < len(fields):
            found[-1][1].append(_entry(meta, fields[i + 1]))
    return status, found


def _entry(meta: bytes, path: bytes) -> DiffEntry:
    words = meta.decode("ascii", "replace").split(" ")
    if len(words) != 5 or not words[0].startswith(":"):
        raise _unreadable()
    return DiffEntry(words[0][1:], words[1], words[2], words[3], path.decode("utf-8", "surrogateescape"))


def _unreadable() -> OperationError:
    return OperationError("git-failed", "git diff-tree printed something that is not --raw -z output")
