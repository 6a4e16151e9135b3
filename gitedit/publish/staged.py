"""A batch's files as the index and HEAD hold them, refused where `apply` would refuse them; the disk has no say.

Nothing is written: no index refresh, no folder of ours; what git must be asked in a scratch tree is outside.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from gitedit.errors import EditError, RepositoryError
from gitedit.git import attributes, cleanroom, index
from gitedit.git.configuration import Configuration
from gitedit.git.objects import ObjectReader, object_id
from gitedit.git.paths import shown
from gitedit.git.repository import Repository
from gitedit.git.trees import TreeReader
from gitedit.publish import conversion, snapshot, workspace

_LINK, _GITLINK = "120000", "160000"


class Target(NamedTuple):
    """One file that a batch edits."""

    path: str
    """Relative to the top."""
    mode: str
    """In the index."""
    oid: str
    """In the index."""
    content: bytes
    """The index's."""
    head: snapshot.Stored | None
    """None: HEAD has no such file, or there is no HEAD."""


class Stage:
    """The index and HEAD of one repository; close it when done."""

    def __init__(self, repository: Repository, configuration: Configuration) -> None:
        self.repository = repository
        self.configuration = configuration
        self.git = repository.at_top.reading()
        self.reader = ObjectReader(self.git)
        self.head_tree: TreeReader | None = None
        if repository.head is not None:
            body = self.reader.need(repository.head, "commit")
            root = body.split(b"\n", 1)[0].removeprefix(b"tree ").decode("ascii")
            self.head_tree = TreeReader(self.reader, root, repository.algorithm)
        self._entries: dict[str, tuple[index.IndexEntry, ...]] = {}
        self._attributes: dict[str, attributes.Attributes] = {}

    def close(self) -> None:
        """End the reader's child."""
        self.reader.close()

    def load(self, paths: Iterable[str]) -> None:
        """Ask for all that `target` needs to know of these paths, in one go."""
        wanted = list(dict.fromkeys(paths))
        if not wanted:
            return
        folders = dict.fromkeys(folder for path in wanted for folder in _folders(path))
        self._entries |= index.entries(self.git, [*wanted, *folders, *conversion.attribute_files(wanted)])
        self._attributes |= attributes.read_staged(self.git, wanted)

    def entry(self, path: str) -> index.IndexEntry | None:
        """Return the index entry of a loaded path, None where there is none or it is unmerged."""
        rows = self._entries.get(path, ())
        return rows[0] if len(rows) == 1 and not rows[0].stage else None

    def target(self, path: str) -> Target:
        """Return a loaded path's versions; raise RepositoryError where `apply` would refuse it."""
        for folder in _folders(path):
            mode = next((row.mode for row in self._entries.get(folder, ())), None)
            if mode == _LINK:
                raise RepositoryError("symlink", f"{shown(path)}: the folder {shown(folder)} is a symbolic link")
            if mode == _GITLINK:
                raise RepositoryError("submodule", f"{shown(path)}: belongs to the repository in {shown(folder)}")
        rows = self._entries.get(path, ())
        sources = snapshot.Sources(self.repository, self.reader, self.head_tree, self._entries, commit=False)
        snapshot.check_index(sources, path, rows)
        filtered = self._attributes[path].filtered
        if filtered:
            hint = "its content passes a filter between disk and repository"
            raise RepositoryError("filtered", f"{shown(path)}: has the attribute {filtered}", hint)
        content = self.reader.need(rows[0].oid, "blob")
        snapshot.check_content(path, content)
        return Target(path, rows[0].mode, rows[0].oid, content, self.head(path))

    def head(self, path: str) -> snapshot.Stored | None:
        """Return HEAD's version of a path."""
        entry = self.head_tree.find(path) if self.head_tree else None
        if entry is None or not entry.mode.startswith("100"):
            return None
        return snapshot.Stored(entry.mode, entry.oid, self.reader.need(entry.oid, "blob"))

    def flattened(self, edited: Mapping[str, tuple[Target, bytes]]) -> list[tuple[str, EditError]]:
        """Return a refusal for each edited file whose new line endings the next `git add` would change."""
        doubtful = {
            path: (target, content)
            for path, (target, content) in edited.items()
            if not attributes.cannot_matter(self._attributes[path], self.configuration, [target.content, content])
        }
        if not doubtful:
            return []
        with workspace.scratch(self.repository) as space:
            after = self._cleaned(space, doubtful)
            other = {
                path: (target, target.content)
                for path, (target, content) in doubtful.items()
                if after.get(path) != object_id("blob", content, self.repository.algorithm)
            }
            before = self._cleaned(space, other) if other else {}
        hint = "use the file's own line endings in newText, or change the attribute"
        return [
            (path, RepositoryError("line-endings", f"{shown(path)}: {self._why(path)}", hint))
            for path, (target, _) in other.items()
            if before.get(path) == target.oid
        ]

    def _why(self, path: str) -> str:
        return f"the next `git add` would change the line endings that the edit writes ({self._attributes[path].named})"

    def _cleaned(self, space: workspace.Workspace, contents: Mapping[str, tuple[Target, bytes]]) -> Mapping[str, str]:
        scratch = space.scratch("clean")
        for name in ("tree", "objects"):
            os.mkdir(os.path.join(scratch, name))
        git = cleanroom.storing_in(self.git, os.path.join(scratch, "objects"), self.repository.objects_dir)
        git = git.with_variables(GIT_DIR=self.repository.git_dir).with_options("-c", "core.safecrlf=false")
        files = {
            name: (self.reader.need(found.oid, "blob"), False)
            for name in conversion.attribute_files(list(contents))
            if (found := self.entry(name)) and found.mode.startswith("100")
        }
        files |= {path: (content, target.mode == "100755") for path, (target, content) in contents.items()}
        stored = {path: (target.mode, target.oid) for path, (target, _) in contents.items()}
        return attributes.clean(git, scratch, self.repository.algorithm, stored, files).entries


def _folders(path: str) -> Sequence[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
