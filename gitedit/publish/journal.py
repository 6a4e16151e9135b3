"""The journal: one small file, written durably before anything visible changes, from which a run can be taken back."""

import hashlib
import json
import os
from typing import NamedTuple

from gitedit.publish.workspace import Workspace

_VERSION = 1


class JournalFile(NamedTuple):
    """One file of the run."""

    path: str
    """Relative to the top."""
    temporary: str
    """Name, in the file's own folder, of the file that holds E(W) until it is put in place."""
    before: str
    """sha256 of W, which kept/ holds."""
    after: str
    """sha256 of E(W)."""
    staged: tuple[str, str] | None = None
    """(mode, blob id) of I, where the run changes the index."""
    restaged: str | None = None
    """Blob id of E(I)."""


class Journal(NamedTuple):
    """One run."""

    token: str
    files: tuple[JournalFile, ...]
    ref: str | None = None
    """The branch; None: HEAD itself is detached or unborn."""
    old: str | None = None
    """The commit that HEAD was; None: unborn."""
    publishes: bool = False
    """The run makes a commit."""
    commit: str | None = None
    """The new commit, once it is made."""

    def kept(self, number: int) -> str:
        """Return the name, in our folder, under which W of file `number` is kept."""
        return f"kept/{self.token}.{number}.before"

    def backup(self, number: int) -> str:
        """Return the name, in our folder, that the replaced file itself has, where it could be linked."""
        return f"kept/{self.token}.{number}.replaced"


def digest(content: bytes) -> str:
    """Return the sha256 by which the journal knows a content."""
    return hashlib.sha256(content).hexdigest()


def write(workspace: Workspace, journal: Journal) -> None:
    """Write the journal durably: a killed run leaves the whole of it, or none."""
    # `ensure_ascii` carries path bytes that are not UTF-8 as \udcXX.
    document = {"version": _VERSION, **journal._asdict(), "files": [file._asdict() for file in journal.files]}
    draft = f"run/journal.{'commit' if journal.commit else 'start'}"
    workspace.save(draft, json.dumps(document).encode("ascii"))
    os.rename(workspace.path(draft), workspace.path("journal"))
    folder = os.open(workspace.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: str) -> Journal | None:
    """Return the journal in a file; None where there is no file; raise ValueError where it is not a journal."""
    try:
        with open(path, "rb") as stream:
            document = json.loads(stream.read())
    except FileNotFoundError:
        return None
    try:
        if document.pop("version") != _VERSION:
            raise ValueError("another version")
        files = []
        for row in document.pop("files"):
            staged = row.pop("staged")
            files.append(JournalFile(**row, staged=None if staged is None else (staged[0], staged[1])))
        return Journal(files=tuple(files), **document)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError("not a journal") from error
