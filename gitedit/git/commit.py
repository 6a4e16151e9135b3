"""Make a commit object, signed or not, without moving anything; and git's housekeeping afterwards."""

import subprocess

from gitedit.errors import HookError, RepositoryError
from gitedit.git.configuration import Configuration, flag
from gitedit.git.process import Git, failed


def identity(git: Git) -> str:
    """Return the committer as `Name <email>`; raise RepositoryError `no-identity` where git knows nobody."""
    committer = ""
    for who in ("GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"):
        answer = git.ask("var", who)
        if answer.status:
            raise _no_identity()
        committer = answer.out.decode("utf-8", "replace").rsplit(">", 1)[0] + ">"
    return committer


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


def maintain(git: Git) -> None:
    """Let git pack what has gathered, as `git commit` does at its end."""
    child = git.start("maintenance", "run", "--auto", "--quiet", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    child.communicate()


def _no_identity() -> RepositoryError:
    hint = 'tell git who you are: git config user.name "T" and git config user.email t@example.invalid'
    return RepositoryError("no-identity", "git does not know who you are", hint)
