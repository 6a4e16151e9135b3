"""Move one branch (or a detached HEAD) by compare-and-swap, together with refs of our own, in one transaction."""

import contextlib
import os
import selectors
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from gitedit.errors import ConflictError, HookError, OperationError
from gitedit.git.process import Answer, Git, failed
from gitedit.git.repository import Repository

if TYPE_CHECKING:
    from subprocess import Popen

# Somebody's HEAD.lock is empty for microseconds; what the same `update-ref` made, it made within milliseconds.
_EMPTY_LOCK_SECONDS = 0.5
_POLL_SECONDS = 0.02
_PIECE = 1 << 16


class RefTransaction:
    """`git update-ref --stdin`, prepared (locks held, old value checked) and then committed, or aborted.

    It runs in a session of its own: when our process group is killed, it reads the end of its input, aborts and
    drops its locks by itself. It may as well still commit then, if it was told to just before; it inherits our flock,
    so that nobody looks before it has ended.
    """

    def __init__(self, git: Git, reason: str, lock: int) -> None:
        """Start the child, which does nothing yet; `reason` goes into the reflog, `lock` is inherited."""
        durable = git.with_options("-c", "core.fsync=added,reference")
        arguments = ("update-ref", "-m", reason, "--stdin")
        self._child: Popen[bytes] = durable.start(*arguments, own_session=True, inherited=(lock,))
        # It holds no lock.
        self._idle = True
        self._words = b""
        self._answer: Answer | None = None

    def ask(self, ref: str | None, new: str, old: str, created: Mapping[str, str]) -> None:
        """Have the child lock and check: `ref` (None: HEAD itself) is still `old`; `created` maps new refs to ids."""
        lines = ["start", *(f"create {name} {oid}" for name, oid in created.items())]
        lines += ["option no-deref", f"update HEAD {new} {old}"] if ref is None else [f"update {ref} {new} {old}"]
        self._idle = False
        self._say("\n".join([*lines, "prepare"]))

    def prepared(self) -> bool:
        """Wait for the answer; return False where git refused, whatever the reason."""
        return self._heard(2)

    def commit(self) -> bool:
        """Make the prepared change visible; return whether git did."""
        self._say("commit")
        done = self._heard(1)
        self._idle = done
        return done

    @property
    def reusable(self) -> bool:
        """Return whether the child is ready for another transaction: the last one was committed."""
        return self._idle and self._answer is None and self._child.poll() is None

    def abort(self) -> Answer:
        """End the child, which gives every lock back; return what it said."""
        if self._answer is None:
            self._answer = self._dismissed() if self._idle else self._end()
        return self._answer

    def _say(self, text: str) -> None:
        if self._child.stdin is not None:
            with contextlib.suppress(BrokenPipeError):  # it has refused; its exit is the answer
                self._child.stdin.write(os.fsencode(text) + b"\n")
                self._child.stdin.flush()

    def _heard(self, answers: int) -> bool:
        """Return whether git says ok that many times; take from it what it, or a hook, has to say meanwhile."""
        out, err = self._child.stdout, self._child.stderr
        if out is None or err is None:
            return False
        heard = b""
        with selectors.DefaultSelector() as ready:
            for stream in (out, err):
                ready.register(stream, selectors.EVENT_READ)
            while heard.count(b": ok\n") < answers:
                for key, _ in ready.select():
                    piece = os.read(key.fd, _PIECE)
                    if key.fd == out.fileno():
                        if not piece:
                            return False
                        heard += piece
                    elif piece:
                        self._words = (self._words + piece)[-_PIECE:]
                    else:
                        ready.unregister(err)
        return True

    def _dismissed(self) -> Answer:
        """End a child that holds nothing; its pipes may be open elsewhere, in a fork of ours or what a hook started."""
        self._child.terminate()
        for stream in filter(None, (self._child.stdin, self._child.stdout, self._child.stderr)):
            with contextlib.suppress(BrokenPipeError):
                stream.close()
        return Answer(self._child.wait(), b"", self._words)

    def _end(self) -> Answer:
        with contextlib.suppress(BrokenPipeError):
            out, err = self._child.communicate()
            return Answer(self._child.returncode, out, self._words + err)
        return Answer(self._child.wait(), b"", b"")


