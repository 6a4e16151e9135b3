"""What a run found in its way, or took back: people's bytes, kept until somebody has looked, and always named."""

import errno
import os

from gitedit.git import worktree
from gitedit.git.paths import shown
from gitedit.publish import journal as journals
from gitedit.publish.journal import Journal
from gitedit.publish.workspace import JOURNAL, Workspace

_MEANING = {
    "original": "as it was before the run",
    "edited": "as the run had edited it",
    "found": "as it was found",
    "journal": "as it was before the run, in what is left of the journal",
}
"""What a file in kept/ is: `<token>.<number of the file>.<one of these>`."""


def move(workspace: Workspace, path: str, left: Journal, number: int, what: str) -> None:
    """Move a file into kept/ under a name that is free there."""
    name = f"kept/{left.token}.{number}.{what}"
    while os.path.lexists(workspace.path(name)):
        name += "+"
    try:
        os.rename(path, workspace.path(name))
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        workspace.save(name, worktree.content(path) or b"", at_most=os.lstat(path).st_mode)


def original(workspace: Workspace, left: Journal, number: int) -> None:
    """Keep W of a file beyond the journal's end."""
    name = f"{left.token}.{number}.original"
    if os.path.lexists(workspace.path("kept", name)):
        return
    journal = workspace.path(JOURNAL)
    content = journals.original(journal, left, number)
    worktree.remove(workspace.path("run", name))
    written = workspace.save(f"run/{name}", content, at_most=os.stat(journal).st_mode)
    # By a rename, so that what is kept is whole.
    os.rename(written, workspace.path("kept", name))


def named(workspace: Workspace, left: Journal) -> list[str]:
    """Name every file that is kept of this run, whichever attempt to take it back kept it."""
    notes = []
    for name in sorted(os.listdir(workspace.path("kept"))):
        token, _, rest = name.partition(".")
        if token == left.token:
            number, _, what = rest.partition(".")
            path = shown(left.files[int(number)].path) if left.files else "a file"
            notes.append(f"{path}: {_MEANING.get(what.rstrip('+'), 'kept')}: {workspace.path('kept', name)}")
    return notes
