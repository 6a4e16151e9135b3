"""What an apply did, or would do: the facts behind `apply --json`, the text output and the Python API."""

from typing import NamedTuple

from gitedit.edits.model import Mode, Outcome, Region


class FileResult(NamedTuple):
    """One file of the batch. With `--commit`: HEAD's version -> the commit's; without: the file on disk."""

    path: str
    """Relative to the top of the work tree; bytes that are not UTF-8 are surrogate-escaped."""
    edits: tuple[Outcome, ...]
    """One per input edit, in input order."""
    regions: tuple[Region, ...]
    old: bytes
    new: bytes
    added: int
    """Lines, as `git diff --numstat` counts them."""
    removed: int


class Result(NamedTuple):
    """One applied batch."""

    mode: Mode
    """The mode asked for."""
    dry_run: bool
    files: tuple[FileResult, ...]
    warnings: tuple[str, ...] = ()
    commit: str | None = None
    """The new commit's id, or None where none was made."""
    ref: str | None = None
    """The branch that moved; None: no commit, or detached HEAD."""
    parent: str | None = None
    record_id: str | None = None
    """First 16 hex digits; see PROVENANCE."""

    @property
    def semantics(self) -> str:
        """`sequential` (strict) or `original` (anchored): what each edit was matched against."""
        return "sequential" if self.mode == "strict" else "original"
