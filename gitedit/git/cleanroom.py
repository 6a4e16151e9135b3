"""A clean room: a bare scratch repository with nothing in it but `* diff`, looking at the real objects.

Attributes, config, replace refs, grafts and `.gitmodules` all change what `git diff` shows; in here there are none.
"""

import contextlib
import os
from collections.abc import Sequence

from gitedit.git.process import Git

_CONFIG = {
    "sha1": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    "sha256": "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectFormat = sha256\n",
}


def make(folder: str, algorithm: str) -> None:
    """Make the scratch repository at `folder`, unless it is there: under a temporary name, then renamed."""
    if os.path.exists(os.path.join(folder, "HEAD")):
        return
    draft = f"{folder}.{os.urandom(8).hex()}"
    for name in ("", "objects", "refs", "info"):
        os.mkdir(os.path.join(draft, name))
    files = {"config": _CONFIG[algorithm], "HEAD": "ref: refs/heads/none\n", "info/attributes": "* diff\n"}
    for name, text in files.items():
        with open(os.path.join(draft, name), "w", encoding="ascii") as stream:
            stream.write(text)
    _share(draft, os.stat(os.path.dirname(folder)))
    try:
        os.rename(draft, folder)
    except OSError:
        if not os.path.exists(os.path.join(folder, "HEAD")):
            raise
        discard(draft)


def _share(folder: str, parent: os.stat_result) -> None:
    """Give a folder and all in it the group and the permissions of its parent: core.sharedRepository, not umask."""
    for base, _, names in os.walk(folder):
        for path, mask in ((base, 0o7777), *((os.path.join(base, name), 0o666) for name in names)):
            with contextlib.suppress(PermissionError):
                if os.stat(path).st_gid != parent.st_gid:
                    os.chown(path, -1, parent.st_gid)
                os.chmod(path, parent.st_mode & mask)


def discard(folder: str) -> None:
    """Remove a scratch repository that `make` made."""
    for base, folders, names in os.walk(folder, topdown=False):
        for name in names:
            os.unlink(os.path.join(base, name))
        for name in folders:
            os.rmdir(os.path.join(base, name))
    os.rmdir(folder)


def enter(
    folder: str, object_directories: Sequence[str], *, own_objects: bool = False, shallow_file: str | None = None
) -> Git:
    """Return a git that works in the clean room at `folder` and sees the real objects.

    Args:
        folder: what `make` made.
        object_directories: absolute; the first is where the objects are, the others are its alternates.
        own_objects: keep the room's own object directory and take all the real ones as alternates.
        shallow_file: absolute path of the repository's shallow file.
    """
    first = os.path.join(folder, "objects") if own_objects else object_directories[0]
    others = object_directories if own_objects else object_directories[1:]
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_DIR": folder,
        "GIT_OBJECT_DIRECTORY": first,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_LITERAL_PATHSPECS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "LC_ALL": "C",
    }
    if others:
        environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = os.pathsep.join(quoted(path) for path in others)
    if shallow_file is not None:
        environment["GIT_SHALLOW_FILE"] = shallow_file
    return Git(folder, environment)


def storing_in(git: Git, folder: str, objects_dir: str) -> Git:
    """Return a git whose new objects go to `folder`; `objects_dir` and the alternates so far are alternates."""
    inherited = git.environment.get("GIT_ALTERNATE_OBJECT_DIRECTORIES")
    alternates = os.pathsep.join([quoted(objects_dir), *([inherited] if inherited else [])])
    return git.with_variables(GIT_OBJECT_DIRECTORY=folder, GIT_ALTERNATE_OBJECT_DIRECTORIES=alternates)


def quoted(path: str) -> str:
    """Quote a path for GIT_ALTERNATE_OBJECT_DIRECTORIES (git 2.11: C-style quotes where a `:` or `"` stands in it)."""
    if os.pathsep not in path and not path.startswith('"'):
        return path
    return '"' + path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
