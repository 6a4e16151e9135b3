"""The real command, and something that happens at one of its steps.

    AT=<step>[#<which time>]  DO=<what>  python driven.py apply --commit ...

what: `kill` (the process alone), `group` (its process group), `everyone` (its children in sessions of their own, too),
`signal:<number>`, `signal-group:<number>`, `full` (no file can grow any more), `touch:<path>`, `sh:<command>`.
A step is one of `steps.NAMES`, or `before-exchange` and `after-exchange`: the moments that only a racer can hit.
"""

import os
import resource
import signal
import subprocess
import sys


def children():
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
        return [int(pid) for pid in stream.read().split()]


def happen(what):
    name, _, value = what.partition(":")
    if name == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif name == "group":
        os.killpg(os.getpgrp(), signal.SIGKILL)
    elif name == "everyone":
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        os.killpg(os.getpgrp(), signal.SIGKILL)
    elif name == "signal":
        os.kill(os.getpid(), int(value))
    elif name == "signal-group":
        os.killpg(os.getpgrp(), int(value))
    elif name == "full":
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    elif name == "touch":
        with open(value, "wb"):
            pass
    elif name == "sh":
        plain = {key: text for key, text in os.environ.items() if key not in {"AT", "DO"}}
        subprocess.run(["sh", "-c", value], check=False, env=plain, stdout=2)
    else:
        raise AssertionError(what)


def main():
    from gitedit.git import worktree  # noqa: PLC0415
    from gitedit.publish import steps  # noqa: PLC0415

    # A shell has its background jobs ignore it, and so would a suite that runs as one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    at, _, which = os.environ["AT"].partition("#")
    left = int(which or 1)

    def reached(name):
        nonlocal left
        if name == at:
            left -= 1
            if left == 0:
                happen(os.environ["DO"])

    plain = worktree._exchange

    def exchange(one, two):
        reached("before-exchange")
        done = plain(one, two)
        reached("after-exchange")
        return done

    steps.reached = reached
    worktree._exchange = exchange
    if os.environ.get("NO_EXCHANGE"):
        worktree.exchanger = lambda: None
    from gitedit.__main__ import main as run  # noqa: PLC0415

    run()


if __name__ == "__main__":
    sys.path[0] = os.getcwd()
    main()
