"""`gitedit recover`: settle what killed runs left, and let go of what could not be settled, naming what was kept."""

import contextlib

from gitedit.git import paths, process, repository
from gitedit.publish import recover as recovery
from gitedit.publish import signals, workspace


def recover(directory: str = ".") -> list[str]:
    """Return what was done, in sentences; none where nothing was left.

    Raises:
        EditError: `locked`, `io-error`, or what `git` refuses.
    """
    with paths.failures_named(), signals.raising():
        found = repository.find(process.for_apply(directory))
        with contextlib.closing(workspace.LockFile()) as file, workspace.locked(found, file) as space:
            return [*recovery.recover(space), *recovery.release_aside(space)]
