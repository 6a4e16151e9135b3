"""The journal: one file, written durably before anything visible changes, from which a run can be taken back.

    line 1   the run, as JSON
    line 2   the sha256 of line 1, which proves it whole
    then     W of every file, one behind the other
    at last  the id of the commit, once it is made, and the sha256 of that id

It is a draft while the temporary files are written: then nothing is visible yet, and all of them are ours.
"""

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import IO, NamedTuple

from gitedit.publish.workspace import DRAFT, JOURNAL, Workspace

TEMPORARY = ".gitedit-"
"""How the name of every temporary file begins."""
_VERSION = 3


class TornError(ValueError):
    """A journal, or a content in it, is not as it was written."""


class JournalFile(NamedTuple):
    """One file of the run."""

    path: str
    """Relative to the top."""
    temporary: str
    """Name, in the file's own folder, of the file that holds E(W) until it is put in place."""
    size: int
    """Of W, in bytes."""
    before: str
    """sha256 of W."""
    after: str
    """sha256 of E(W)."""
    mode: str | None = None
    """Of I, where the run changes the index."""
    staged: str | None = None
    """Blob id of I."""
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

    def replaced(self, number: int) -> str:
        """Return the name, in our folder, that the file itself gets while hooks run and E(W) stands in its place."""
        return f"run/{number}.replaced"


def digest(content: bytes) -> str:
    """Return the sha256 by which the journal knows a content."""
    return sha256(content).hexdigest()


def draft(workspace: Workspace, journal: Journal, originals: Sequence[bytes], *, at_most: int) -> None:
    """Write the journal, not yet durably nor under its name.

    Args:
        workspace: locked.
        journal: of the run.
        originals: W of every file, in the journal's order.
        at_most: the permissions that all of these files have.
    """
    # `ensure_ascii` carries path bytes that are not UTF-8 as \udcXX.
    document = {"version": _VERSION, **journal._asdict()}
    del document["commit"]
    text = json.dumps(document).encode("ascii")
    head = text + b"\n" + digest(text).encode("ascii") + b"\n"
    workspace.save(DRAFT, head, *originals, durable=False, at_most=at_most)


def add_commit(workspace: Workspace, commit: str, name: str = JOURNAL) -> None:
    """Add the id of the commit to the journal, durably, or to the draft (`name`)."""
    with open(workspace.path(name), "ab") as stream:
        stream.write(f"{commit} {digest(commit.encode('ascii'))}\n".encode("ascii"))
        stream.flush()
        if name == JOURNAL:
            os.fsync(stream.fileno())


def begin(workspace: Workspace) -> None:
    """Make the draft the journal, durably."""
    path = workspace.path(DRAFT)
    _sync(path)
    os.rename(path, workspace.path(JOURNAL))
    _sync(workspace.folder)


def read(path: str) -> Journal | None:
    """Return the journal in a file; None where there is no file; raise TornError where it is not a journal of ours.

    Its second line proves the first, so the fields need no checks.
    """
    try:
        with open(path, "rb") as stream:
            return _parsed(stream)
    except FileNotFoundError:
        return None


def _parsed(stream: IO[bytes]) -> Journal:
    text = stream.readline().removesuffix(b"\n")
    if stream.readline() != digest(text).encode("ascii") + b"\n":
        raise TornError
    document = json.loads(text)
    if document.pop("version") != _VERSION:
        raise TornError
    journal = Journal(files=tuple(JournalFile(*row) for row in document.pop("files")), **document)
    stream.seek(sum(file.size for file in journal.files), os.SEEK_CUR)
    commit, _, proof = stream.read().decode("ascii", "replace").partition(" ")
    return journal._replace(commit=commit) if proof == digest(commit.encode()) + "\n" else journal


def original(path: str, journal: Journal, number: int) -> bytes:
    """Return W of one file from the journal at `path`; raise TornError."""
    with open(path, "rb") as stream:
        for _ in range(2):
            stream.readline()
        stream.seek(sum(file.size for file in journal.files[:number]), os.SEEK_CUR)
        content = stream.read(journal.files[number].size)
    if digest(content) != journal.files[number].before:
        raise TornError
    return content


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
