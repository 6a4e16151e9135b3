"""What reading the past costs, and what a hook costs that has nothing to say: the rows of audit.py and hook.py."""

import os
import subprocess
import time

import audit
import hook
from measuring import Row, interleaved, row
from place import HERE, Place


def audited(place: Place) -> list[Row]:
    """Audit 10,000 recorded commits beside `git log --numstat` of the same; start-up is not counted."""
    count = place.scaled(10_000)
    path = audit.history(place.folder, "recorded", audit.recorded, count)

    ours = place.command("gitedit", "audit", "-C", path, "--format", "json")

    def timed(command: list[str]) -> float:
        with open(place.path("out"), "wb") as out:
            started = time.perf_counter()
            subprocess.run(command, env=place.environment, stdout=out, check=True)
            return time.perf_counter() - started

    def cold(_number: int) -> float:
        return timed([*ours, "--no-cache"]) - timed(audit.STARTUP)

    def warm(_number: int) -> float:
        return timed(ours) - timed(audit.STARTUP)

    def log(_number: int) -> float:
        return timed(["git", "-C", path, "log", "--numstat"])

    times = interleaved({"cold": cold, "warm": warm, "log": log}, place.rounds(5))
    name = f"audit of {count:,} recorded commits"
    return [
        row(name, "git log --numstat", times["cold"], times["log"], limit=2.0),
        row(f"{name}, again", "the first time", times["warm"], times["cold"], limit=0.1),
    ]


def silent(place: Place) -> list[Row]:
    """Run each hook where there is nothing to judge, beside an empty Python hook with as many arguments."""
    work = place.path("work")
    os.mkdir(work)
    head = hook.repository(work, place.environment)
    for name, code in {**hook.LAUNCHERS, "empty_hook.py": "def main():\n    return 0"}.items():
        path = place.path(name)
        if os.path.exists(path):
            os.unlink(path)
        with open(path, "w", encoding="ascii") as stream:
            stream.write(code + "\n")
    search = os.pathsep.join([place.folder, os.path.dirname(HERE)])
    times = hook.measure(place.rounds(20), work, {**place.environment, "PYTHONPATH": search}, head, place.folder)
    rows = []
    for name, values in times.items():
        base = "empty hook, 5,000 names" if "names" in name else "empty hook"
        if name not in {"empty hook", "empty hook, 5,000 names"}:
            ours, theirs = [[value / 1000 for value in found] for found in (values, times[base])]
            rows.append(row(f"hook: {name}", base, ours, theirs, limit=hook.LIMIT))
    return rows


ROWS = {"audit": audited, "hook": silent}
