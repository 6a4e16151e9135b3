"""Run the user's hooks as `git commit` would: by `git hook run`, at the top, with the caller's own environment."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Mapping
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
    # hook run` gets none while it has company, for it would hand it on as a second one.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        processes = _holders(ended) if os.path.isdir("/proc/self/fd") else [*descendants(child.pid), child.pid]
        if not processes:
            break
        for process in [one for one in processes if one != child.pid] or processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, number)
        if _is_readable(ended, _PATIENCE_SECONDS):
            break
    child.wait()


def _is_readable(descriptor: int, seconds: float) -> bool:
    return bool(select.select([descriptor], [], [], seconds)[0])


def _holders(ended: int) -> list[int]:
    """Return the processes of our session that hold the pipe's other end, also those whose parent a Ctrl-C has ended.

    A daemon that a hook started has a session of its own, and stays.
    """
    name = f"pipe:[{os.fstat(ended).st_ino}]"
    found = []
    for process in [entry for entry in os.listdir("/proc") if entry.isdigit() and int(entry) != os.getpid()]:
        folder = f"/proc/{process}/fd"
        with contextlib.suppress(OSError):  # it is gone, or somebody else's
            here = os.getsid(int(process)) == os.getsid(0)
            if here and any(os.readlink(f"{folder}/{one}") == name for one in os.listdir(folder)):
                found.append(int(process))
    return found


def descendants(ancestor: int) -> list[int]:
    """Return the ids of the processes below one, parents first: the best that can be had without /proc."""
    below: dict[int, list[int]] = {}
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], check=False, capture_output=True).stdout
    for process, parent in (map(int, row.split()) for row in table.splitlines()):
        below.setdefault(parent, []).append(process)
    found = [ancestor]
    for process in found:
        found += below.get(process, [])
    return found[1:]
