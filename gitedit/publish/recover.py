"""Take a run back from its journal: after a kill, after a refusal half-way, after a hook that said no.

One piece of code for all three. It looks at what is there now and puts back only what the run itself put there; it
destroys no bytes but W's copies and E(W): anything else that it finds goes into kept/ and is named. Every step may be
the last, or be done again.
"""

import contextlib
import os
from collections.abc import Sequence
from typing import NamedTuple

from gitedit.errors import RepositoryError
from gitedit.git import index, refs, worktree
from gitedit.git.indexlock import IndexLock
from gitedit.git.paths import shown
from gitedit.publish import indexes, kept, steps
from gitedit.publish import journal as journals
from gitedit.publish.journal import Journal
from gitedit.publish.workspace import DRAFT, JOURNAL, Workspace, make_folder, tidy


def recover(workspace: Workspace) -> list[str]:
    """Settle what a killed run left; return what was done, in sentences. The workspace must be locked."""
    steps.reached("recovering")
    notes = forget_draft(workspace)
    try:
        left = _read(workspace.path(JOURNAL))
        if left is None:
            return notes
        notes += _settle(workspace, left)
    except journals.TornError:
        notes += _set_unreadable_aside(workspace)
    tidy(workspace.folder)
    return notes


def _read(path: str) -> Journal | None:
    """Return the journal at `path`; raise RepositoryError `needs-recovery` where only its owner may read it.

    It is as closed as the closest of the files whose contents it holds.
    """
    try:
        return journals.read(path)
    except PermissionError as error:
        message = f"a run of another user was killed, and only they may read what it left: {path}"
        hint = "have the owner of that file run `gitedit recover`"
        raise RepositoryError("needs-recovery", message, hint) from error


def forget_draft(workspace: Workspace) -> list[str]:
    """Remove what a run wrote before its journal began: nothing was visible, and every temporary file is its own.

    Return what is kept, in sentences: a draft is not durable, and after a power loss may not tell what was written.
    """
    path = workspace.path(DRAFT)
    try:
        left = _read(path)
    except journals.TornError:
        notes = _keep_temporaries(workspace)
        worktree.remove(path)
        return notes
    if left is not None:
        for number in range(len(left.files)):
            worktree.remove(_temporary(workspace, left, number))
        worktree.remove(path)
    return []


def _keep_temporaries(workspace: Workspace) -> list[str]:
    """Take temporary files of nobody knows which run out of the work tree, keep and name them."""
    left = Journal(workspace.token, ())
    for path in index.untracked_paths(workspace.repository.at_top.reading()):
        if path.rpartition("/")[2].startswith(journals.TEMPORARY):
            kept.move(workspace, os.path.join(workspace.repository.top, path), left, 0, "found")
    return kept.named(workspace, left)


def _settle(workspace: Workspace, left: Journal) -> list[str]:
    """Decide: forward, back, or somebody moved on. The flock says that the run's `update-ref` has ended, too."""
    repository, git = workspace.repository, workspace.repository.at_top
    name = left.ref or "HEAD"
    if left.commit is not None:
        refs.remove_stale_locks(repository, {**left.created, name: left.commit})
        if refs.contains(git, name, left.commit):
            done = f"a run was killed after it had committed {left.commit[:12]}; nothing had to be taken back"
            return [done, *finish(workspace, left)]
    if any(file.restaged for file in left.files):
        # From here nobody can commit what the run had staged.
        hold(workspace, left.token)
    traces = _traces(workspace, left)
    if not left.publishes and traces.all_new:
        done = "a run was killed after it had edited every file; nothing had to be taken back"
        return [done, *finish(workspace, left)]
    moved = refs.value(git, name) != left.old or (left.old is not None and not refs.head_names(repository, left.ref))
    if moved and traces.any_new:
        return _set_aside(workspace, left, name)
    return take_back(workspace, left, found_by="a killed run", keep_edited=True)


class _Traces(NamedTuple):
    any_new: bool
    """A file or an index entry is not what it was before the run."""
    all_new: bool
    """Every file and every index entry is what the run wanted."""


def _traces(workspace: Workspace, left: Journal) -> _Traces:
    """Look at what is to be seen of the run; a file that was swapped and not looked at again is not done."""
    before = after = True
    for number, file in enumerate(left.files):
        found = _digest(_target(workspace, left, number))
        before = before and found == file.before
        after = after and found == file.after and _taken_out(workspace, left, number) in {None, file.before}
    changed = [file for file in left.files if file.restaged is not None]
    if changed:
        now = index.entries(workspace.repository.at_top.reading(), [file.path for file in changed])
        oids = {path: [row.oid for row in rows] for path, rows in now.items()}
        after = after and all(oids.get(file.path) == [file.restaged] for file in changed)
        before = before and not any(
            oids.get(file.path) == [file.restaged] and file.staged and file.restaged != file.staged for file in changed
        )
    return _Traces(not before, after)


