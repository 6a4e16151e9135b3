"""`gitedit check`: judge batches without writing, by what is staged.

Shape always. That a batch applies, or was applied, is asked of batches that are named and of those that the commit
under way adds or changes: an old batch in the repository needs not apply any more.
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit import settings
from gitedit.commands.request import ApplyRequest
from gitedit.edits.applied import can_be_taken_back, is_result
from gitedit.edits.batch import MAX_BYTES, read_batch
from gitedit.edits.endings import unfold
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Batch, Edit
from gitedit.edits.where import Lines
from gitedit.errors import EXIT_STATUS, BatchError, ConflictError, EditError, OperationError, RepositoryError
from gitedit.git import configuration, index, paths, process, repository
from gitedit.git.paths import shown
from gitedit.publish.staged import Stage, Target
from gitedit.record.digests import sha256_hex
from gitedit.record.refusals import check_text, check_value
from gitedit.report.complaints import Complaint, Judged
from gitedit.settings import Settings

BATCH_ENDINGS = (".gitedit.json", ".gitedit.jsonl")
"""Names of batches that a repository keeps."""
_LOOKED_AT = (".json", ".jsonl")
"""Of the names that a hook gets, with `--staged`."""
_STREAM = ".jsonl"
_FILE = re.compile(r"file (\d+): ")
"""How the shape's messages name the file, where there are several."""
_BAD_BATCH = 3
"""Exit status of what is wrong with a batch whatever the file holds."""


class CheckRequest(NamedTuple):
    """One `gitedit check`."""

    batches: tuple[str, ...] = ()
    """Files, or `-`; none: every batch that the index has, by its name."""
    directory: str = "."
    staged: bool = False
    """Named batches are taken from the index only, and an unchanged one for its shape only, as a hook wants it."""
    changed_only: bool = False
    """Pass over batches that are as in HEAD."""
    against_staged: bool = False
    """The staged changes of the batches' files must be what the batches do to HEAD, and nothing more."""
    stdin: bytes = b""
    """The batch `-`."""


class Checked(NamedTuple):
    """What was judged, and what is wrong."""

    judged: tuple[Judged, ...]
    complaints: tuple[Complaint, ...]


class _Source(NamedTuple):
    """One batch as found."""

    name: str
    """As given."""
    line: int
    """1-based line of the file at which it begins."""
    data: bytes
    whole: bool
    """False: only the shape is to be judged."""


class _Case(NamedTuple):
    """One batch whose shape is sound."""

    source: _Source
    batch: Batch
    settings: Settings
    lines: Lines
    files: dict[str, list[tuple[int, int]]]
    """Path from the top -> (file, edit) in the batch of each of its edits, in order."""

    def edits(self, path: str) -> list[Edit]:
        return [self.batch.files[file].edits[edit] for file, edit in self.files[path]]

    def complaint(self, code: str, message: str, hint: str, place: tuple[int, int | None] = (0, None)) -> Complaint:
        line = self.source.line + self.lines.at(*place) - 1
        return Complaint(self.source.name, line, code, message, hint)


def check(request: CheckRequest) -> Checked:
    """Judge the batches; every problem with one is a complaint.

    Raises:
        EditError: `usage`, `not-a-repository` and its kind, OperationError.
    """
    with paths.failures_named():
        found = repository.find(process.for_hook(request.directory))
        stage = Stage(found, configuration.read(found.at_top))
        try:
            return _Run(request, stage).run()
        finally:
            stage.close()


