"""Take a run back from its journal: after a kill, after a refusal half-way, after a hook that said no.

One piece of code for all three: it looks at what is there now and puts back only what the run itself put there.
"""

import contextlib
import os
import time
from collections.abc import Sequence

from gitedit.errors import ConflictError, RepositoryError
from gitedit.git import index, refs, worktree
from gitedit.git.indexlock import IndexLock
from gitedit.git.paths import shown
from gitedit.git.process import Git
from gitedit.publish import journal as journals
from gitedit.publish.journal import Journal, JournalFile
from gitedit.publish.workspace import Workspace, wipe

_REF_LOCK_SECONDS = 2.0
_POLL_SECONDS = 0.02


def recover(workspace: Workspace) -> list[str]:
    """Settle what a killed run left; return what was done, in sentences. The workspace must be locked."""
    wipe(workspace.path("run"))
    try:
        return _settle(workspace)
    finally:
        wipe(workspace.path("run"))


def _settle(workspace: Workspace) -> list[str]:
    path = workspace.path("journal")
    try:
        left = journals.read(path)
    except ValueError:
        aside = _set_aside(workspace, f"unreadable.{workspace.token}")
        return [f"a killed run left a journal that can't be read; it is now {aside}, and nothing was touched"]
    if left is None:
        return []
    git = workspace.repository.at_top
    _wait_for_refs(workspace, left)
    name = left.ref or "HEAD"
    if left.commit is not None and git.ask("merge-base", "--is-ancestor", left.commit, name).status == 0:
        _release(workspace, left)
        forget(workspace, left)
        return [f"a run was killed after it had committed {left.commit[:12]}; nothing had to be taken back"]
    if refs.value(git, name) != left.old or not refs.head_names(workspace.repository, left.ref):
        _release(workspace, left)
        aside = _set_aside(workspace, left.token)
        names = ", ".join(f"{shown(file.path)} ({workspace.path(left.kept(n))})" for n, file in enumerate(left.files))
        moved = f"a run was killed and {name} has moved since; nothing was touched."
        return [f"{moved} Files as they were before that run: {names}. Its journal is now {aside}"]
    if not left.publishes and left.files[0].restaged is None and _all_new(workspace, left):
        _release(workspace, left)
        forget(workspace, left)
        return ["a run was killed after it had edited every file; nothing had to be taken back"]
    return take_back(workspace, left, found_by="a killed run")


def take_back(workspace: Workspace, left: Journal, *, found_by: str, everything: bool = False) -> list[str]:
    """Undo what the journal's run made visible; return what was done, in sentences.

    Args:
        workspace: locked.
        left: the journal.
        found_by: whose work it was, for the sentences.
        everything: give every file back its W, also one that holds neither W nor E(W) (a hook wrote there); the bytes
            found are kept.
    """
    notes: list[str] = []
    restored = []
    for number, file in enumerate(left.files):
        _remove(os.path.join(_folder(workspace, file), file.temporary))
        note = _restore(workspace, left, number, everything=everything)
        if note is not None:
            notes.append(note)
            restored.append(file.path)
    _restore_index(workspace, left)
    _release(workspace, left)
    forget(workspace, left)
    if restored:
        notes.insert(0, f"{found_by} was taken back: " + ", ".join(shown(path) for path in restored))
    return notes


def check_aside(workspace: Workspace, paths: Sequence[str]) -> None:
    """Raise RepositoryError `needs-recovery` where a journal that was set aside touches one of the paths."""
    folder = workspace.path("aside")
    wanted = set(paths)
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with contextlib.suppress(ValueError):
            left = journals.read(os.path.join(folder, name))
            for file in left.files if left else ():
                if file.path in wanted:
                    message = f"{shown(file.path)}: a run that was killed had begun to edit it"
                    raise RepositoryError("needs-recovery", message, "run `gitedit recover`, and look at what it names")


def release_aside(workspace: Workspace) -> list[str]:
    """Name what each journal that was set aside kept, and let go of it; the kept files stay."""
    folder = workspace.path("aside")
    notes = []
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        path = os.path.join(folder, name)
        try:
            left = journals.read(path)
        except ValueError:
            left = None
        for number, file in enumerate(left.files if left else ()):
            kept = workspace.path(left.kept(number)) if left else ""
            notes.append(f"{shown(file.path)}: as it was before the killed run: {kept}")
        os.unlink(path)
    return notes


def _restore(workspace: Workspace, left: Journal, number: int, *, everything: bool) -> str | None:
    """Give one file its W back; return a sentence where the file's content was put away or left alone."""
    file = left.files[number]
    target = os.path.join(workspace.repository.top, file.path)
    found = worktree.content(target)
    if found is not None and journals.digest(found) == file.before:
        return None
    ours = found is not None and journals.digest(found) == file.after
    if found is None and not everything:
        return (
            f"{shown(file.path)}: is gone from disk; as it was before the run: {_keep_before(workspace, left, number)}"
        )
    if not ours and not everything:
        kept = _keep_before(workspace, left, number)
        return f"{shown(file.path)}: somebody changed it since, so it was left alone; as it was before the run: {kept}"
    note = ""
    if found is not None:
        kept = _keep(workspace, f"kept/{left.token}.{number}.{'after' if ours else 'found'}", found)
        note = f"{shown(file.path)}: its edited content is kept as {kept}"
    try:
        _put_back(workspace, left, number, found)
    except ConflictError:
        return f"{shown(file.path)}: is being changed by somebody else, so it was left alone; {note}"
    return note or f"{shown(file.path)}: was gone from disk"