def take_back(
    workspace: Workspace, left: Journal, *, found_by: str | None, everything: bool = False, keep_edited: bool = False
) -> list[str]:
    """Undo what the journal's run made visible; return what was done, in sentences.

    Args:
        workspace: locked.
        left: the journal.
        found_by: whose work it was, for a sentence; None: nobody needs it.
        everything: give every file back its W, also one that holds neither W nor E(W) (a hook wrote there).
        keep_edited: keep E(W) as well: whoever had the batch may be gone.
    """
    restored, notes = [], []
    for number, file in enumerate(left.files):
        is_within = _is_within(workspace, file.path, made=everything)
        taken_out = _restore(workspace, left, number, everything=everything) if is_within else None
        if taken_out is not None:
            restored.append(shown(file.path))
            if keep_edited and _digest(taken_out) == file.after:
                kept.move(workspace, taken_out, left, number, "edited")
            steps.reached("file-restored")
        elif _digest(_target(workspace, left, number)) != file.before and _was_placed(workspace, left, number):
            kept.original(workspace, left, number)
            notes.append(f"{shown(file.path)}: somebody changed it since, so it was left alone")
        _sweep(workspace, left, number)
    steps.reached("files-restored")
    _restore_index(workspace, left)
    steps.reached("index-restored")
    notes += finish(workspace, left)
    return [f"{found_by} was taken back: {', '.join(restored)}", *notes] if restored and found_by else notes


def _is_within(workspace: Workspace, path: str, *, made: bool) -> bool:
    """Return whether the folders down to a file are folders of the work tree, and no links; make those that are gone.

    Args:
        workspace: locked.
        path: relative to the top.
        made: whether to make them.
    """
    whole = workspace.repository.top
    for name in path.split("/")[:-1]:
        whole = os.path.join(whole, name)
        if made and not os.path.lexists(whole):
            os.mkdir(whole)
        if os.path.islink(whole) or not os.path.isdir(whole):
            return False
    return True


def check_aside(workspace: Workspace, paths: Sequence[str]) -> None:
    """Raise RepositoryError `needs-recovery` where a journal that was set aside touches one of the paths."""
    wanted = set(paths)
    for path in _aside(workspace):
        with contextlib.suppress(journals.TornError):
            left = journals.read(path)
            for file in left.files if left else ():
                if file.path in wanted:
                    message = f"{shown(file.path)}: a run that was killed had begun to edit it"
                    raise RepositoryError("needs-recovery", message, "run `gitedit recover`, and look at what it names")


def release_aside(workspace: Workspace) -> list[str]:
    """Name what each journal that was set aside kept, and let go of it; the kept files stay."""
    notes = []
    for path in _aside(workspace):
        left = None
        with contextlib.suppress(journals.TornError):
            left = journals.read(path)
        notes += kept.named(workspace, left or Journal(os.path.basename(path).partition(".")[0], ()))
        os.unlink(path)
    return notes


def _lock_of(workspace: Workspace, token: str) -> IndexLock:
    return IndexLock(workspace.repository.index_file, workspace.path(JOURNAL), token)


def hold(workspace: Workspace, token: str) -> IndexLock:
    """Take the index lock in the name of the run with this token, unless that run has it still; return it."""
    lock = _lock_of(workspace, token)
    if not lock.held():
        # It was free in between, so the index may have changed since.
        worktree.remove(workspace.path(indexes.OLD))
        lock.acquire()
    return lock


def _restore(workspace: Workspace, left: Journal, number: int, *, everything: bool) -> str | None:
    """Give one file its W back, if it holds E(W), or whatever it holds; return where the bytes found there are now."""
    file, target, temporary = left.files[number], _target(workspace, left, number), _temporary(workspace, left, number)
    worktree.settle_temporary(temporary)
    found = _digest(target)
    if found == file.before or not (everything or found == file.after):
        return None
    # The very file that stood there goes back, whatever was written into it since; a copy of W where it is gone.
    candidates = (temporary, workspace.path(left.replaced(number)))
    source = next((path for path in candidates if _digest(path) not in {None, file.after}), None)
    if source is None:
        source = temporary
        worktree.remove(temporary)
        like = worktree.read(workspace.repository.top, file.path) if found else _PLAIN
        worktree.write_whole(target, temporary, journals.original(workspace.path(JOURNAL), left, number), like)
    if found is None:
        done = _put_where_nothing_is(source, target)
    else:
        done = worktree.exchange(target, source, lambda path: _digest(path) == found)
    return source if done else None


_PLAIN = worktree.DiskFile(b"", 0, 0, 0o644, os.getuid(), os.getgid(), 0)


def _put_where_nothing_is(source: str, target: str) -> bool:
    try:
        os.link(source, target)
    except FileExistsError:
        return False
    except OSError:
        os.rename(source, target)
    worktree.remove(source)
    return True


