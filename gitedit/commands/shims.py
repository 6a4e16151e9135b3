"""`gitedit hook install` and `uninstall`: a shell script of a few lines per hook, and never over somebody's own.

Another hook that is there already is kept beside ours as NAME.chained and runs first; uninstalling puts it back.
"""

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.errors import EditError
from gitedit.git import paths, process, repository
from gitedit.git.paths import shown
from gitedit.git.repository import Repository

CLIENT = ("pre-commit", "prepare-commit-msg", "commit-msg", "pre-push")
SERVER = ("pre-receive",)
NAMES = (*CLIENT, *SERVER)
CHAINED = ".chained"
_PURPOSES = {
    "pre-commit": "refuse bad batches and flipped line endings",
    "prepare-commit-msg": "keep the records of a squash",
    "commit-msg": "refuse a message whose record does not fit what is committed",
    "pre-push": "refuse to push commits that are not what they record",
    "pre-receive": "refuse pushed commits that are not what they record",
}
_MUST_RUN = {"commit-msg", "pre-receive"}
"""Without gitedit they fail; the others warn and let pass."""
_EXECUTABLE = stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH
_MARK = "# gitedit hook: "


class Step(NamedTuple):
    """What was done about one hook."""

    name: str
    said: str
    """In words, with the file's path."""


def shim(name: str, *, chained: bool = False) -> str:
    """Return the script of one hook."""
    consequence = "refused" if name in _MUST_RUN else "skipped"
    lines = [
        "#!/bin/sh",
        f"{_MARK}{_PURPOSES[name]}",
        *(_chain(name) if chained else []),
        "command -v gitedit >/dev/null 2>&1 || {",
        f'\techo "gitedit is not on PATH: {name} {consequence}" >&2',
        f"\texit {int(name in _MUST_RUN)}",
        "}",
    ]
    call = f'gitedit hook {name} "$@"'
    reads = chained and name in {"pre-push", "pre-receive"}
    lines.append(f'printf "%s" "$lines" | {call}' if reads else f"exec {call}")
    return "".join(line + "\n" for line in lines)


def _chain(name: str) -> list[str]:
    """Return the lines that run the hook that was there before ours."""
    before = f'"$(dirname "$0")/{name}{CHAINED}"'
    if name in {"pre-push", "pre-receive"}:
        # Both want to read all of what git writes to standard input; the x keeps its last newline.
        read = ["lines=$(cat; echo x)", "lines=${lines%x}"]
        return [*read, f'[ ! -x {before} ] || printf "%s" "$lines" | {before} "$@" || exit']
    return [f'[ ! -x {before} ] || {before} "$@" || exit']


def install(directory: str, names: Sequence[str] = (), *, shared: bool = False) -> list[Step]:
    """Put our hooks in place; without names, those of a client, or in a bare repository those of a server.

    Raises EditError `usage`: the folder is other repositories' too and `shared` is not said, or a hook is in the way.
    """
    with paths.failures_named():
        found = repository.find(process.for_hook(directory), bare_allowed=True)
        _check_own(found, shared=shared)
        os.makedirs(found.hooks_dir, exist_ok=True)
        return [_install(found.hooks_dir, name) for name in names or (CLIENT if found.top else SERVER)]


def uninstall(directory: str, *, shared: bool = False) -> list[Step]:
    """Take our hooks away and put back what was there before."""
    with paths.failures_named():
        found = repository.find(process.for_hook(directory), bare_allowed=True)
        _check_own(found, shared=shared)
        return [step for name in NAMES for step in _uninstall(found.hooks_dir, name)]


def _check_own(found: Repository, *, shared: bool) -> None:
    """Refuse a hooks folder outside the repository, which `core.hooksPath` may name for all of a user's."""
    folder = os.path.realpath(found.hooks_dir)
    homes = [os.path.realpath(home) for home in (found.common_dir, found.git_dir, found.top) if home]
    if shared or any(folder == home or folder.startswith(home + os.sep) for home in homes):
        return
    hint = "say --shared to use it all the same, or set core.hooksPath for this repository"
    raise EditError("usage", f"core.hooksPath names a folder outside this repository: {shown(folder)}", hint)


def _install(folder: str, name: str) -> Step:
    path, kept = os.path.join(folder, name), os.path.join(folder, name + CHAINED)
    there = _content(path)
    if there is not None and there in (shim(name), shim(name, chained=True)):
        return Step(name, f"{shown(path)}: is in place already")
    if there is not None and _MARK in there:
        _refuse_changed(path)
    if not os.path.lexists(path):
        _write(path, shim(name))
        return Step(name, f"{shown(path)}: installed")
    if os.path.lexists(kept):
        hint = "move one of the two away first"
        raise EditError("usage", f"{shown(path)} and {shown(kept)} are both there", hint)
    os.rename(path, kept)
    try:
        _write(path, shim(name, chained=True))
    except BaseException:
        os.rename(kept, path)
        raise
    return Step(name, f"{shown(path)}: installed; the hook that was there runs first, as {name}{CHAINED}")


def _uninstall(folder: str, name: str) -> Iterator[Step]:
    path, kept = os.path.join(folder, name), os.path.join(folder, name + CHAINED)
    there = _content(path)
    if there is None or _MARK not in there:
        return
    if there not in (shim(name), shim(name, chained=True)):
        _refuse_changed(path)
    if os.path.lexists(kept):
        os.rename(kept, path)
        yield Step(name, f"{shown(path)}: the hook from before is back")
    else:
        os.unlink(path)
        yield Step(name, f"{shown(path)}: removed")


def _refuse_changed(path: str) -> None:
    hint = "it begins as ours and was edited; move it away first"
    raise EditError("usage", f"{shown(path)}: is not as gitedit wrote it", hint)


def _content(path: str) -> str | None:
    with contextlib.suppress(OSError), open(path, encoding="utf-8", errors="replace") as stream:
        return stream.read()
    return None


def _write(path: str, text: str) -> None:
    with open(path, "x", encoding="ascii") as stream:
        stream.write(text)
    os.chmod(path, stat.S_IMODE(os.stat(path).st_mode) | _EXECUTABLE)
