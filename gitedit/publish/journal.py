"""The journal: one small file, written durably before anything visible changes, from which a run can be taken back.

The files that it speaks of stand in run/, which is not wiped while there is a journal.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from typing import NamedTuple

from gitedit.publish.workspace import Workspace

_VERSION = 2


class JournalFile(NamedTuple):
    """One file of the run."""

    path: str
    """Relative to the top."""
    temporary: str
    """Name, in the file's own folder, of the file that holds E(W) until it is put in place."""
    before: str
    """sha256 of W."""
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
    created: Mapping[str, str] = {}
    """Refs that are created with it: full name -> object id."""

    def saved(self, number: int) -> str:
        """Return the name, in our folder, of the copy of W of file `number`."""
        return f"run/{number}.before"

    def replaced(self, number: int) -> str:
        """Return the name, in our folder, that the file itself gets once E(W) stands in its place."""
        return f"run/{number}.replaced"


def digest(content: bytes) -> str:
    """Return the sha256 by which the journal knows a content."""
    return hashlib.sha256(content).hexdigest()


def write(workspace: Workspace, journal: Journal) -> None:
    """Write the journal durably: a killed run leaves the whole of it, or none."""
    # `ensure_ascii` carries path bytes that are not UTF-8 as \udcXX.
    document = {"version": _VERSION, **journal._asdict(), "files": [file._asdict() for file in journal.files]}
    text = json.dumps(document).encode("ascii")
    draft = f"run/journal.{'commit' if journal.commit else 'start'}"
    workspace.save(draft, text + b"\n" + digest(text).encode("ascii") + b"\n")
    os.rename(workspace.path(draft), workspace.path("journal"))
    folder = os.open(workspace.folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def read(path: str) -> Journal | None:
    """Return the journal in a file; None where there is no file; raise ValueError where it is not a journal of ours.

    Its last line proves the rest, so the fields need no checks.
    """
    try:
        with open(path, "rb") as stream:
            text, _, proof = stream.read().partition(b"\n")
    except FileNotFoundError:
        return None
    if proof != digest(text).encode("ascii") + b"\n":
        raise ValueError("torn")
    document = json.loads(text)
    if document.pop("version") != _VERSION:
        raise ValueError("another version")
    rows = document.pop("files")
    files = (JournalFile(**{**row, "staged": row["staged"] and tuple(row["staged"])}) for row in rows)
    return Journal(files=tuple(files), **document)
