"""From a path as somebody wrote it to a path inside the work tree, or a refusal.

Nothing here follows a symbolic link below the top: a link in the way is refused, wherever it points.
"""

import contextlib
import os
import stat
from collections.abc import Iterator

from gitedit.errors import OperationError, RepositoryError
from gitedit.git.process import for_apply
from gitedit.git.repository import Repository, too_old

# Code points that HFS+ ignores in names; the list of git's `next_hfs_char` (utf8.c).
_IGNORABLE = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF],
)


def is_git_dir_name(name: str) -> bool:
    r"""Return whether some file system takes `name` for `.git`: NTFS and HFS+ aliases, as git itself protects.

    `.GIT`, `git~1`, `.git.`, `.git `, `.git::$INDEX_ALLOCATION`, ignorable code points, and each part of `a\b`.
    """
    # Nearly every name; this is asked of each part of each path.
    if name.isascii() and "git" not in name.lower():
        return False
    for part in name.translate(_IGNORABLE).lower().split("\\"):
        if part.split(":", 1)[0].rstrip(". ") in {".git", "git~1"}:
            return True
    return False


def resolve(repository: Repository, path: str, plain: set[str] | None = None) -> str:
    """Return `path`, relative to the directory that git runs in, as a path relative to the top.

    `plain` remembers, from one path of a batch to the next, folders that were looked at and are nothing special.

    Raises RepositoryError: `path-outside`, `git-dir`, `symlink`, `submodule`, `not-regular` (the top itself).
    """
    inside = by_name(repository, path)
    _check_folders(repository, inside.split("/"), path, set() if plain is None else plain)
    return inside


def by_name(repository: Repository, path: str) -> str:
    """Do what `resolve` does as far as it can be told without looking at folders below the top."""
    if "\0" in path:
        message = f"{shown(path)}: a path cannot hold a NUL character"
        raise RepositoryError("path-outside", message, "no file has such a name: check how the path was made")
    parts = _below_top(repository, path)
    inside = "/".join(parts)
    if not parts or path.endswith("/"):
        raise RepositoryError("not-regular", f"{shown(path)}: names a folder, not a file", "name a file in it")
    if any(is_git_dir_name(part) for part in parts):
        hint = "gitedit never writes into a git directory"
        raise RepositoryError("git-dir", f"{shown(path)}: is inside a git directory", hint)
    return inside


def _below_top(repository: Repository, path: str) -> list[str]:
    """Return the names from the top down to `path`; `..` is taken by name, and never across a link."""
    top = repository.top
    if path.startswith("/"):
        start = "/"
    else:
        # The kernel's word on `.` is real as it is.
        start = os.getcwd() if repository.git.directory == "." else os.path.realpath(repository.git.directory)
    whole = [name for name in start.split("/") if name]
    for name in path.split("/"):
        if name in {"", "."}:
            continue
        if name == "..":
            here = "/" + "/".join(whole)
            if _kind(here) == stat.S_IFLNK and here != top:
                raise RepositoryError("symlink", f"{shown(path)}: goes through the symbolic link {shown(here)}")
            if whole:
                whole.pop()
        else:
            whole.append(name)
    below = "/".join(["", *whole, ""])
    if below.startswith(top.rstrip("/") + "/"):
        return [name for name in below[len(top) :].split("/") if name]
    for length in range(len(whole) + 1):
        if os.path.realpath("/" + "/".join(whole[:length])) == top:
            return whole[length:]
    hint = "a batch edits files below the top of the work tree only"
    raise RepositoryError("path-outside", f"{shown(path)}: is outside the work tree", hint)


def _check_folders(repository: Repository, parts: list[str], path: str, plain: set[str]) -> None:
    """Refuse a path whose folders are links, the git directory under another name, or another repository."""
    # A folder becomes known after those above it.
    if len(parts) == 1 or os.path.join(repository.top, *parts[:-1]) in plain:
        return
    folders = [os.path.join(repository.top, *parts[:depth]) for depth in range(1, len(parts))]
    unknown = [folder for folder in folders if folder not in plain]
    protected = {os.path.realpath(repository.git_dir), os.path.realpath(repository.common_dir)}
    for here in unknown:
        name = os.path.basename(here)
        kind = _kind(here)
        if kind == stat.S_IFLNK:
            message = f"{shown(path)}: the folder {shown(name)} in it is a symbolic link"
            raise RepositoryError("symlink", message, "name the file by the folder that it is really in")
        if here in protected:
            raise RepositoryError("git-dir", f"{shown(path)}: is inside the repository's own git directory")
        if kind == stat.S_IFDIR and _kind(os.path.join(here, ".git")) is not None:
            hint = f"run gitedit inside it: -C {shown(name)}"
            raise RepositoryError("submodule", f"{shown(path)}: belongs to the repository in {shown(name)}", hint)
        plain.add(here)


def _kind(path: str) -> int | None:
    """Return the type bits of what stands at `path`, not following a link, or None where nothing does."""
    try:
        return stat.S_IFMT(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextlib.contextmanager
def failures_named() -> Iterator[None]:
    """Turn an OSError into OperationError `io-error` that names the file; say so where git failed for its age."""
    try:
        yield
    except OSError as error:
        where = f"{shown(os.fsdecode(error.filename))}: " if error.filename else ""
        raise OperationError("io-error", f"{where}{error.strerror or error}", "everything is as it was") from error
    except OperationError as error:
        old = too_old(for_apply(os.sep)) if error.code == "git-failed" else None
        if old is None:
            raise
        raise old from error


def shown(path: str) -> str:
    """Return a path for people: control characters, quotes and raw bytes escaped, never a terminal sequence."""
    if path.isprintable() and '"' not in path and "\\" not in path:
        return path
    return '"' + path.encode("unicode_escape", "backslashreplace").decode("ascii").replace('"', '\\"') + '"'
