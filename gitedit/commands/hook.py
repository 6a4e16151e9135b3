"""The hooks of a commit: what is staged, and what the message says of it, judged before the commit is made.

Git runs them at the top with the index of the commit in GIT_INDEX_FILE; nothing of the repository is written.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.audit.examine import Examiner
from gitedit.audit.model import STATUSES, WARNING, CommitReport, Finding
from gitedit.commands.check import CheckRequest, check
from gitedit.commands.endings import EndingsRequest, endings
from gitedit.git import cleanroom, configuration, history, hooks, paths, process, repository, stagedlines
from gitedit.git.commits import Commit, parse_commit
from gitedit.git.configuration import Configuration
from gitedit.git.objects import ObjectReader
from gitedit.git.repository import Repository
from gitedit.publish import workspace
from gitedit.record.collect import as_committed, collected
from gitedit.record.read import read_message
from gitedit.report.complaints import Complaint

RECORD_REFS = "refs/gitedit/records/"
_FIX_KEY = "gitedit.fixendings"
_FEW = 5
"""Findings that are named."""


class Staged(NamedTuple):
    """What the pre-commit hook found."""

    complaints: tuple[Complaint, ...]
    fixed: tuple[str, ...]
    left: tuple[str, ...]


def pre_commit(directory: str, *, fix: bool = False) -> Staged:
    """Judge the batches and the line endings that the commit changes; `fix` restores the endings."""
    found = repository.find(process.for_hook(directory))
    fix = fix or configuration.flag(configuration.read(found.at_top), _FIX_KEY)
    batches = check(CheckRequest(directory=directory, staged=True, changed_only=True))
    judged = endings(EndingsRequest(directory=directory, staged=True, fix=fix))
    return Staged(batches.complaints + judged.complaints, judged.fixed, judged.left)


def prepare_commit_msg(directory: str, file: str, source: str) -> bool:
    """On a squash, move the records in the message file into its trailer block; return whether it was changed."""
    with paths.failures_named():
        found = repository.find(process.for_hook(directory))
        # An interactive rebase has a source of its own for every commit but those that it squashes.
        rebasing = os.path.exists(os.path.join(found.git_dir, "rebase-merge", "message-squash"))
        if source != "squash" and not rebasing:
            return False
        name = os.path.join(directory, file)
        text = _text(name)
        new = collected(text)
        if new is None:
            return False
        with open(name, "wb") as stream:
            stream.write(new.encode("utf-8", "surrogateescape"))
        return True


def commit_msg(directory: str, file: str) -> tuple[str, ...]:
    """Return what is wrong with the records in the message file, held against what is staged; () where nothing is.

    Raises EditError.
    """
    with paths.failures_named():
        found = repository.find(process.for_hook(directory))
        comment = _comment(configuration.read(found.at_top))
        text = as_committed(_text(os.path.join(directory, file)), comment)
        reading = read_message(text)
        if not (reading.records or reading.strays or reading.nul):
            return ()
        with _with_tree(found) as (scratch, tree), history.open_room(scratch) as room:
            examiner = Examiner(room, lambda: history.refs_below(found, RECORD_REFS))
            try:
                reports = [examiner.alone(one).report for one in _commits(scratch, tree, text)]
            finally:
                examiner.close()
        kept_in_ref = any(one.record.lines_in_ref for one in reading.records)
        return _judged(reports, kept_in_ref=kept_in_ref)


def _judged(reports: Sequence[CommitReport], *, kept_in_ref: bool) -> tuple[str, ...]:
    """Return nothing if the message fits one of the commits that this may become, else what is wrong with the best."""
    best = max(reports, key=lambda report: (STATUSES.index(report.status), _placed(report)))
    if best.status in {"verified", "no-record"}:
        return ()
    bad = [finding for finding in best.findings if finding.rule in STATUSES]
    # `apply` makes the ref that keeps a long record's lines together with the commit: it is not there yet.
    if kept_in_ref and bad and all(finding.rule == "incomplete" and finding.level == WARNING for finding in bad):
        return ()
    lines = [_words(finding) for finding in bad[:_FEW]]
    return (*lines, *([f"and {len(bad) - _FEW} findings more"] if len(bad) > _FEW else []))


def _placed(report: CommitReport) -> int:
    """Return how many recorded regions were found."""
    edits = (edit for record in report.records for file in record.files for edit in file.edits)
    return sum(edit.placed is not None for edit in edits)


def _words(finding: Finding) -> str:
    return f"{finding.rule}: {finding.message}"


def _text(name: str) -> str:
    with open(name, "rb") as stream:
        return stream.read().decode("utf-8", "surrogateescape")


def _comment(config: Configuration) -> str:
    """Return what begins a comment in a message file; git chooses with `auto`, which can't be known here."""
    values = config.get("core.commentstring") or config.get("core.commentchar") or ["#"]
    value = values[-1]
    return "#" if not value or value == "auto" else value


@contextlib.contextmanager
def _with_tree(found: Repository) -> Iterator[tuple[Repository, str]]:
    """Make the tree of the index outside the repository; return the repository as seen with it, and its id."""
    with workspace.scratch(found) as space:
        copy = space.path("run", "index")
        # write-tree keeps what it computed in the index, which is not ours to touch.
        with contextlib.suppress(FileNotFoundError), open(found.index_file, "rb") as old, open(copy, "wb") as new:
            new.write(old.read())
        git = cleanroom.storing_in(found.at_top, space.objects_dir, found.objects_dir)
        git = git.with_variables(GIT_DIR=found.git_dir, GIT_INDEX_FILE=copy)
        alone = git.with_options(*hooks.NONE, "-c", "core.splitIndex=false")
        tree = alone.run("write-tree", "--missing-ok").decode("ascii").strip()
        yield found._replace(git=git, objects_dir=space.objects_dir), tree


def _commits(found: Repository, tree: str, message: str) -> Iterator[Commit]:
    """Yield the commits that this may become: on HEAD, in a merge with any parent first; or HEAD amended."""
    heads = [found.head] if found.head else []
    merged = stagedlines.merged(found, os.environ) if heads else []
    reader = ObjectReader(found.git.reading())
    try:
        head = parse_commit(found.head, reader.need(found.head, "commit")) if found.head else None
    finally:
        reader.close()
    both = [*heads, *merged]
    orders = [[parent, *(other for other in both if other != parent)] for parent in both] or [[]]
    amended: list[list[str]] = []
    if head and not merged:
        amended = [[parent] for parent in head.parents] or [[]]
        if head.tree == tree:
            # Nothing is staged, so that it is an amend, or empty.
            orders = []
    for parents in (*orders, *amended):
        yield Commit("0" * len(tree), tree, tuple(parents), "", "", "", False, message)