class _Run:
    """One run."""

    def __init__(self, request: CheckRequest, stage: Stage) -> None:
        self.request = request
        self.stage = stage
        self.judged: list[Judged] = []
        self.complaints: list[Complaint] = []

    def run(self) -> Checked:
        rank: dict[str, int] = {}
        cases: list[_Case] = []
        for source in self._sources():
            rank.setdefault(source.name, len(rank))
            cases += [case] if (case := self._shaped(source)) else []
        self.stage.load(path for case in cases for path in case.files)
        if self.request.against_staged:
            self._against_staged(cases)
        else:
            for case in cases:
                self._judge(case)
        # The shape of all was judged first; a reader goes through each file from its top.
        judged = sorted(self.judged, key=lambda one: (rank[one.path], one.line))
        return Checked(tuple(judged), tuple(sorted(self.complaints, key=lambda one: (rank[one.path], one.line))))

    # -- which batches -----------------------------------------------------------------------------------------

    def _sources(self) -> Iterator[_Source]:
        request, stage = self.request, self.stage
        names = list(request.batches)
        if request.staged:
            names = [name for name in names if name.endswith(_LOOKED_AT)]
        elif "-" in names:
            yield from _split("-", request.stdin, whole=True)
            names = [name for name in names if name != "-"]
        if not request.batches:
            found = [path for path in index.all_paths(stage.git) if path.endswith(BATCH_ENDINGS)]
            inside = dict(zip(found, found, strict=True))
        else:
            inside = {name: path for name in names if (path := self._inside(name)) is not None}
        stage.load(path for path in inside.values() if path)
        for name, path in inside.items():
            entry = stage.entry(path)
            if entry is None or not entry.mode.startswith("100"):
                if request.staged or not request.batches:
                    continue
                yield from _split(name, _on_disk(request.directory, name), whole=True)
                continue
            head = stage.head_tree.find(path) if stage.head_tree else None
            changed = head is None or head.oid != entry.oid
            if request.changed_only and not changed:
                continue
            named = bool(request.batches) and not request.staged
            data = stage.reader.need(entry.oid, "blob")
            yield from _split(name, data, whole=changed or named or request.against_staged)

    def _inside(self, name: str) -> str | None:
        """Return a named batch's path from the top; "" where it can only be on disk, None: not looked at."""
        try:
            return paths.by_name(self.stage.repository, name)
        except RepositoryError:
            return None if self.request.staged else ""

    # -- one batch ---------------------------------------------------------------------------------------------

    def _shaped(self, source: _Source) -> _Case | None:
        """Judge the shape, and where the paths lead; return what is to be judged further."""
        try:
            batch = read_batch(source.data)
            _check_provenance(batch)
        except BatchError as error:
            self._refused(source, _lines_of(source.data), error)
            return None
        chosen = settings.resolve(self.stage.configuration, os.environ, batch, ApplyRequest(batch))
        case = _Case(source, batch, chosen, _lines_of(source.data), {})
        before = len(self.complaints)
        for number, file in enumerate(batch.files):
            try:
                path = paths.by_name(self.stage.repository, file.path)
            except RepositoryError as error:
                self.complaints.append(case.complaint(error.code, error.message, error.hint, (number, None)))
                continue
            case.files.setdefault(path, []).extend((number, edit) for edit in range(len(file.edits)))
        if len(self.complaints) > before:
            self._done(source, "failed")
        elif not source.whole:
            self._done(source, "shape")
        else:
            return case
        return None

    def _judge(self, case: _Case) -> None:
        """Judge whether the batch applies to what is staged, or was applied to it."""

        def at(path: str) -> tuple[int, None]:
            return case.files[path][0][0], None

        targets: dict[str, Target] = {}
        refused: list[Complaint] = []
        for path in case.files:
            try:
                targets[path] = self.stage.target(path)
            except EditError as error:
                refused.append(case.complaint(error.code, error.message, error.hint, at(path)))
        contents: dict[str, tuple[Target, bytes]] = {}
        missed: list[Complaint] = []
        for path, target in targets.items():
            try:
                self._check_expected(case, target)
                contents[path] = target, self._applied(case, path, target.content)
            except EditError as error:
                missed += _missed(case, path, error)
        state = "applies"
        sound = not refused and all(EXIT_STATUS[complaint.code] != _BAD_BATCH for complaint in missed)
        if missed and sound and all(self._is_applied(case, target) for target in targets.values()):
            state, missed = "applied", []
        elif not missed and not refused:
            missed = [case.complaint(e.code, e.message, e.hint, at(p)) for p, e in self.stage.flattened(contents)]
        self.complaints += refused + missed
        self._done(case.source, "failed" if refused or missed else state)

    def _is_applied(self, case: _Case, target: Target) -> bool:
        edits, chosen = case.edits(target.path), case.settings
        if target.head and is_result(target.head.content, target.content, edits, chosen.mode, exact=chosen.exact):
            return True
        return can_be_taken_back(target.content, edits, chosen.mode)

    def _applied(self, case: _Case, path: str, content: bytes) -> bytes:
        return apply_edits(content, case.edits(path), mode=case.settings.mode, exact=case.settings.exact).content

    def _check_expected(self, case: _Case, target: Target) -> None:
        for expect in {case.batch.files[file].expect for file, _ in case.files[target.path]} - {None}:
            kind, _, wanted = (expect or "").rpartition(":")
            head = target.head.oid if target.head else None
            # The hash is of the file on disk, which git may have given CRLF.
            hashes = {sha256_hex(content) for content in (target.content, unfold(target.content))}
            if expect in (target.oid, head) or (kind == "sha256" and wanted.lower() in hashes):
                continue
            message = f"{shown(target.path)}: is not the version that the batch expects"
            raise ConflictError("stale", message, "read the file again and make the batch anew")

    # -- the staged change as a whole --------------------------------------------------------------------------

    def _against_staged(self, cases: Sequence[_Case]) -> None:
        """Judge whether the batches, one after the other, lead from HEAD to exactly what is staged."""
        contents: dict[str, bytes] = {}
        last: dict[str, tuple[_Case, Target]] = {}
        failed: set[int] = set()
        for number, case in enumerate(cases):
            for path in case.files:
                try:
                    target = self.stage.target(path)
                    if target.head is None:
                        hint = "a batch changes what HEAD has: commit the file first, and then the batch"
                        raise RepositoryError("not-committed", f"{shown(path)}: HEAD has no such file", hint)
                    contents[path] = self._applied(case, path, contents.get(path, target.head.content))
                    last[path] = case, target
                except EditError as error:
                    self.complaints += _missed(case, path, error)
                    failed.add(number)
                    last.pop(path, None)
        for path, (case, target) in last.items():
            complaint = _other(case, target, contents[path])
            if complaint:
                self.complaints.append(complaint)
                failed.add(cases.index(case))
        for number, case in enumerate(cases):
            self._done(case.source, "failed" if number in failed else "as-staged")

    def _refused(self, source: _Source, lines: Lines, error: BatchError) -> None:
        rows = [(problem.edit, problem.message) for problem in error.problems] or [(None, error.message)]
        for edit, message in rows:
            numbered = _FILE.match(message)
            within = _syntax_line(source.data) or lines.at(int(numbered[1]) - 1 if numbered else 0, edit)
            line = source.line + within - 1
            self.complaints.append(Complaint(source.name, line, error.code, message, error.hint))
        self._done(source, "failed")

    def _done(self, source: _Source, state: str) -> None:
        self.judged.append(Judged(source.name, source.line, state))


