"""The real command in a process of its own, and one whose `apply` ends as the environment says."""

import os
import pty
import signal
import subprocess
import sys
import time
import types
from typing import NamedTuple

WHOLE = [sys.executable, "-m", "gitedit"]
DRIVEN = [sys.executable, __file__]
BATCH = b'{"path": "f", "edits": [{"oldText": "a", "newText": "b"}]}'


class Said(NamedTuple):
    status: int
    out: str
    err: str


def run(environment, *arguments, data=b"", cwd=None, program=WHOLE, **variables):
    """Run a command line; paths and text come back surrogate-escaped."""
    done = subprocess.run(
        [*program, *arguments],
        check=False,
        capture_output=True,
        input=data,
        cwd=cwd,
        env={**environment, **variables},
        timeout=60,
    )
    return Said(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def at_terminal(repo, program, **variables):
    """Run at a terminal; return the exit status and all that came."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(repo.path)
        os.execve(WHOLE[0], program, {**repo.env, "TERM": "xterm", **variables})  # noqa: S606
    out = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), out.decode()


def driven(environment, how, *arguments, data=BATCH, **variables):
    """Run the command line with an `apply` that ends as `how` says."""
    return run(environment, *arguments, data=data, program=DRIVEN, HOW=how, **variables)


def _recursing():
    return _recursing()


def _ended(request):
    from gitedit.errors import BatchError, EditError, MatchError, Problem, RepositoryError  # noqa: PLC0415

    sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "report"))
    import results  # noqa: PLC0415

    how = os.environ["HOW"]
    if how.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, how))
        time.sleep(float(os.environ.get("SLEEP", "20")))
    if how == "recursion":
        _recursing()
    if how == "request":
        sys.stdout.write(repr(request._replace(batch=len(request.batch))) + "\n")
    if how == "big":
        return results.committed(results.whole("f", b"a\n" * 100_000, b"b\n" * 100_000))
    errors = {
        "bug": KeyError("\x1b[31m"),
        "memory": MemoryError(),
        "os": PermissionError(13, "Permission denied", "a\x1bb"),
        "child": BrokenPipeError(32, "Broken pipe"),
        "batch": BatchError("bad-batch", "not JSON\x1b[2J", "a hint"),
        "usage": EditError("usage", "GITEDIT_MODE is 'x'"),
        "symlink": RepositoryError("symlink", "m"),
        "missed": MatchError(
            "not-found", "m", "", (Problem("a", 0, "not-found", "m"), Problem("b", 1, "ambiguous", "n"))
        ),
    }
    if how in errors:
        raise errors[how]
    facts = {"warnings": ("careful\x1b",)} if how == "warned" else {}
    return (results.uncommitted if how == "uncommitted" else results.committed)(**facts)


def main():
    fake = types.ModuleType("gitedit.commands.apply")
    fake.apply = _ended
    sys.modules["gitedit.commands.apply"] = fake
    import gitedit.commands  # noqa: PLC0415
    from gitedit.__main__ import main as run_main  # noqa: PLC0415

    gitedit.commands.apply = fake
    run_main()


if __name__ == "__main__":
    main()
