"""Which commit each line of a file comes from: `git blame` in the clean room, so that no configuration bends it.

Without -w, -M and -C: a line belongs to the commit that put these bytes into this file. Renames are followed.
"""

import os
from collections.abc import Iterator
from typing import Any, NamedTuple

from gitedit.git.history import Room
from gitedit.git.process import LOCAL_VARIABLES, Answer, failed

_NEUTRAL = {"GIT_CONFIG_COUNT": "0", "GIT_CONFIG_PARAMETERS": ""}
"""GitPython hands this process's environment on, and with it the caller's `git -c`."""


class Origin(NamedTuple):
    """A run of lines that one commit brought."""

    line: int
    """1-based: where the run begins in the version at hand."""
    length: int
    """Lines."""
    commit: str
    path: str
    """The file's name in that commit."""
    first: int
    """1-based: where the run begins in that commit's version."""
    author: str
    seconds: int
    """The author's date, since 1970."""


def blame(room: Room, commit: str, path: str, ignored: str | None = None) -> list[Origin]:
    """Return the runs of a commit's version of a file, in order; `ignored` is a file of commits to look through."""
    # GitPython 3.2 asserts that an object id has 20 bytes, and looks for repositories where a hook's variables point.
    if room.algorithm == "sha1" and not LOCAL_VARIABLES & os.environ.keys():
        found = _by_gitpython(room, commit, path, ignored)
    else:
        options = [f"--ignore-revs-file={ignored}"] if ignored else []
        found = read_incremental(room.git.run("blame", "--incremental", *options, commit, "--", path))
    return sorted(found)


def _by_gitpython(room: Room, commit: str, path: str, ignored: str | None) -> Iterator[Origin]:
    from git import Repo  # noqa: PLC0415 - 70 ms, for those who ask for blame
    from git.exc import GitCommandError  # noqa: PLC0415

    options: dict[str, Any] = {"ignore_revs_file": ignored, "allow_unsafe_options": True} if ignored else {}
    with Repo(room.git.directory) as repo:
        repo.git.update_environment(**_NEUTRAL, **room.git.environment)
        try:
            for entry in repo.blame_incremental(commit, path, **options):
                author = entry.commit.author.name or ""
                places = entry.linenos.start, len(entry.linenos), entry.commit.hexsha
                yield Origin(
                    *places, _path(entry.orig_path or ""), entry.orig_linenos.start, author, entry.commit.authored_date
                )
        except GitCommandError as error:
            status = error.status if isinstance(error.status, int) else 1
            raise failed(["blame"], Answer(status, b"", str(error.stderr).encode("utf-8", "replace"))) from error


def read_incremental(out: bytes) -> Iterator[Origin]:
    """Yield the runs in `git blame --incremental` output."""
    authors: dict[str, tuple[str, int]] = {}
    header: list[str] = []
    name, seconds = "", 0
    for line in out.decode("utf-8", "surrogateescape").split("\n"):
        key, _, value = line.partition(" ")
        if not header:
            header = line.split(" ")
        elif key == "author":
            name = value
        elif key == "author-time":
            seconds = int(value)
        elif key == "filename":
            # A commit's facts stand where it is first named.
            commit, first, start, count = header
            name, seconds = authors.setdefault(commit, (name, seconds))
            yield Origin(int(start), int(count), commit, _path(value), int(first), name, seconds)
            header = []


def _path(name: str | bytes) -> str:
    """Return a name that git may have put in C's quotes; with core.quotePath, all that stands in them is ASCII."""
    text = name if isinstance(name, str) else os.fsdecode(name)
    if not text.startswith('"'):
        return text
    return os.fsdecode(text[1:-1].encode("ascii").decode("unicode_escape").encode("latin-1"))
