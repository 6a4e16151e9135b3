"""The memory that a commit takes at its peak, all its processes together, beside the largest file of the batch."""

import os
import subprocess
import time

from measuring import Row
from place import Place, batch, counting

FACTOR = 6
BASE = 60 << 20
PAUSE = 0.002
"""Seconds between two looks at the processes: a peak that is shorter may be missed."""


def memory(place: Place) -> list[Row]:
    """Commit an edit of one large file, and one edit in each of 2,000 small ones."""
    size = place.scaled(100_000_000)
    content = b"".join(b"a line of text, number %09d\n" % number for number in range(size // 33))
    content += b"counter 0\n"
    many = [f"d{number % 40}/f{number}.txt" for number in range(2000)]
    works = {
        f"memory: a file of {len(content) / 1e6:.0f} MB": ({"large.txt": content}, ["large.txt"]),
        "memory: 2,000 files": (dict.fromkeys(many, counting(0, 20)), many),
    }
    rows = []
    for number, (name, (files, paths)) in enumerate(works.items()):
        work = place.repository(f"work{number}", files)
        peaks = []
        for step in range(3):
            command = place.command("gitedit", "apply", "--commit", "--quiet", "-")
            peaks.append(peak(place, work, command, batch(paths, step)))
        allowed = FACTOR * max(map(len, files.values())) + BASE
        middle, own = sorted(peaks)[1]
        ratios = sorted(value / allowed for value, _ in peaks)
        mega = 1 << 20
        note = f"of that at most {own / mega:.0f} MB gitedit, the rest git"
        against = f"{FACTOR} x largest file + {BASE >> 20} MB"
        rows.append(
            Row(
                name,
                against,
                middle / mega,
                allowed / mega,
                ratios[1],
                ratios[0],
                ratios[2],
                limit=1.0,
                unit="MB",
                note=note,
            )
        )
    return rows


def peak(place: Place, work: str, command: list[str], data: bytes) -> tuple[int, int]:
    """Return the most bytes that the command's processes had resident at one time, and the most that it had alone.

    Pages that processes share are counted for each.
    """
    null = subprocess.DEVNULL
    name = place.path("batch.json")
    with open(name, "wb") as stream:
        stream.write(data)
    with open(name, "rb") as stdin:
        child = subprocess.Popen(command, cwd=work, env=place.environment, stdin=stdin, stdout=null)
    most = alone = 0
    while child.poll() is None:
        whole, own = resident(child.pid)
        most, alone = max(most, whole), max(alone, own)
        time.sleep(PAUSE)
    if child.returncode:
        raise SystemExit(f"{command} exited with {child.returncode}")
    return most, alone


def resident(pid: int, parent: bytes = b"") -> tuple[int, int]:
    """Return the resident bytes of a process with its children, and without, as /proc tells them."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as stream:
            command = stream.read()
        # Between vfork and exec a child is its parent over again.
        if command == parent:
            return 0, 0
        with open(f"/proc/{pid}/statm", "rb") as stream:
            own = int(stream.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        with open(f"/proc/{pid}/task/{pid}/children", "rb") as stream:
            children = stream.read().split()
    except (OSError, IndexError):
        return 0, 0
    return own + sum(resident(int(child), command)[0] for child in children), own


ROWS = {"memory": memory}
