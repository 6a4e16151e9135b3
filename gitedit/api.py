"""The Python form of `gitedit apply`: a batch as JSON or as plain Python values in, the facts out."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict, Unpack

from gitedit.commands.apply import Session, deliver_late_signal
from gitedit.commands.apply import apply as run
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Mode, Outcome, Region
from gitedit.errors import BatchError
from gitedit.publish import result as internal
from gitedit.report.documents import facts

JsonBatch = Mapping[str, Any] | Sequence[Mapping[str, Any]] | bytes | str
"""One object, a list of them, or `{"files": [...]}`, as Python values or as JSON text."""


class Options(TypedDict, total=False):
    """What `apply` can be asked for, beside the batch."""

    commit: bool
    """Commit the batch's lines, and nothing else, with a record in the message."""
    stage: bool
    """Put the batch's lines into the index as well; not with `commit`."""
    dry_run: bool
    """Do everything but write."""
    message: str | None
    """The commit message, to which the record is appended; None: a default one."""
    mode: Mode | None
    """`strict` or `anchored`; None, here and below: as batch, environment and git config say."""
    exact: bool | None
    """Match exactly (line endings aside), never fuzzily."""
    agent: str | None
    """Who wrote the edits, as `NAME:MODEL`."""
    session: str | None
    """Where they come from; kept in the record."""
    encoding: str | None
    """Codec of the files, where it is not UTF-8."""
    verify: bool
    """False skips the pre-commit and commit-msg hooks."""
    sign: bool | None
    """Whether to sign the commit; None: as commit.gpgSign says."""
    signoff: bool
    """Add the user's Signed-off-by."""
    require_clean: bool
    """Refuse files with changes of the user's own."""
    strict_eol: bool | None
    """Refuse where git would convert line endings."""


@dataclass(frozen=True, slots=True)
class Endings:
    """How many lines end how."""

    lf: int
    crlf: int
    cr: int
    """CRs that no LF follows."""


@dataclass(frozen=True, slots=True)
class LineEndings:
    """The line endings of a file."""

    before: Endings
    after: Endings


@dataclass(frozen=True, slots=True)
class FileResult:
    """One file of the batch. With `commit`: HEAD's version -> the commit's; without: the file on disk."""

    path: str
    """Relative to the top of the work tree; bytes that are not UTF-8 are surrogate-escaped."""
    edits: tuple[Outcome, ...]
    """One per input edit, in input order."""
    added: int
    """Lines, as `git diff --numstat` counts them."""
    removed: int
    first_changed_line: int
    """1-based, in the new version."""
    line_endings: LineEndings
    diff: str
    """A short numbered display."""
    patch: str
    """Unified, as `git apply` takes it."""
    regions: tuple[Region, ...]
    """What changed, in byte offsets of both versions."""
    old: bytes
    new: bytes


@dataclass(frozen=True, slots=True)
class Result:
    """One applied batch: the facts of `gitedit apply --json`."""

    mode: Mode
    """The mode asked for."""
    semantics: str
    """`sequential` (strict) or `original` (anchored): what each edit was matched against."""
    dry_run: bool
    commit: str | None
    """The new commit's id, or None where none was made."""
    ref: str | None
    """The branch that moved; None: no commit, or detached HEAD."""
    parent: str | None
    record_id: str | None
    """First 16 hex digits of the record's hash."""
    files: tuple[FileResult, ...]
    warnings: tuple[str, ...]


def apply(batch: JsonBatch, *, repo: str = ".", **options: Unpack[Options]) -> Result:
    """Apply a batch to files of a git work tree, and with `commit=True` commit exactly its lines.

        result = gitedit.apply({"path": "a.py", "edits": [{"oldText": "1", "newText": "2"}]}, commit=True)
        print(result.commit, result.files[0].edits[0].matched_via)

    Args:
        batch: one object, a list of them, or `{"files": [...]}`, as Python values or as JSON text.
        repo: a directory in the work tree; the batch's paths are relative to it.
        options: see `Options`; flags that are left out are off, everything else is as batch and settings say.

    Returns:
        What `gitedit apply --json` says, as immutable values.

    Raises:
        EditError: every refusal, with `code`, `message`, `hint` and `problems`; everything is as it was then.
    """
    request = _request(batch, repo, options)
    try:
        return _public(run(request))
    finally:
        deliver_late_signal()


class OpenRepository:
    """A repository that stays open for many batches; made by `open_repository`."""

    def __init__(self, repo: str) -> None:
        """`repo` is a directory in the work tree."""
        self._session = Session(repo).for_many()
        self._directory = repo

    def __enter__(self) -> Self:
        """Return the same object."""
        return self

    def __exit__(self, *_: object) -> None:
        """End git's children and do the housekeeping that is due."""
        self._session.close()

    def apply(self, batch: JsonBatch, **options: Unpack[Options]) -> Result:
        """Apply one batch; see `gitedit.apply` for the options, the result and the errors."""
        request = _request(batch, self._directory, options)
        try:
            return _public(self._session.apply(request))
        finally:
            deliver_late_signal()


def open_repository(repo: str = ".") -> OpenRepository:
    """Open the repository around a directory for many batches, each all or nothing as with `apply`.

        with gitedit.open_repository("src") as repository:
            for batch in batches:
                repository.apply(batch, commit=True)

    Git's helper processes stay, so a commit costs about what git itself needs for it.
    """
    return OpenRepository(repo)


def _public(result: internal.Result) -> Result:
    return Result(
        mode=result.mode,
        semantics=result.semantics,
        dry_run=result.dry_run,
        commit=result.commit,
        ref=result.ref,
        parent=result.parent,
        record_id=result.record_id,
        files=tuple(_file(file) for file in result.files),
        warnings=result.warnings,
    )


def _file(file: internal.FileResult) -> FileResult:
    said = facts(file)
    endings = said["lineEndings"]
    return FileResult(
        path=file.path,
        edits=file.edits,
        added=file.added,
        removed=file.removed,
        first_changed_line=said["firstChangedLine"],
        line_endings=LineEndings(before=Endings(**endings["before"]), after=Endings(**endings["after"])),
        diff=said["diff"],
        patch=said["patch"],
        regions=file.regions,
        old=file.old,
        new=file.new,
    )


def _request(batch: JsonBatch, repo: str, options: Options) -> ApplyRequest:
    return ApplyRequest(batch=_json(batch), directory=repo, **options)


def _json(batch: object) -> bytes:
    """Return the batch as JSON, so that it is judged by the one reader of batches, whatever form it came in."""
    if isinstance(batch, bytes):
        return batch
    try:
        text = batch if isinstance(batch, str) else json.dumps(batch)
    except (TypeError, ValueError) as error:
        raise BatchError("bad-batch", f"the batch is not JSON: {error}") from error
    except RecursionError as error:
        raise BatchError("bad-batch", "the batch is nested too deeply") from error
    # UTF-8 has no lone surrogates; as an escape one can stand in JSON.
    return re.sub("[\ud800-\udfff]", lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")
