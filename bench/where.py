"""Where the time of a commit goes: interpreter, imports, git's children, syncing to the disk, and our own code.

    python bench/where.py [RUNS] [--stream COMMITS]

Every run is a process of its own in which the calls that start a child, wait for one, sync or import are timed. Prints
medians, then every git child with its life time by git's own trace, and how often it syncs.
"""

import argparse
import builtins
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict

PARTS = ("interpreter", "imports", "starting git", "waiting for git", "fsync", "own code")


class Clock:
    """Seconds by part; what runs inside a timed call is that call's."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.parts = dict.fromkeys(PARTS, 0.0)
        self.parts["interpreter"] = time.monotonic() - start
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


def children(trace: str) -> dict[str, list[tuple[float, int]]]:
    """Return (seconds, syncs) of each git child by its subcommand, as GIT_TRACE2_EVENT tells them."""
    names, syncs, found = {}, defaultdict(int), defaultdict(list)
    with contextlib.suppress(FileNotFoundError), open(trace, encoding="utf-8") as stream:
        for event in map(json.loads, stream):
            process = event["sid"]
            if event["event"] == "cmd_name":
                names[process] = event["name"]
            elif event["event"] == "data" and event["category"] == "fsync":
                syncs[process] += int(event["value"])
            elif event["event"] == "exit":
                found[names.get(process, "?")].append((event["t_abs"], syncs[process]))
    return found


def measure(place, runs: int, commits: int) -> None:
    from place import batch, counting  # noqa: PLC0415 - not in the process that is measured

    work = place.repository("work", {f"d{n % 8}/f{n}.txt": counting(0) for n in range(100)})
    names = [f"d{n % 8}/f{n}.txt" for n in range(100)]
    stream = ["--stream"] if commits > 1 else []
    told, born = [], defaultdict(list)
    for number in range(runs + 1):
        lines = [batch([names[n % 100]], number * -(-commits // 100) + n // 100) for n in range(commits)]
        out, trace = place.path("told.json"), place.path(f"trace{number}")
        words = [sys.executable, os.path.abspath(__file__), "--run", str(time.monotonic()), out]
        command = [*words, "apply", "--commit", "--quiet", *stream, "-"]
        traced = place._replace(environment={**place.environment, "GIT_TRACE2_EVENT": trace})
        traced.run(command, work, b"\n".join(lines))
        if number:  # the first fills the caches
            with open(out, encoding="ascii") as stream_out:
                told.append(json.load(stream_out))
            for name, lives in children(trace).items():
                born[name] += lives
    print(f"{'part':18} {'ms a commit':>12}  share   (medians of {runs} runs of {commits} commits)")
    whole = statistics.median(one["whole"] for one in told)
    for part in (*PARTS, "whole"):
        value = statistics.median(one[part] for one in told)
        print(f"{part:18} {value * 1000 / commits:12.1f}  {value / whole:5.0%}")
    print(f"\n{'git child':18} {'a commit':>8} {'ms of life':>11} {'syncs each':>11}")
    for name, lives in sorted(born.items()):
        seconds = statistics.median(life for life, _ in lives)
        syncs = statistics.mean(sync for _, sync in lives)
        print(f"{name:18} {len(lives) / runs / commits:8.2f} {seconds * 1000:11.1f} {syncs:11.1f}")
    print("(the clean room's diff-tree leaves no trace: its environment is empty)")


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        run(float(sys.argv[2]), sys.argv[3], sys.argv[4:])
    from place import place  # noqa: PLC0415 - not in the process that is measured

    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=20)
    parser.add_argument("--stream", type=int, default=1, metavar="COMMITS")
    asked = parser.parse_args()
    with place(quick=False) as whole:
        measure(whole, asked.runs, asked.stream)


if __name__ == "__main__":
    main()
