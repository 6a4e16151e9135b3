"""`--batch FILE`: which commits record this batch, and whether the batch, applied again, gives their very bytes."""

import os
import posixpath
from collections.abc import Callable, Mapping
from typing import NamedTuple

from gitedit.audit.model import ERROR, CommitReport, Finding
from gitedit.edits.batch import MODES, joined, read_batch
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import FileEdits, Mode
from gitedit.errors import EditError
from gitedit.git.diffs import DiffEntry
from gitedit.git.repository import Repository
from gitedit.record.digests import batch_digest
from gitedit.record.encoding import shown_path


class Setting(NamedTuple):
    """What the digest binds besides the edits."""

    mode: Mode
    exact: bool


class Wanted(NamedTuple):
    """A batch as audit looks for it."""

    files: tuple[FileEdits, ...]
    """Joined; paths relative to the top."""
    digests: Mapping[str, Setting]
    """Every digest that a record of the batch may have."""


def wanted(data: bytes, repository: Repository) -> Wanted:
    """Read a batch file; its paths are relative to the current directory, as for `apply`. Raises EditError."""
    batch = read_batch(data)
    files = joined(file._replace(path=_from_top(file.path, repository)) for file in batch.files)
    # A flag may have overruled the mode that the batch names.
    settings = [Setting(mode, exact) for mode in MODES.values() for exact in (False, True)]
    return Wanted(files, {batch_digest(files, mode, exact=exact): Setting(mode, exact) for mode, exact in settings})


def recorded_in(report: CommitReport, batch: Wanted) -> Setting | None:
    """Return how the batch was applied, where one of the commit's records names its digest."""
    return next((batch.digests[r.batch] for r in report.records if r.batch and r.batch in batch.digests), None)


def other_result(
    batch: Wanted, setting: Setting, entries: Mapping[str, DiffEntry], read: Callable[[str], bytes]
) -> Finding | None:
    """Return the finding where the batch, applied to the parent's blobs, does not give the commit's."""
    for file in batch.files:
        entry = entries.get(file.path)
        shown = shown_path(file.path)
        if entry is None:
            text = f"{shown}: the batch edits it, the commit does not change it"
            return Finding("modified", ERROR, text, "missing-path", file.path)
        try:
            content = apply_edits(read(entry.old_oid), file.edits, mode=setting.mode, exact=setting.exact).content
        except EditError as error:
            text = f"{shown}: the batch does not apply to the parent's version: {error.message}"
            return Finding("modified", ERROR, text, "inside-region", file.path)
        if content != read(entry.new_oid):
            text = f"{shown}: the batch gives other bytes than the commit holds"
            return Finding("modified", ERROR, text, "inside-region", file.path)
    return None


def _from_top(path: str, repository: Repository) -> str:
    """Return a path of the batch relative to the top; by name only, as the file need not be there any more."""
    if not repository.top:
        return posixpath.normpath(path)
    here = os.path.join(os.path.realpath(repository.git.directory), path)
    return os.path.relpath(os.path.normpath(here), repository.top)
