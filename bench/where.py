"""Where the time of a commit goes: interpreter, imports, git's children, syncing to the disk, and our own code.

    python bench/where.py [RUNS] [--stream COMMITS]

Every run is a process of its own in which the calls that start a child, wait for one, sync or import are timed. Prints
medians, then every git child with its life time by git's own trace, and how often it syncs.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
import time
from collections import defaultdict

from clocked import PARTS
from place import HERE, batch, counting, place


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


def measure(where, runs: int, commits: int) -> None:
    work = where.repository("work", {f"d{n % 8}/f{n}.txt": counting(0) for n in range(100)})
    names = [f"d{n % 8}/f{n}.txt" for n in range(100)]
    stream = ["--stream"] if commits > 1 else []
    told, born = [], defaultdict(list)
    for number in range(runs + 1):
        lines = [batch([names[n % 100]], number * -(-commits // 100) + n // 100) for n in range(commits)]
        out, trace = where.path("told.json"), where.path(f"trace{number}")
        words = [sys.executable, os.path.join(HERE, "clocked.py"), str(time.monotonic()), out]
        command = [*words, "apply", "--commit", "--quiet", *stream, "-"]
        traced = where._replace(environment={**where.environment, "GIT_TRACE2_EVENT": trace})
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
    parser = argparse.ArgumentParser()
    parser.add_argument("runs", nargs="?", type=int, default=20)
    parser.add_argument("--stream", type=int, default=1, metavar="COMMITS")
    asked = parser.parse_args()
    with place(quick=False) as whole:
        measure(whole, asked.runs, asked.stream)


if __name__ == "__main__":
    main()
