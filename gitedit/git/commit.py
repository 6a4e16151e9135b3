"""Make a commit object, signed or not, without moving anything; and git's housekeeping afterwards."""

import os
import subprocess
import time
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
            raise _no_identity(answer.err)
        found.append(answer.out)
    return Identity(*found)


def signs(configuration: Configuration, *, asked: bool | None) -> bool:
    """Return whether the commit is to be signed: as asked, else as commit.gpgSign says."""
    return flag(configuration, "commit.gpgsign") if asked is None else asked


class Idents:
    """Who commits, as git said it in the commit before: what asking git again would cost a child."""

    def __init__(self) -> None:
        """Know nobody yet."""
        self._asked: object = None
        self._lines: list[bytes] = []

    def learn(self, git: Git, configuration: Configuration, body: bytes) -> None:
        """Remember who made the commit object `body`, in this environment and configuration."""
        headers = body.partition(b"\n\n")[0].split(b"\n")
        self._lines = [line for line in headers if line.startswith((b"author ", b"committer "))]
        self._asked = _asked(git, configuration)

    def body(self, git: Git, configuration: Configuration, tree: str, parent: str, message: str) -> bytes | None:
        """Return the body of an unsigned commit object of now; None where git has to be asked who commits."""
        try:
            text = message.encode()
        except UnicodeEncodeError:
            return None
        if len(self._lines) != 2 or self._asked != _asked(git, configuration):
            return None
        now = _now()
        lines = [
            line if git.environment.get(name) else line.rpartition(b"> ")[0] + b"> " + now
            for line, name in zip(self._lines, ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"), strict=True)
        ]
        return b"\n".join([f"tree {tree}\nparent {parent}".encode(), *lines, b"", text])


def _asked(git: Git, configuration: Configuration) -> tuple[object, ...]:
    """Return all that git's answer may come from."""
    names = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL", "DATE")]
    return tuple(git.environment.get(name) for name in (*names, "EMAIL", "TZ")), configuration


def _now() -> bytes:
    """Return the time as git writes it: seconds, and the offset of the local time zone."""
    seconds = int(time.time())
    minutes = time.localtime(seconds).tm_gmtoff // 60
    hours, rest = divmod(abs(minutes), 60)
    return f"{seconds} {'-' if minutes < 0 else '+'}{hours:02}{rest:02}".encode()


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


def _no_identity(said: bytes) -> RepositoryError:
    hint = 'tell git who you are: git config user.name "T" and git config user.email t@example.invalid'
    # Its last line: an identity that it could guess in part, or a GIT_AUTHOR_DATE that is no date.
    words = said.decode("utf-8", "replace").strip().rpartition("\n")[2]
    return RepositoryError("no-identity", "git does not know who you are", f"{hint}; git says: {words[:200]}")
