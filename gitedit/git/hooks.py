"""Run the user's hooks as `git commit` would: by `git hook run`, at the top, with the caller's own environment."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gitedit.errors import InterruptedBySignal
from gitedit.git.configuration import Configuration, flag
from gitedit.git.process import own_environment
from gitedit.git.repository import Repository

NONE = ("-c", "core.hooksPath=" + os.devnull, "-c", "hook.post-index-change.enabled=false")
"""Options for calls on an index of our own. hooksPath leaves hooks that git 2.55 and later take from configuration."""

_BEFORE = frozenset({"pre-commit", "prepare-commit-msg", "commit-msg"})
_NAMES = (*sorted(_BEFORE), "post-commit", "post-index-change")
_EVENT = ".event"
_GRACE_SECONDS = 1.0
_PATIENCE_SECONDS = 5.0


class Hooks(NamedTuple):
    """Which hooks a repository has."""

    repository: Repository
    present: frozenset[str]
    """Names of the hooks that would run."""

    def for_commit(self, *, verify: bool) -> bool:
        """Return whether a hook has a say before the commit is made; `verify` is False with --no-verify."""
        return bool(self.present & (_BEFORE if verify else {"prepare-commit-msg"}))

    def run(self, name: str, index_file: str, *arguments: str, variables: Mapping[str, str] | None = None) -> int:
        """Run one hook, its output on our standard error; return its exit status, 0 where there is none.

        When we are interrupted meanwhile, so is every process of the hook, and we wait for their end: none of them
        may write after us.
        """
        if name not in self.present:
            return 0
        environment = {**own_environment(), **self.repository.named, "GIT_EDITOR": ":", **(variables or {})}
        environment["GIT_INDEX_FILE"] = index_file
        words = ["git", "hook", "run", "--ignore-missing", name, *(["--", *arguments] if arguments else [])]
        # Every process of the hook inherits `lives`, and the last one closes it.
        ended, lives = os.pipe()
        try:
            child = subprocess.Popen(
                words, cwd=self.repository.top, env=environment, stdin=subprocess.DEVNULL, stdout=2, pass_fds=(lives,)
            )
        finally:
            os.close(lives)
        try:
            return child.wait()
        except BaseException as error:
            _interrupt(child, ended, by_ctrl_c=not isinstance(error, InterruptedBySignal))
            raise
        finally:
            os.close(ended)


def find(repository: Repository, configuration: Configuration) -> Hooks:
    """Return the hooks that this repository has, from its hooks folder and, on newer git, its configuration."""
    present = {name for name in _NAMES if os.access(os.path.join(repository.hooks_dir, name), os.X_OK)}
    for key, values in configuration.items():
        # hook.<friendly name>.event = pre-commit: git 2.54 and later; older git ignores it, and so runs nothing.
        if key.startswith("hook.") and key.endswith(_EVENT):
            enabled = key.removesuffix(_EVENT) + ".enabled"
            if flag({enabled: ["true"], **configuration}, enabled):
                present.update(value for value in values if value in _NAMES)
    return Hooks(repository, frozenset(present))


def _interrupt(child: "subprocess.Popen[bytes]", ended: int, *, by_ctrl_c: bool) -> None:
    """End a hook and all that it started, as Ctrl-C does: programs that put work aside bring it back on SIGINT."""
    if by_ctrl_c and _is_readable(ended, _GRACE_SECONDS):
        # A terminal had sent it to all of them; a second one would only disturb their leaving.
        child.wait()
        return
    # bash goes on with its script when the program that it waits for outlives a SIGINT: so all of them get it. `git
    # hook run` gets none, for it would hand it on as a second one.
    processes = descendants(child.pid)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if not [process for process in processes if _send(process, number)] or _is_readable(ended, _PATIENCE_SECONDS):
            break
    else:
        child.kill()
    child.wait()


def _send(process: int, number: signal.Signals) -> bool:
    """Send a signal; return whether the process was there to get it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)
        return True
    return False


def _is_readable(descriptor: int, seconds: float) -> bool:
    return bool(select.select([descriptor], [], [], seconds)[0])


def descendants(ancestor: int) -> list[int]:
    """Return the ids of the processes below one, parents first."""
    below: dict[int, list[int]] = {}
    for process, parent in _processes():
        below.setdefault(parent, []).append(process)
    found = [ancestor]
    for process in found:
        found += below.get(process, [])
    return found[1:]


def _processes() -> Iterator[tuple[int, int]]:
    """Yield the id of every process with its parent's."""
    if not os.path.exists("/proc/self/stat"):
        table = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=False, capture_output=True).stdout
        yield from ((int(row.split()[0]), int(row.split()[1])) for row in table.splitlines())
        return
    for name in os.listdir("/proc"):
        if name.isdigit():
            # The command's name stands in parentheses and may hold any byte.
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
                yield int(name), int(stream.read().rpartition(b")")[2].split()[1])
