"""Make a commit object, signed or not, without moving anything; and git's housekeeping afterwards."""

import os
import subprocess
from collections.abc import Mapping
from typing import NamedTuple

from gitedit.errors import HookError, RepositoryError
from gitedit.git.configuration import Configuration, flag
from gitedit.git.process import Git, failed, own_environment


class Identity(NamedTuple):
    """Who commits."""

    author: bytes
    """As a commit object has it: `Name <email> seconds offset`."""
    committer: bytes

    @property
    def signer(self) -> str:
        """The committer as `Name <email>`, for a Signed-off-by."""
        return self.committer.decode("utf-8", "replace").rsplit(">", 1)[0] + ">"

    @property
    def author_variables(self) -> Mapping[str, str]:
        """What `git commit` tells its hooks about the author."""
        who, _, when = os.fsdecode(self.author.rstrip(b"\n")).rpartition("> ")
        name, _, email = who.partition(" <")
        return {"GIT_AUTHOR_NAME": name, "GIT_AUTHOR_EMAIL": email, "GIT_AUTHOR_DATE": f"@{when}"}


def identity(git: Git) -> Identity:
    """Return author and committer; raise RepositoryError `no-identity` where git knows nobody."""
    found = []
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        answer = git.ask("var", who)
        if answer.status:
            raise _no_identity()
        found.append(answer.out)
    return Identity(*found)


def signs(configuration: Configuration, *, asked: bool | None) -> bool:
    """Return whether the commit is to be signed: as asked, else as commit.gpgSign says."""
    return flag(configuration, "commit.gpgsign") if asked is None else asked


def make(git: Git, tree: str, parent: str, message: str, *, sign: bool) -> str:
    """Store a commit object, still unreachable, and return its id.

    Raises:
        RepositoryError: `no-identity`.
        HookError: `signing-failed`.
    """
    # commit-tree ignores commit.gpgSign, so both are always said.
    arguments = ("commit-tree", "-S" if sign else "--no-gpg-sign", "-p", parent, "-F", "-", tree)
    encoded = git.with_options("-c", "i18n.commitEncoding=UTF-8", "-c", "core.fsync=added,reference")
    answer = encoded.ask(*arguments, data=message.encode("utf-8", "surrogateescape"))
    if answer.status == 0:
        return answer.out.decode("ascii").strip()
    identity(git)
    if sign:
        said = answer.err.decode("utf-8", "replace").strip()[-500:]
        raise HookError("signing-failed", "the commit could not be signed", f"git says: {said}")
    raise failed(arguments, answer)


def maintain(git: Git, configuration: Configuration) -> None:
    """Let git pack what has gathered, as `git commit` does at its end; whether that succeeds is nobody's concern."""
    # `git maintenance run --auto` itself does not look at maintenance.auto, its callers in git do (run-command.c).
    if not flag({"maintenance.auto": ["true"], **configuration}, "maintenance.auto"):
        return
    found = {name: value for name, value in git.environment.items() if name == "GIT_DIR"}
    caller = git._replace(environment={**own_environment(), **found})
    null = subprocess.DEVNULL
    caller.start("maintenance", "run", "--auto", "--quiet", stdin=null, stdout=null, stderr=null).wait()


def _no_identity() -> RepositoryError:
    hint = 'tell git who you are: git config user.name "T" and git config user.email t@example.invalid'
    return RepositoryError("no-identity", "git does not know who you are", hint)
