"""What the index changes against a commit: paths and blobs, and which lines, by git's own diff.

`--text` and no drivers, so that no attribute hides a file; `--ignore-cr-at-eol`, so that a flipped ending is no change.
"""

import os
from collections.abc import Mapping, Sequence

from gitedit.errors import OperationError
from gitedit.git.diffs import RAW_OPTIONS, DiffEntry, parse_raw
from gitedit.git.process import Git
from gitedit.git.repository import Repository

_LINES = (
    "-p",
    "-U0",
    "--inter-hunk-context=0",
    "--text",
    "--ignore-cr-at-eol",
    "--diff-algorithm=myers",
    "--full-index",
    "--no-renames",
    "--no-relative",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
)
_PATHSPECS_AT_MOST = 100
_MERGED = "GITHEAD_"
"""`git merge` names what it merges by a variable GITHEAD_<id> each; in pre-merge-commit there is no MERGE_HEAD yet."""

Range = tuple[int, int, int, int]
"""Old start and end, new start and end: 0-based lines, ends exclusive."""


def changes(git: Git, parent: str) -> list[DiffEntry]:
    """Return what differs between a commit or tree and the index; nothing is refreshed."""
    return parse_raw(git.run("diff-index", "--cached", *RAW_OPTIONS, parent, "--"))


def ranges(git: Git, parent: str, paths: Sequence[str]) -> dict[tuple[str, str], list[Range]]:
    """Return the changed lines of these paths by (old blob, new blob); a pair with no changed line is left out."""
    pathspecs = paths if len(paths) <= _PATHSPECS_AT_MOST else ()
    return _parse(_without_options(git).run("diff-index", "--cached", *_LINES, parent, "--", *pathspecs))


def between(git: Git, old: str, new: str) -> list[Range]:
    """Return the changed lines between two blobs."""
    return next(iter(_parse(_without_options(git).run("diff", *_LINES, old, new)).values()), [])


def _without_options(git: Git) -> Git:
    """Return the git without GIT_DIFF_OPTS, which would win over -U0."""
    return git.with_variables(GIT_DIFF_OPTS="")


def merged(repository: Repository, environment: Mapping[str, str]) -> list[str]:
    """Return the other parents of the merge under way, if there is one."""
    try:
        with open(os.path.join(repository.git_dir, "MERGE_HEAD"), encoding="ascii") as stream:
            named = stream.read().split()
    except FileNotFoundError:
        named = [name.removeprefix(_MERGED) for name in environment if name.startswith(_MERGED)]
    return [name for name in named if len(name) in {40, 64} and not name.strip("0123456789abcdef")]


def _parse(patch: bytes) -> dict[tuple[str, str], list[Range]]:
    found: dict[tuple[str, str], list[Range]] = {}
    here: list[Range] = []
    for line in patch.split(b"\n"):
        # Lines of content begin with `+`, `-` or a backslash.
        if line.startswith(b"index "):
            old, _, new = line.split(b" ")[1].decode("ascii").partition("..")
            here = found.setdefault((old, new), [])
            here.clear()
        elif line.startswith(b"@@ "):
            words = line.split(b" ")
            here.append((*_range(words[1]), *_range(words[2])))
    return found


def _range(word: bytes) -> tuple[int, int]:
    start, _, count = word[1:].decode("ascii").partition(",")
    try:
        length = int(count or "1")
        # `-3,0`: an empty range names the line before it.
        first = int(start) - 1 if length else int(start)
    except ValueError:
        raise OperationError("git-failed", "git diff printed a hunk that can't be read") from None
    return first, first + length