class RefUpdater:
    """Begins transactions: each by a child of its own, or, with one reason for all, by one child for up to a second.

    Longer it must not live: it would give every entry of the reflog the time of its first.
    """

    def __init__(self, reason: str | None = None) -> None:
        """`reason` is what the reflog says of every transaction; None: each has its own."""
        self._reason = reason
        self._asked: tuple[object, ...] = ()
        self._transaction: RefTransaction | None = None

    def begin(self, git: Git, reason: str, lock: int) -> RefTransaction:
        """Return a transaction that is not asked for anything yet; `lock` is the flock that the child inherits."""
        asked = (git, os.fstat(lock).st_ino, int(time.time()))
        old = self._transaction
        if old is not None and self._reason is not None and old.reusable and asked == self._asked:
            return old
        self.close()
        self._asked = asked
        self._transaction = RefTransaction(git, self._reason or reason, lock)
        return self._transaction

    def anew(self) -> "RefUpdater":
        """Return one like it that has no child."""
        return RefUpdater(self._reason)

    def close(self) -> None:
        """End the child."""
        if self._transaction is not None:
            self._transaction.abort()
            self._transaction = None


def value(git: Git, ref: str) -> str | None:
    """Return the object id that a full ref name (or HEAD) has now, or None."""
    answer = git.ask("rev-parse", "--verify", "--quiet", ref)
    return answer.out.decode("ascii").strip() if answer.status == 0 else None


def contains(git: Git, ref: str, commit: str) -> bool:
    """Return whether the history of `ref` has the commit."""
    return git.ask("merge-base", "--is-ancestor", commit, ref).status == 0


def head_names(repository: Repository, ref: str | None) -> bool:
    """Return whether HEAD still names `ref` (None: is still detached)."""
    with contextlib.suppress(OSError), open(os.path.join(repository.git_dir, "HEAD"), "rb") as stream:
        words = stream.read()
        # With the reftable backend the file says `ref: refs/heads/.invalid`, whatever HEAD is.
        if words == b"ref: " + os.fsencode(ref or "") + b"\n":
            return True
    answer = repository.at_top.ask("symbolic-ref", "--quiet", "HEAD")
    return os.fsdecode(answer.out).removesuffix("\n") == (ref or "")


def remove_stale_locks(repository: Repository, moved: Mapping[str, str]) -> None:
    """Remove the locks of an `update-ref` that was killed, too; it must be known to have ended.

    Args:
        repository: where.
        moved: full ref name (or HEAD) -> the id that it was to get. A lock that holds that id is the child's; so is an
            empty HEAD.lock that was made at the same time, the one by which git guards HEAD's reflog.
    """
    for name, oid in moved.items():
        folder = repository.git_dir if name == "HEAD" else repository.common_dir
        ref = os.path.join(folder, name)
        witness = next((path for path in (ref + ".lock", ref) if _first_line(path) == oid), None)
        if witness is None:
            continue
        head_lock = os.path.join(repository.git_dir, "HEAD.lock")
        if name.startswith("refs/heads/") and _stays_empty(head_lock, os.stat(witness).st_mtime):
            os.unlink(head_lock)
        if witness == ref + ".lock":
            os.unlink(witness)


def _stays_empty(lock: str, since: float) -> bool:
    """Return whether an empty lock made at that time stays where it is."""
    deadline = time.monotonic() + _EMPTY_LOCK_SECONDS
    first = None
    while True:
        try:
            facts = os.stat(lock)
        except FileNotFoundError:
            return False
        first = first or facts
        if facts.st_ino != first.st_ino or facts.st_size or abs(facts.st_mtime - since) > 1:
            return False
        if time.monotonic() > deadline:
            return True
        time.sleep(_POLL_SECONDS)


def _first_line(path: str) -> str | None:
    try:
        with open(path, "rb") as stream:
            return stream.readline().decode("ascii", "replace").strip()
    except OSError:
        return None


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
    # Since git 2.54 the configuration may hold it: hook.<name>.event.
    configured = ("config", "--get-regexp", r"^hook\..*\.event$", "^reference-transaction$")
    if os.access(hook, os.X_OK) or repository.at_top.ask(*configured).status == 0:
        words = answer.err.decode("utf-8", "replace").strip()
        return HookError("hook-rejected", "the reference-transaction hook refused the commit", words[:500])
    error: OperationError = failed(["update-ref"], answer)
    return error
