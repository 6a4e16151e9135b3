"""Where a verdict reads, and what it hears where something is not here: nothing is fetched, nothing is guessed."""

from collections.abc import Callable
from typing import NamedTuple

from gitedit.errors import OperationError
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.objects import ObjectReader
from gitedit.git.trees import TreeReader

_LONGEST_PATH = 4096
"""Bytes: longer ones no file system has, and walking down one is quadratic."""


class MissingObjectError(Exception):
    """An object is not here, and in a partial clone it is not fetched."""


class Sources(NamedTuple):
    """Where a verdict reads."""

    blob: Callable[[str], bytes]
    """Blob of an id; raises MissingObjectError."""
    in_parent: Callable[[str], str | None]
    """Blob id of a path in the first parent, None where it has none; raises MissingObjectError."""


def parent_paths(reader: ObjectReader, commit: Commit, algorithm: str) -> Callable[[str], str | None]:
    """Return `Sources.in_parent` for a commit: each tree is read at most once, and only when it is asked for."""
    trees: list[TreeReader] = []

    def find(path: str) -> str | None:
        if len(path) > _LONGEST_PATH or not commit.parents:
            return None
        parent = commit.parents[0]
        try:
            if not trees:
                trees.append(TreeReader(reader, parse_commit(parent, reader.need(parent, "commit")).tree, algorithm))
            entry = trees[0].find(path)
        except (OperationError, ValueError) as error:
            raise MissingObjectError(f"the trees of {parent} are not all here") from error
        return entry.oid if entry else None

    return find