def _other(case: _Case, target: Target, content: bytes) -> Complaint | None:
    """Return the complaint where a file's staged version is another one than the batches make."""
    place = (case.files[target.path][-1][0], None)
    name = shown(target.path)
    if target.content != content:
        both = zip(content.split(b"\n"), target.content.split(b"\n"), strict=False)
        same = next((n for n, (one, other) in enumerate(both) if one != other), None)
        line = 1 + (min(content.count(b"\n"), target.content.count(b"\n")) if same is None else same)
        message = f"{name}:{line}: what is staged is not what the batch makes of HEAD's version"
        hint = "commit other changes of the batch's files on their own"
        return case.complaint("dirty", message, hint, place)
    if target.head and target.head.mode != target.mode:
        message = f"{name}: its staged mode is {target.mode}, HEAD's is {target.head.mode}"
        return case.complaint("dirty", message, "a batch changes no mode", place)
    return None


def _missed(case: _Case, path: str, error: EditError) -> list[Complaint]:
    """Return a complaint per edit that missed, at its own line of the batch file."""
    places = case.files[path]
    rows = [problem for problem in error.problems if problem.edit is not None]
    if not rows:
        place = (places[0][0], None)
        message = error.message if error.message.startswith(shown(path)) else f"{shown(path)}: {error.message}"
        return [case.complaint(error.code, message, error.hint, place)]
    return [
        case.complaint(p.code, f"{shown(path)}: {p.message}", error.hint, places[p.edit])
        for p in rows
        if p.edit is not None
    ]


def _check_provenance(batch: Batch) -> None:
    """Refuse a message, an agent or a session that may not enter a commit message."""
    if batch.message:
        check_text(batch.message)
    for key, value in (("agent", batch.agent), ("session", batch.session)):
        if value:
            check_value(key, value)


def _split(name: str, data: bytes, *, whole: bool) -> Iterator[_Source]:
    """Yield the batches in a file: one, or in a `.jsonl` one a line."""
    if not name.endswith(_STREAM):
        yield _Source(name, 1, data, whole)
        return
    for number, line in enumerate(data.split(b"\n")):
        if line.strip():
            yield _Source(name, number + 1, line, whole)


def _on_disk(directory: str, name: str) -> bytes:
    try:
        with open(os.path.join(directory, name), "rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have that name"
        hint = "a path is relative to the current folder, or to -C"
        if isinstance(error, IsADirectoryError):
            hint = f"name the files in it, as in '{shown(name.rstrip('/'))}/*.json'"
        raise OperationError("io-error", f"cannot read the batch file {shown(name)}: {reason}", hint) from error


def _syntax_line(data: bytes) -> int | None:
    """Return the line at which the file is no JSON, None where it is."""
    try:
        json.loads(data.decode("utf-8-sig", "replace"))
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        return None
    return None


def _lines_of(data: bytes) -> Lines:
    return Lines(data.decode("utf-8", "replace"))
