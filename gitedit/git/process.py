"""Run git: argument lists, a fixed environment, bytes in and out, decisions on exit codes only.

`Git` is a directory plus an environment; every other module of this package asks git through one.
"""

import contextlib
import functools
import os
import subprocess
from collections.abc import Iterable, Mapping
from typing import IO, NamedTuple

from gitedit.errors import OperationError, RepositoryError

# `git rev-parse --local-env-vars` (2.36 to 2.51), less the two that carry `git -c` of the caller; a test compares.
LOCAL_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
# With GIT_LITERAL_PATHSPECS any of these is fatal: "global 'literal' pathspec setting is incompatible".
_PATHSPEC_VARIABLES = frozenset({"GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"})
_PATH_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_FIXED = {
    "LC_ALL": "C",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_LAZY_FETCH": "1",
    # An inherited 0 keeps a child from answering before its input ends: both sides would wait for ever.
    "GIT_FLUSH": "1",
}
_PATIENCE_SECONDS = 5.0
_WHERE = "name a folder of a work tree"


class Answer(NamedTuple):
    """What a finished git child said."""

    status: int
    """Exit status; negative: killed by that signal."""
    out: bytes
    err: bytes


class Git(NamedTuple):
    """One place to run git in."""

    directory: str
    environment: Mapping[str, str]
    """The whole environment of every child."""
    options: tuple[str, ...] = ()
    """Options before the subcommand, as `-c NAME=VALUE`."""

    def start(
        self,
        *arguments: str,
        stdin: int | None = subprocess.PIPE,
        stdout: int | None = subprocess.PIPE,
        stderr: int | None = subprocess.PIPE,
        own_session: bool = False,
        inherited: tuple[int, ...] = (),
    ) -> "subprocess.Popen[bytes]":
        """Start `git ARGUMENTS` and return the running child; raise RepositoryError `git-missing`."""
        try:
            return subprocess.Popen(
                [_program(self.environment.get("PATH", os.defpath)), *self.options, *arguments],
                cwd=self.directory,
                env=self.environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=own_session,
                pass_fds=inherited,
            )
        except FileNotFoundError as error:
            if not os.path.isdir(self.directory):
                message = f"cannot change to '{self.directory}': no such directory"
                raise RepositoryError("not-a-repository", message, _WHERE) from error
            message = "git was not found on PATH"
            raise RepositoryError("git-missing", message, "install git 2.36 or newer") from error
        except NotADirectoryError as error:
            message = f"cannot change to '{self.directory}': not a directory"
            raise RepositoryError("not-a-repository", message, _WHERE) from error

    def ask(self, *arguments: str, data: bytes = b"") -> Answer:
        """Run `git ARGUMENTS` with `data` on its standard input and return the answer, whatever its exit status."""
        child = self.start(*arguments, stdin=subprocess.PIPE if data else subprocess.DEVNULL)
        try:
            out, err = child.communicate(data or None)
        except BaseException:
            # A signal: nobody waits for the answer, and on a server it may be hours away.
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(_PATIENCE_SECONDS)
            for stream in filter(None, (child.stdin, child.stdout, child.stderr)):
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
            raise
        return Answer(child.returncode, out, err)

    def run(self, *arguments: str, data: bytes = b"") -> bytes:
        """Run `git ARGUMENTS` and return its output; raise OperationError `git-failed` unless it exits with 0."""
        answer = self.ask(*arguments, data=data)
        if answer.status:
            raise failed(arguments, answer)
        return answer.out

    def with_variables(self, **variables: str) -> "Git":
        """Return the same git with more environment variables."""
        return self._replace(environment={**self.environment, **variables})

    def with_options(self, *options: str) -> "Git":
        """Return the same git with more options before the subcommand."""
        return self._replace(options=self.options + options)

    def reading(self) -> "Git":
        """Return the same git for reads: takes no optional lock, starts no file system monitor and fetches nothing."""
        # GIT_NO_LAZY_FETCH is unknown to older git; without a protocol no transport, and no core.sshCommand, is run.
        quiet = self.with_variables(GIT_OPTIONAL_LOCKS="0", GIT_ALLOW_PROTOCOL="none")
        return quiet.with_options("-c", "core.fsmonitor=false")


@functools.cache
def _program(path: str) -> str:
    """Return git's path; plain `git` where each child has to look for itself. Looking costs a child 0.2 ms."""
    for folder in path.split(os.pathsep):
        if not os.path.isabs(folder):
            break
        whole = os.path.join(folder, "git")
        if os.access(whole, os.X_OK) and os.path.isfile(whole):
            return whole
    return "git"


def failed(arguments: Iterable[str], answer: Answer) -> OperationError:
    """Return the error for a git child that failed where it should not have; git's own words go into the hint."""
    command = "git " + next((a for a in arguments if not a.startswith("-")), "")
    how = f"was killed by signal {-answer.status}" if answer.status < 0 else f"exited with {answer.status}"
    said = answer.err.decode("utf-8", "replace").strip()[:500]
    return OperationError("git-failed", f"{command} {how}", f"git says: {said}" if said else "")


def pipes(child: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    """Return the standard input and output of a child that has both."""
    if child.stdin is None or child.stdout is None:
        raise OperationError("internal", "git was started without pipes")
    return child.stdin, child.stdout


def own_environment() -> dict[str, str]:
    """Return this process's environment without the variables that point git at a repository."""
    dropped = LOCAL_VARIABLES | _PATHSPEC_VARIABLES
    return {name: value for name, value in os.environ.items() if name not in dropped}


def for_apply(directory: str) -> Git:
    """Return a git that finds its repository from `directory` alone."""
    return Git(directory, {**own_environment(), **_FIXED})


def for_hook(directory: str) -> Git:
    """Return a git that honours every inherited variable, as `check` and `hook` must (GIT_INDEX_FILE, quarantine)."""
    kept = {name: value for name, value in os.environ.items() if name not in _PATHSPEC_VARIABLES}
    return Git(directory, {**_anchored(kept, directory), **_FIXED})


def _anchored(environment: dict[str, str], directory: str) -> dict[str, str]:
    """Return the environment with a relative GIT_DIR made absolute, where `directory` is below the place it was said.

    Git exports `GIT_DIR=.git` to hooks, from the top; for a program that goes into a subfolder it then names nothing.
    """
    git_dir = environment.get("GIT_DIR", "")
    here = os.path.abspath(directory)
    if not git_dir or os.path.isabs(git_dir) or os.path.exists(os.path.join(here, git_dir)):
        return environment
    while not os.path.exists(os.path.join(here, git_dir)):
        if here == os.path.dirname(here):
            return environment
        here = os.path.dirname(here)
    named = {name: os.path.join(here, environment[name]) for name in _PATH_VARIABLES if environment.get(name)}
    return {**environment, "GIT_WORK_TREE": here, **named}
