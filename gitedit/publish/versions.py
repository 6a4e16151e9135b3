"""`expect` and `--require-clean`: is a file the version that its batch was made for, and has nobody begun to change it?

A version is said by the sha256 of the bytes on disk, the id of the blob that git would store for them, or HEAD's id.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from gitedit.errors import BatchError, ConflictError, Problem, RepositoryError
from gitedit.git.configuration import Configuration, filemode
from gitedit.git.objects import object_id
from gitedit.git.paths import shown
from gitedit.git.readers import Readers
from gitedit.git.trees import TreeEntry, TreeReader, root_of
from gitedit.publish import conversion
from gitedit.publish.snapshot import FileSnapshot, Stored
from gitedit.publish.workspace import Workspace

_FORMS = re.compile(r"sha256:[0-9a-f]{64}|[0-9a-f]{40}|[0-9a-f]{64}", re.IGNORECASE)


class Versions:
    """The versions of one batch's files, whatever of them the batch itself is about."""

    def __init__(self, workspace: Workspace, readers: Readers, configuration: Configuration) -> None:
        self._workspace = workspace
        self._readers = readers
        self._configuration = configuration
        self._algorithm = workspace.repository.algorithm

    def check(self, snapshots: list[FileSnapshot], wanted: Mapping[str, str]) -> None:
        """Raise ConflictError `stale` for the first file that is not the version in `wanted` (path -> version)."""
        for found in snapshots:
            version = wanted.get(found.path)
            if version is None:
                continue
            if not _FORMS.fullmatch(version):
                message = f'{shown(found.path)}: "expect" is neither sha256:<hex> nor a full blob id'
                raise BatchError("bad-batch", message, "", (Problem(found.path, None, "bad-batch", message),))
            if not self._is(found, version.lower()):
                message = f"{shown(found.path)}: is not the version that the batch expects"
                raise ConflictError("stale", message, "read the file again and make the batch anew")

    def _is(self, found: FileSnapshot, version: str) -> bool:
        content = found.disk.content
        if version.startswith("sha256:"):
            return version == f"sha256:{sha256(content).hexdigest()}"
        head = self._head_entry(found.path)
        if version in (object_id("blob", content, self._algorithm), head.oid if head else None):
            return True
        try:
            return version == self._stored_id(found)
        except RepositoryError:
            # A filter has a say in it, and is not run for a question.
            return False

    def check_clean(self, snapshots: list[FileSnapshot]) -> None:
        """Raise RepositoryError `dirty` for the first file that differs between HEAD, index and disk."""
        for found in snapshots:
            rows = self._readers.entries.read([found.path])[0].get(found.path, ())
            head, disk = self._head_entry(found.path), found.disk
            name = shown(found.path)
            if not rows:
                raise RepositoryError("dirty", f"{name}: is not in the index", "add and commit it")
            row = rows[0]
            if head is None or row.stage or (head.mode, head.oid) != (row.mode, row.oid):
                raise RepositoryError("dirty", f"{name}: has staged changes", "commit or unstage them")
            chmod = filemode(self._configuration) and (row.mode == "100755") != disk.executable
            same = not chmod and object_id("blob", disk.content, self._algorithm) == row.oid
            if not same and (chmod or self._stored_id(found) != row.oid):
                raise RepositoryError("dirty", f"{name}: has unstaged changes", "commit or stash them")

    def _head_entry(self, path: str) -> TreeEntry | None:
        head, objects = self._workspace.repository.head, self._readers.objects
        return None if head is None else TreeReader(objects, root_of(objects, head), self._algorithm).find(path)

    def _stored_id(self, found: FileSnapshot) -> str:
        """Return the id that `git add` would give the bytes on disk; raise RepositoryError `filtered`."""
        names = [found.path, *conversion.attribute_files([found.path])]
        entries, _ = self._readers.entries.read(names)
        contents = {found.path: found.disk.content}
        rules = conversion.examine(self._workspace, self._readers, self._configuration, entries, contents)
        if found.staged is None:
            # text=auto looks at what the index holds; an empty blob is as good as none.
            row = next((row for row in entries.get(found.path, ()) if row.stage == 0), None)
            oid = object_id("blob", b"", self._algorithm) if row is None else row.oid
            found = found._replace(staged=Stored("100644", oid, b""))
        return rules.stored_id(found)
