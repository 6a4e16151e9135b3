"""Ratios of gitedit to what people use instead, each measured side by side. See README.md.

    python bench/run.py [--quick] [--json FILE] [--check] [ROW ...]

Without ROW all are run. --check fails where a ratio is above its limit.
"""

import argparse
import json
import platform
import subprocess
import sys

import commits
import corruption
import engine
import memory
import past
from measuring import Row, Skipped, load
from place import place

ROWS = {**commits.ROWS, **engine.ROWS, **corruption.ROWS, **memory.ROWS, **past.ROWS}


def main() -> None:
    parser = argparse.ArgumentParser(description=f"rows: {', '.join(ROWS)}")
    parser.add_argument("rows", nargs="*", metavar="ROW", choices=[[], *ROWS])
    parser.add_argument("--quick", action="store_true", help="a tenth of the size, a quarter of the rounds")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    results: list[Row | Skipped] = []
    print(f"{'row':30} {'against':28} {'ours':>11} {'theirs':>11} {'ratio':>8}  {'quartiles':13} {'limit':>5}  load")
    with place(quick=asked.quick) as whole:
        for name in asked.rows or ROWS:
            with whole.scratch() as own:
                for found in ROWS[name](own):
                    results.append(found)
                    print(line(found), load().split()[0], flush=True)
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as stream:
            json.dump({"machine": machine(), "load": load(), "rows": [facts(row) for row in results]}, stream, indent=1)
            stream.write("\n")
    broken = [row.name for row in results if isinstance(row, Row) and not row.holds]
    if asked.check and broken:
        sys.exit("above the limit: " + ", ".join(broken))


def line(found: Row | Skipped) -> str:
    if isinstance(found, Skipped):
        return f"{found.name:30} {found.against:28} skipped: {found.why};"
    limit = "" if found.limit is None else f"{found.limit:g}" + ("" if found.holds else " !")
    spread = f"{found.low:.2f}..{found.high:.2f}"
    measured = f"{shown(found.ours, found.unit):>11} {shown(found.theirs, found.unit):>11}"
    note = f" ({found.note})" if found.note else ""
    return f"{found.name:30} {found.against:28} {measured} {found.ratio:8.3g}  {spread:13} {limit:>5} {note}"


def shown(value: float, unit: str) -> str:
    if unit != "s":
        return f"{value:.0f} {unit}"
    return f"{value * 1000:.1f} ms" if value < 10 else f"{value:.1f} s"


def facts(found: Row | Skipped) -> dict[str, object]:
    kept = found._asdict()
    return {**kept, "holds": found.holds} if isinstance(found, Row) else kept


def machine() -> dict[str, str]:
    git = subprocess.run(["git", "--version"], check=True, capture_output=True).stdout.decode().strip()
    return {"system": platform.system(), "python": platform.python_version(), "git": git}


if __name__ == "__main__":
    main()
