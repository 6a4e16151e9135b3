"""Run the user's hooks as `git commit` would: by `git hook run`, at the top, with the caller's own environment."""

import os
import subprocess
from typing import NamedTuple

from gitedit.git.configuration import Configuration
from gitedit.git.process import own_environment
from gitedit.git.repository import Repository

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_EVENT = ".event"


class Hooks(NamedTuple):
    """Which hooks a repository has."""

    repository: Repository
    present: frozenset[str]
    """Names of COMMIT_HOOKS that would run."""

    def for_commit(self, *, verify: bool) -> bool:
        """Return whether a hook has a say before the commit is made; `verify` is False with --no-verify."""
        return bool(
            self.present & ({"pre-commit", "prepare-commit-msg", "commit-msg"} if verify else {"prepare-commit-msg"})
        )

    def run(self, name: str, index_file: str, *arguments: str) -> int:
        """Run one hook, its output on our standard error; return its exit status, 0 where there is none."""
        if name not in self.present:
            return 0
        environment = {**own_environment(), **self.repository.named, "GIT_INDEX_FILE": index_file, "GIT_EDITOR": ":"}
        git = self.repository.at_top._replace(environment=environment)
        words = ["hook", "run", "--ignore-missing", name, *(["--", *arguments] if arguments else [])]
        child = git.start(*words, stdin=subprocess.DEVNULL, stdout=2, stderr=None)
        return child.wait()


def find(repository: Repository, configuration: Configuration) -> Hooks:
    """Return the hooks that this repository has, from its hooks folder and, on newer git, its configuration."""
    present = {name for name in COMMIT_HOOKS if os.access(os.path.join(repository.hooks_dir, name), os.X_OK)}
    for key, values in configuration.items():
        # hook.<friendly name>.event = pre-commit: git 2.54 and later; older git ignores it, and so runs nothing.
        if key.startswith("hook.") and key.endswith(_EVENT):
            present.update(value for value in values if value in COMMIT_HOOKS)
    return Hooks(repository, frozenset(present))
