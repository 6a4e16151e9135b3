"""gitedit with a clock at every door, for where.py: `python clocked.py START OUT ARGUMENT...`.

Imports as little as gitedit itself does; START is the monotonic time at which the process was made.
"""

import time

REACHED = time.monotonic()

import builtins  # noqa: E402 - what is above is the interpreter's start, the rest is ours
import os  # noqa: E402
import sys  # noqa: E402

PARTS = ("interpreter", "imports", "starting git", "waiting for git", "fsync", "own code")


class Clock:
    """Seconds by part; what runs inside a timed call is that call's."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.parts = dict.fromkeys(PARTS, 0.0)
        self.parts["interpreter"] = REACHED - start
        self._busy = False

    def timed(self, part, call):
        def run(*arguments, **named):
            if self._busy:
                return call(*arguments, **named)
            self._busy = True
            started = time.monotonic()
            try:
                return call(*arguments, **named)
            finally:
                self._busy = False
                self.parts[part] += time.monotonic() - started

        return run

    def told(self) -> dict[str, float]:
        whole = time.monotonic() - self.start
        return {**self.parts, "own code": whole - sum(self.parts.values()), "whole": whole}


class Pipe:
    """The end of a pipe that a child writes to."""

    def __init__(self, stream, clock: Clock) -> None:
        self._stream = stream
        self.readline = clock.timed("waiting for git", stream.readline)
        self.read = clock.timed("waiting for git", stream.read)

    def __getattr__(self, name):
        return getattr(self._stream, name)


def run(start: float, out: str, arguments: list[str]) -> None:
    """Be gitedit, with a clock at every door."""
    clock = Clock(start)
    builtins.__import__ = clock.timed("imports", builtins.__import__)
    import json  # noqa: PLC0415 - both are gitedit's own imports, too
    import subprocess  # noqa: PLC0415

    os.fsync, os.sync = clock.timed("fsync", os.fsync), clock.timed("fsync", os.sync)
    init = clock.timed("starting git", subprocess.Popen.__init__)

    def started(self, *given, **named):
        init(self, *given, **named)
        if self.stdout is not None:
            self.stdout = Pipe(self.stdout, clock)

    subprocess.Popen.__init__ = started
    for name in ("communicate", "wait"):
        setattr(subprocess.Popen, name, clock.timed("waiting for git", getattr(subprocess.Popen, name)))
    os.read = clock.timed("waiting for git", os.read)
    leave = os._exit

    def end(status: int) -> None:
        with open(out, "w", encoding="ascii") as stream:
            json.dump(clock.told(), stream)
        leave(status)

    os._exit = end
    from gitedit.__main__ import main  # noqa: PLC0415 - it is what is measured

    sys.argv = ["gitedit", *arguments]
    main()


if __name__ == "__main__":
    run(float(sys.argv[1]), sys.argv[2], sys.argv[3:])
