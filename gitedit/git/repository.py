"""Find a repository and ask `rev-parse` once for everything that it can tell about it."""

import functools
import os
from typing import NamedTuple

from gitedit.errors import RepositoryError
from gitedit.git.process import Git, failed

MINIMUM_GIT = (2, 36)
_QUESTIONS = (
    ("git_dir", "--git-dir"),
    ("common_dir", "--git-common-dir"),
    ("index_file", "--git-path", "index"),
    ("private_dir", "--git-path", "gitedit"),
    ("hooks_dir", "--git-path", "hooks"),
    ("objects_dir", "--git-path", "objects"),
    ("shallow_file", "--git-path", "shallow"),
    ("algorithm", "--show-object-format"),
    ("bare", "--is-bare-repository"),
    ("in_work_tree", "--is-inside-work-tree"),
    ("shallow", "--is-shallow-repository"),
)
_HEAD = (("top", "--show-toplevel"), ("head", "HEAD"), ("ref", "--symbolic-full-name", "HEAD"))


class Repository(NamedTuple):
    """Where a repository keeps its things; every path absolute."""

    git: Git
    """Runs in the directory that the repository was found from."""
    top: str
    """The work tree's top; "" in a bare repository."""
    git_dir: str
    common_dir: str
    index_file: str
    private_dir: str
    """`git rev-parse --git-path gitedit`: ours, one a work tree."""
    hooks_dir: str
    objects_dir: str
    shallow_file: str
    algorithm: str
    """sha1 or sha256."""
    shallow: bool
    head: str | None
    """Commit id, or None on an unborn branch."""
    ref: str | None
    """Full name of the branch that HEAD names; None: detached, or unborn."""

    @property
    def at_top(self) -> Git:
        """The same git, run at the top of the work tree."""
        return self.git.with_variables(**self.named)._replace(directory=self.top or self.git_dir)

    @property
    def named(self) -> dict[str, str]:
        """Variables without which git might find another repository from the top: core.worktree may name any folder."""
        return {} if not self.top or _found_from(self.top, self.git_dir) else {"GIT_DIR": self.git_dir}


@functools.cache
def _found_from(top: str, git_dir: str) -> bool:
    return os.path.realpath(os.path.join(top, ".git")) == git_dir


def find(git: Git, *, bare_allowed: bool = False) -> Repository:
    """Find the repository around `git.directory`.

    Raises RepositoryError: `not-a-repository`, `bare-repository`, `git-too-old`, `git-missing`; OperationError.
    """
    answer = git.ask("rev-parse", "--path-format=absolute", *_words(_QUESTIONS), *_words(_HEAD))
    if answer.status < 0:
        raise failed(("rev-parse",), answer)
    lines = _lines(answer.out)
    # Before 2.31 rev-parse echoes the options that it does not know, and goes on.
    if len(lines) < len(_QUESTIONS) or lines[0].startswith("--"):
        raise _not_found(git, answer.err)
    expected = len(_QUESTIONS) + len(_HEAD)
    # Unborn: `HEAD` is echoed, then rev-parse fails. Bare: it fails at --show-toplevel.
    plain = len(lines) == expected if answer.status == 0 else len(lines) in (len(_QUESTIONS), expected - 1)
    names = [question[0] for question in (*_QUESTIONS, *_HEAD)]
    facts = dict(zip(names, lines, strict=False)) if plain else _one_by_one(git)
    if answer.status:
        facts.pop("head", None)
    return _found(git, facts, bare_allowed=bare_allowed)


def still_at(repository: Repository) -> bool:
    """Return whether HEAD is where it was found, told from two small files; False where they don't tell."""
    if repository.head is None:
        return False
    name = f"ref: {repository.ref}" if repository.ref else repository.head
    if _first_line(os.path.join(repository.git_dir, "HEAD")) != name:
        return False
    if repository.ref is None:
        return True
    return _first_line(os.path.join(repository.common_dir, repository.ref)) == repository.head


def _first_line(path: str) -> str | None:
    try:
        with open(path, "rb") as stream:
            return os.fsdecode(stream.readline()).removesuffix("\n")
    except OSError:
        return None


def _found(git: Git, facts: dict[str, str], *, bare_allowed: bool) -> Repository:
    if "top" not in facts and not bare_allowed:
        where = "a bare repository has" if facts["bare"] == "true" else "inside the git directory there is"
        raise RepositoryError(
            "bare-repository", f"{where} no work tree to edit", "run it in a work tree, or with -C DIR"
        )
    ref = facts.get("ref", "HEAD")
    return Repository(
        git=git,
        top=facts.get("top", ""),
        git_dir=facts["git_dir"],
        common_dir=facts["common_dir"],
        index_file=facts["index_file"],
        private_dir=facts["private_dir"],
        hooks_dir=facts["hooks_dir"],
        objects_dir=facts["objects_dir"],
        shallow_file=facts["shallow_file"],
        algorithm=facts["algorithm"],
        shallow=facts["shallow"] == "true",
        head=facts.get("head"),
        ref=None if ref == "HEAD" else ref,
    )


def _one_by_one(git: Git) -> dict[str, str]:
    """Ask again with a child each: a path with a newline in it made the joint answer ambiguous."""
    facts = {}
    for name, *words in (*_QUESTIONS, *_HEAD):
        answer = git.ask("rev-parse", "--path-format=absolute", *words)
        if answer.status < 0:
            raise failed(("rev-parse",), answer)
        if answer.status == 0:
            facts[name] = os.fsdecode(answer.out.removesuffix(b"\n"))
    return facts


def too_old(git: Git) -> RepositoryError | None:
    """Return the error for a git that is older than we need, else None; asked once something has failed."""
    version = git.ask("version").out.decode("ascii", "replace").split()
    if len(version) < 3 or _numbers(version[2]) >= MINIMUM_GIT:
        return None
    needed = ".".join(map(str, MINIMUM_GIT))
    return RepositoryError("git-too-old", f"git {version[2]} is too old", f"install git {needed} or newer")


def _not_found(git: Git, said: bytes) -> RepositoryError:
    words = said.decode("utf-8", "replace").strip().splitlines()
    return too_old(git) or RepositoryError(
        "not-a-repository", f"no usable git repository at '{git.directory}'", f"git says: {words[0]}" if words else ""
    )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _words(questions: tuple[tuple[str, ...], ...]) -> list[str]:
    return [word for _, *words in questions for word in words]


def _lines(out: bytes) -> list[str]:
    return os.fsdecode(out).removesuffix("\n").split("\n") if out else []
