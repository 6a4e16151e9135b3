"""What a caller asks of `apply`: flags as values. None means: not said, so weaker settings decide."""

from typing import NamedTuple

from gitedit.edits.model import Batch, Mode


class ApplyRequest(NamedTuple):
    """One `gitedit apply`."""

    batch: bytes | Batch
    """JSON as read, or an already parsed batch."""
    directory: str = "."
    """Paths of the batch are relative to it."""
    commit: bool = False
    stage: bool = False
    dry_run: bool = False
    message: str | None = None
    mode: Mode | None = None
    exact: bool | None = None
    agent: str | None = None
    session: str | None = None
    encoding: str | None = None
    verify: bool = True
    """False: skip the pre-commit and commit-msg hooks."""
    sign: bool | None = None
    signoff: bool = False
    require_clean: bool = False
    strict_eol: bool | None = None
