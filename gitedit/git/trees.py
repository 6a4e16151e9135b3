"""Trees as values: look paths up in a commit's tree, and make the tree that differs in a few blobs only.

Only the ancestors of the paths are read and written: O(depth), not O(repository).
"""

import os
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import NamedTuple

from gitedit.errors import OperationError
from gitedit.git.objects import GitObject, ObjectReader, object_id

_TREE_MODE = "40000"


class TreeEntry(NamedTuple):
    """One entry of a tree object."""

    mode: str
    """Octal as stored: `40000`, `100644`, `120000`, `160000`."""
    oid: str


Tree = dict[bytes, TreeEntry]


def parse(body: bytes, algorithm: str) -> Tree:
    """Return the entries of a raw tree object, in the order they stand in."""
    width = 32 if algorithm == "sha256" else 20
    tree: Tree = {}
    position = 0
    while position < len(body):
        blank = body.index(b" ", position)
        end = body.index(b"\0", blank)
        oid = body[end + 1 : end + 1 + width].hex()
        tree[body[blank + 1 : end]] = TreeEntry(body[position:blank].decode("ascii"), oid)
        position = end + 1 + width
    return tree


def render(tree: Tree) -> bytes:
    """Return the raw tree object; the order of the entries is kept."""
    return b"".join(
        entry.mode.encode("ascii") + b" " + name + b"\0" + bytes.fromhex(entry.oid) for name, entry in tree.items()
    )


def root_of(reader: ObjectReader, commit: str) -> str:
    """Return the id of a commit's tree."""
    return reader.need(commit, "commit").split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")


class TreeReader:
    """The trees below one root, each read at most once."""

    def __init__(self, reader: ObjectReader, root: str, algorithm: str) -> None:
        self._reader = reader
        self._root = root
        self._algorithm = algorithm
        self._trees: dict[bytes, Tree | None] = {}

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Read the trees that hold these paths, all of one depth by one request: `find` would wait for each."""
        folders = {os.fsencode(path).rpartition(b"/")[0] for path in paths}
        for folder in [*folders]:
            while folder:
                folder = folder.rpartition(b"/")[0]  # noqa: PLW2901 (walks up from each folder)
                folders.add(folder)
        by_depth = sorted(folders, key=_depth)
        for _, level in groupby(by_depth, key=_depth):
            wanted = {name: oid for name in level if name not in self._trees and (oid := self._id(name))}
            for name, found in zip(wanted, self._reader.read_many([*wanted.values()]), strict=True):
                if found is not None and found.kind == "tree":
                    self._trees[name] = parse(found.body, self._algorithm)

    def find(self, path: str) -> TreeEntry | None:
        """Return the entry of a path relative to the root, or None; a folder's mode is `40000`."""
        folder, _, name = os.fsencode(path).rpartition(b"/")
        tree = self._tree(folder)
        return None if tree is None else tree.get(name)

    def with_blobs(self, changes: Mapping[str, TreeEntry]) -> tuple[str, list[GitObject]]:
        """Return the id of the tree in which these existing paths have new entries, and the objects it needs."""
        pending: dict[bytes, Tree] = {}
        for path, entry in changes.items():
            folder, _, name = os.fsencode(path).rpartition(b"/")
            self._draft(pending, folder)[name] = entry
        for folder in [*pending]:
            while folder:
                folder = folder.rpartition(b"/")[0]  # noqa: PLW2901 (walks up from each changed folder)
                self._draft(pending, folder)
        objects: list[GitObject] = []
        root = self._root
        for folder in sorted(pending, key=_depth, reverse=True):
            body = render(pending[folder])
            root = object_id("tree", body, self._algorithm)
            objects.append(GitObject("tree", body))
            if folder:
                above, _, name = folder.rpartition(b"/")
                pending[above][name] = TreeEntry(_TREE_MODE, root)
        return root, objects

    def _draft(self, pending: dict[bytes, Tree], folder: bytes) -> Tree:
        if folder not in pending:
            tree = self._tree(folder)
            if tree is None:
                raise OperationError("internal", f"the commit has no folder {os.fsdecode(folder)}")
            pending[folder] = dict(tree)
        return pending[folder]

    def _tree(self, folder: bytes) -> Tree | None:
        """Return the tree of a folder, or None where there is none; walks down from the deepest one known."""
        missing = []
        while folder not in self._trees:
            missing.append(folder)
            if not folder:
                break
            folder = folder.rpartition(b"/")[0]
        for name in reversed(missing):
            self._trees[name] = self._load(name)
            folder = name
        return self._trees[folder]

    def _load(self, folder: bytes) -> Tree | None:
        oid = self._id(folder)
        return None if oid is None else parse(self._reader.need(oid, "tree"), self._algorithm)

    def _id(self, folder: bytes) -> str | None:
        """Return the id of a folder's tree, told by the one above it."""
        if not folder:
            return self._root
        above, _, name = folder.rpartition(b"/")
        entry = (self._trees.get(above) or {}).get(name)
        return None if entry is None or entry.mode != _TREE_MODE else entry.oid


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0