def _put_back(workspace: Workspace, left: Journal, number: int, found: bytes | None) -> None:
    """Put W in the place of what was `found`: the replaced file itself if it is still W, else a new one."""
    file = left.files[number]
    top = workspace.repository.top
    target = os.path.join(top, file.path)
    backup = workspace.path(left.backup(number))
    replaced = worktree.content(backup)
    if replaced is not None and journals.digest(replaced) == file.before and worktree.content(target) == found:
        # Needs no space: this way back is open on a full disk, too.
        os.replace(backup, target)
        return
    with open(workspace.path(left.kept(number)), "rb") as stream:
        before = stream.read()
    temporary = os.path.join(_folder(workspace, file), file.temporary)
    try:
        if found is None:
            like = worktree.DiskFile(before, 0, 0, 0o644, os.getuid(), os.getgid())
            worktree.write_temporary(target, temporary, before, like, durable=True)
            os.rename(temporary, target)
            return
        disk = worktree.read(top, file.path)
        worktree.write_temporary(target, temporary, before, disk, durable=True)
        worktree.replace(target, file.path, temporary, workspace.path("run", f"{number}.undone"), disk)
    finally:
        _remove(temporary)


def _keep(workspace: Workspace, name: str, content: bytes) -> str:
    """Keep bytes found in a file; return their path. A recovery that was killed itself may have kept them before."""
    try:
        return workspace.save(name, content)
    except FileExistsError:
        return workspace.save(f"{name}.{workspace.token}", content)


def _keep_before(workspace: Workspace, left: Journal, number: int) -> str:
    """Keep W of a file beyond the journal's end; return its path."""
    path = workspace.path(f"kept/{left.token}.{number}.original")
    with contextlib.suppress(FileExistsError):
        os.link(workspace.path(left.kept(number)), path)
    return path


def _restore_index(workspace: Workspace, left: Journal) -> None:
    """Give index entries that hold E(I) their I back, under the index lock."""
    repository = workspace.repository
    changed = {file.path: file for file in left.files if file.restaged is not None}
    if not changed:
        return
    now = index.entries(repository.at_top.reading(), changed)
    back = {
        path: file.staged
        for path, file in changed.items()
        if file.staged is not None and [row.oid for row in now.get(path, ())] == [file.restaged] != [file.staged[1]]
    }
    if not back:
        return
    lock = lock_of(workspace, left.token)
    if not lock.held():
        lock.acquire()
    following = next_index(workspace, "undone")
    index.update(index_git(repository.at_top, following), back, [])
    lock.install(following)


def lock_of(workspace: Workspace, token: str) -> IndexLock:
    """Return the index lock as the run with this token takes it."""
    path = workspace.path("run", "token")
    if not os.path.exists(path):
        workspace.save("run/token", token.encode("ascii"), durable=False)
    return IndexLock(workspace.repository.index_file, path, token)


def next_index(workspace: Workspace, name: str) -> str:
    """Return a second name (else a copy) of the index, for git to rewrite into the next one."""
    path = workspace.path("run", f"{name}.index")
    source = workspace.repository.index_file
    _remove(path)
    try:
        os.link(source, path)
    except OSError:
        with open(source, "rb") as stream:
            workspace.save(f"run/{name}.index", stream.read(), durable=False)
    return path


def index_git(git: Git, index_file: str) -> Git:
    """Return a git that works on another index file."""
    return git.with_variables(GIT_INDEX_FILE=index_file)


def _release(workspace: Workspace, left: Journal) -> None:
    """Remove the index lock if it is that run's; the flock keeps every other run of ours out."""
    lock = IndexLock(workspace.repository.index_file, "", left.token)
    lock.release()


def forget(workspace: Workspace, left: Journal) -> None:
    """Drop the journal, then the files kept for it."""
    _remove(workspace.path("journal"))
    for number, file in enumerate(left.files):
        _remove(os.path.join(_folder(workspace, file), file.temporary))
        _remove(workspace.path(left.kept(number)))
        _remove(workspace.path(left.backup(number)))


def _all_new(workspace: Workspace, left: Journal) -> bool:
    def after(file: JournalFile) -> bool:
        found = worktree.content(os.path.join(workspace.repository.top, file.path))
        return found is not None and journals.digest(found) == file.after

    return all(after(file) for file in left.files)


def _wait_for_refs(workspace: Workspace, left: Journal) -> None:
    """Wait until the killed run's `update-ref` has given its locks back, and remove them where it was killed too.

    The child lives in a session of its own and may outlive us for a moment; a lock is ours if it holds our commit id,
    and an empty HEAD.lock beside such a lock is.
    """
    repository = workspace.repository
    locks = [os.path.join(repository.git_dir, "HEAD.lock")]
    if left.ref is not None:
        locks.insert(0, os.path.join(repository.common_dir, left.ref + ".lock"))
    deadline = time.monotonic() + _REF_LOCK_SECONDS
    while left.commit is not None and os.path.exists(locks[0]):
        if time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)
            continue
        with open(locks[0], "rb") as stream:
            if stream.read().strip() != left.commit.encode("ascii"):
                return
        if len(locks) > 1 and os.path.exists(locks[1]) and os.stat(locks[1]).st_size == 0:
            _remove(locks[1])
        _remove(locks[0])


def _set_aside(workspace: Workspace, token: str) -> str:
    folder = workspace.path("aside")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, os.stat(workspace.folder).st_mode & 0o777)
    path = os.path.join(folder, f"{token}.json")
    os.rename(workspace.path("journal"), path)
    return path


def _folder(workspace: Workspace, file: JournalFile) -> str:
    return os.path.dirname(os.path.join(workspace.repository.top, file.path))


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(path)