def _sweep(workspace: Workspace, left: Journal, number: int) -> None:
    """Remove the run's own files of this file; what is neither W nor E(W) is somebody's, and is kept."""
    file, temporary = left.files[number], _temporary(workspace, left, number)
    worktree.settle_temporary(temporary)
    for path in (temporary, workspace.path(left.replaced(number))):
        if _digest(path) in {file.before, file.after}:
            os.unlink(path)
        elif os.path.lexists(path):
            kept.move(workspace, path, left, number, "found")


def _restore_index(workspace: Workspace, left: Journal) -> None:
    """Give the index back as it was, or, where others may have written it since, its entries that hold E(I) their I."""
    repository = workspace.repository
    changed = {file.path: file for file in left.files if file.restaged is not None}
    if not changed or not _lock_of(workspace, left.token).held():
        return
    if os.path.exists(workspace.path(indexes.OLD)):
        os.rename(workspace.path(indexes.OLD), repository.index_file)
        return
    now = index.entries(repository.at_top.reading(), changed)
    back = {
        path: (file.mode, file.staged)
        for path, file in changed.items()
        if file.mode is not None
        and file.staged is not None
        and [row.oid for row in now.get(path, ())] == [file.restaged] != [file.staged]
    }
    if back:
        following = indexes.following(workspace)
        index.update(indexes.git_for(repository.at_top, following), back)
        os.rename(following, repository.index_file)


def finish(workspace: Workspace, left: Journal) -> list[str]:
    """Let go: the run's temporary files, its index lock, its journal; return what is kept, in sentences."""
    for number in range(len(left.files)):
        _sweep(workspace, left, number)
    return let_go(workspace, left)


def let_go(workspace: Workspace, left: Journal) -> list[str]:
    """Do what `finish` does, where the temporary files are gone already."""
    notes = kept.named(workspace, left)
    release(workspace, left.token)
    steps.reached("index-unlocked")
    worktree.remove(workspace.path(JOURNAL))
    steps.reached("journal-dropped")
    return notes


def release(workspace: Workspace, token: str) -> None:
    """Remove the index lock if it is that run's; the flock keeps every other run of ours out."""
    _lock_of(workspace, token).release()


def _set_aside(workspace: Workspace, left: Journal, name: str) -> list[str]:
    """Touch nothing; keep W of every file that does not hold it, and the journal, until somebody has looked."""
    for number, file in enumerate(left.files):
        if _digest(_target(workspace, left, number)) != file.before and _was_placed(workspace, left, number):
            kept.original(workspace, left, number)
        _sweep(workspace, left, number)
    release(workspace, left.token)
    _move_aside(workspace, left.token)
    return [f"a run was killed, and {name} has moved since; nothing was touched", *kept.named(workspace, left)]


def _set_unreadable_aside(workspace: Workspace) -> list[str]:
    """Keep everything that the run had put away; its index lock is known by being the journal."""
    left, repository = Journal(workspace.token, ()), workspace.repository
    with contextlib.suppress(FileNotFoundError):
        if os.path.samefile(repository.index_file + ".lock", workspace.path(JOURNAL)):
            os.unlink(repository.index_file + ".lock")
    for name in sorted(os.listdir(workspace.path("run"))):
        if name.endswith(".replaced"):
            kept.move(workspace, workspace.path("run", name), left, 0, "found")
    _keep_temporaries(workspace)
    kept.move(workspace, workspace.path(JOURNAL), left, 0, "journal")
    steps.reached("set-aside")
    return ["a killed run left a journal that can't be read; what it left is kept", *kept.named(workspace, left)]


def _move_aside(workspace: Workspace, token: str) -> None:
    folder = workspace.path("aside")
    make_folder(folder)
    os.rename(workspace.path(JOURNAL), os.path.join(folder, f"{token}.json"))
    steps.reached("set-aside")


def _aside(workspace: Workspace) -> list[str]:
    folder = workspace.path("aside")
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))] if os.path.isdir(folder) else []


def _taken_out(workspace: Workspace, left: Journal, number: int) -> str | None:
    """Return the digest of what stands under the temporary name, if it is not E(W): what stood at the file's name."""
    temporary = _temporary(workspace, left, number)
    worktree.settle_temporary(temporary)
    found = _digest(temporary)
    return None if found == left.files[number].after else found


def _was_placed(workspace: Workspace, left: Journal, number: int) -> bool:
    """Return whether E(W) may have stood in the file's place: it has left its temporary name, or never had it."""
    temporary = _temporary(workspace, left, number)
    worktree.settle_temporary(temporary)
    return _digest(temporary) != left.files[number].after


def _digest(path: str) -> str | None:
    """Return the digest of a regular file, "" for anything else that stands there, None for nothing."""
    found = worktree.content(path)
    if found is None:
        return "" if os.path.lexists(path) else None
    return journals.digest(found)


def _target(workspace: Workspace, left: Journal, number: int) -> str:
    return os.path.join(workspace.repository.top, left.files[number].path)


def _temporary(workspace: Workspace, left: Journal, number: int) -> str:
    return os.path.join(os.path.dirname(_target(workspace, left, number)), left.files[number].temporary)
