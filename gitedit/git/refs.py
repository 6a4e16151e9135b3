"""Move one branch (or a detached HEAD) by compare-and-swap, together with refs of our own, in one transaction."""

import contextlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gitedit.errors import ConflictError, HookError, OperationError
from gitedit.git.process import Answer, Git, failed
from gitedit.git.repository import Repository

if TYPE_CHECKING:
    from subprocess import Popen


class RefTransaction:
    """`git update-ref --stdin`, prepared (locks held, old value checked) and then committed, or aborted.

    It runs in a session of its own: when our process group is killed, it reads the end of its input, aborts and
    drops its locks by itself.
    """

    def __init__(self, git: Git, reason: str) -> None:
        """Start the child; `reason` goes into the reflog."""
        durable = git.with_options("-c", "core.fsync=added,reference")
        self._child: Popen[bytes] = durable.start("update-ref", "-m", reason, "--stdin", own_session=True)

    def prepare(self, ref: str | None, new: str, old: str, created: Mapping[str, str]) -> bool:
        """Lock and check: `ref` (None: HEAD itself) is still `old`; `created` maps new refs to their objects.

        Returns False where git refused, whatever the reason.
        """
        lines = ["start", *(f"create {name} {oid}" for name, oid in created.items())]
        lines += ["option no-deref", f"update HEAD {new} {old}"] if ref is None else [f"update {ref} {new} {old}"]
        return self._say("\n".join([*lines, "prepare"]), 2)

    def commit(self) -> bool:
        """Make the prepared change visible; return whether git did."""
        done = self._say("commit", 1)
        self._end()
        return done

    def abort(self) -> Answer:
        """Give every lock back; return what the child said."""
        return self._end()

    def _say(self, text: str, answers: int) -> bool:
        if self._child.stdin is None or self._child.stdout is None:
            return False
        try:
            self._child.stdin.write(text.encode() + b"\n")
            self._child.stdin.flush()
        except BrokenPipeError:
            return False
        return all(self._child.stdout.readline().endswith(b": ok\n") for _ in range(answers))

    def _end(self) -> Answer:
        with contextlib.suppress(BrokenPipeError):
            out, err = self._child.communicate()
            return Answer(self._child.returncode, out, err)
        return Answer(self._child.wait(), b"", b"")


def value(git: Git, ref: str) -> str | None:
    """Return the object id that a full ref name (or HEAD) has now, or None."""
    answer = git.ask("rev-parse", "--verify", "--quiet", ref)
    return answer.out.decode("ascii").strip() if answer.status == 0 else None


def head_names(repository: Repository, ref: str | None) -> bool:
    """Return whether HEAD still names `ref` (None: is still detached)."""
    with contextlib.suppress(OSError), open(os.path.join(repository.git_dir, "HEAD"), "rb") as stream:
        words = stream.read()
        # With the reftable backend the file says `ref: refs/heads/.invalid`, whatever HEAD is.
        if words == b"ref: " + os.fsencode(ref or "") + b"\n":
            return True
    answer = repository.at_top.ask("symbolic-ref", "--quiet", "HEAD")
    return os.fsdecode(answer.out).removesuffix("\n") == (ref or "")


def refused(repository: Repository, ref: str | None, old: str, answer: Answer) -> Exception:
    """Return the error for a transaction that could not be prepared: found by looking, not from git's words."""
    name = ref or "HEAD"
    retry = "nothing was changed; retry"
    if value(repository.at_top, name) != old:
        return ConflictError("ref-moved", f"{name} moved while the commit was being made", retry)
    folder = repository.git_dir if ref is None else repository.common_dir
    if os.path.exists(os.path.join(folder, name + ".lock")) or os.path.exists(
        os.path.join(repository.git_dir, "HEAD.lock")
    ):
        return ConflictError(
            "locked", f"{name} is locked by another git process", "retry, or remove a stale .lock file"
        )
    hook = os.path.join(repository.hooks_dir, "reference-transaction")
    if os.access(hook, os.X_OK):
        words = answer.err.decode("utf-8", "replace").strip()
        return HookError("hook-rejected", "the reference-transaction hook refused the commit", words[:500])
    error: OperationError = failed(["update-ref"], answer)
    return error
