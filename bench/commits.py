"""What a commit costs beside `git apply --index && git commit`: one, a large one, many, and in large repositories."""

import os
import time

from measuring import Row, interleaved, row
from place import BY_HAND, Place, batch, counting, patch

ONE = "one-shot commit"
STREAMED = 200


def one_shot(place: Place) -> list[Row]:
    """Commit one edit in a repository of 20 files, each tool in a repository of its own."""
    files = {f"f{number}.txt": counting(0) for number in range(20)}
    ours, theirs = place.repository("ours", files), place.repository("theirs", files)

    def edit(number: int) -> None:
        place.run(place.command("gitedit", "apply", "--commit", "-"), ours, batch(["f0.txt"], number))

    def app(number: int) -> None:
        place.run(place.command("empty", "apply", "--commit", "-"), ours, batch(["f0.txt"], number))

    times = interleaved(
        {"gitedit": edit, "empty": app, "git": by_hand(place, theirs, ["f0.txt"])}, place.rounds(40), warm=2
    )
    return [
        row(ONE, "an empty typer app", times["gitedit"], times["empty"], limit=1.8),
        row(ONE, "git apply && git commit", times["gitedit"], times["git"], note="start-up of Python included"),
    ]


def by_hand(place: Place, work: str, paths: list[str], lines: int = 200):
    """Return the action that counts up in these files by hand; writing the patch is not timed."""
    name = place.path(f"{os.path.basename(work)}.patch")

    def act(number: int) -> float:
        with open(name, "wb") as stream:
            stream.write(patch(paths, number, lines))
        started = time.perf_counter()
        place.run(["sh", "-c", BY_HAND.format(patch=name)], work)
        return time.perf_counter() - started

    return act


def many_files(place: Place) -> list[Row]:
    """Commit one edit in each of 2,000 files of 4,000, as one commit; no two files are the same."""
    count = place.scaled(2000)
    names = [f"d{number % 40}/f{number}.txt" for number in range(2 * count)]
    files = {name: counting(0, 20).replace(b"line 0", name.encode()) for name in names}
    edited = sorted(files)[::2]
    ours, theirs = place.repository("ours", files), place.repository("theirs", files)
    batches = [batch(edited, number) for number in range(place.rounds(9) + 1)]

    def edit(number: int) -> None:
        place.run(place.command("gitedit", "apply", "--commit", "--quiet", "-"), ours, batches[number])

    times = interleaved({"gitedit": edit, "git": by_hand(place, theirs, edited, 20)}, place.rounds(9))
    return [row(f"{count:,} files in one commit", "git apply && git commit", times["gitedit"], times["git"], limit=1.5)]


def streamed(place: Place) -> list[Row]:
    """Make 200 commits with one `gitedit apply --stream`, start-up included, and with a script of git commands."""
    count = place.scaled(STREAMED)
    files = {f"d{number % 8}/f{number}.txt": counting(0) for number in range(100)}
    names = sorted(files)

    def edit(number: int) -> float:
        work = place.repository(f"ours{number}", files)
        lines = b"".join(batch([names[step % 100]], step // 100) + b"\n" for step in range(count))
        command = place.command("gitedit", "apply", "--commit", "--stream", "-")
        return timed(place, work, command, lines, count)

    def by_git(number: int) -> float:
        work = place.repository(f"theirs{number}", files)
        script = []
        for step in range(count):
            name = place.path(f"{number}-{step}.patch")
            with open(name, "wb") as stream:
                stream.write(patch([names[step % 100]], step // 100))
            script.append(BY_HAND.format(patch=name) + "\n")
        return timed(place, work, ["sh", "-e"], "".join(script).encode(), count)

    times = interleaved({"gitedit": edit, "git": by_git}, place.rounds(7))
    note = f"a commit of {count} by --stream, start-up included"
    return [
        row("many commits", "git apply && git commit", times["gitedit"], times["git"], limit=1.3, note=note),
    ]


def timed(place: Place, work: str, command: list[str], data: bytes, commits: int) -> float:
    """Return the seconds that the command takes per commit; check that it made them all."""
    started = time.perf_counter()
    place.run(command, work, data)
    passed = time.perf_counter() - started
    made = int(place.git(work, "rev-list", "--count", "HEAD")) - 1
    if made != commits:
        raise SystemExit(f"{command} made {made} commits of {commits}")
    return passed / commits


def large(place: Place) -> list[Row]:
    """Commit one edit in a repository of 200,000 files, then of 300,000, all of them on disk.

    `git commit` looks at every file on disk to refresh the index, so they must be there; the checkout is not timed.
    Both tools work in the same repository, on a file each.
    """
    work = place.path("large")
    os.mkdir(work)
    place.git(work, "init", "-q", "-b", "main")
    rows = []
    for count in (place.scaled(200_000), place.scaled(300_000)):
        fill(place, work, count)
        ours, theirs = "d000/f001.txt", f"d{(count - 1) // 1000:03}/f002.txt"

        def edit(number: int, path: str = ours) -> None:
            place.run(place.command("gitedit", "apply", "--commit", "--quiet", "-"), work, batch([path], number))

        times = interleaved({"gitedit": edit, "git": by_hand(place, work, [theirs], 12)}, place.rounds(11))
        limit = 0.7 if count == 200_000 else None
        name = f"repository of {count:,} files"
        rows.append(row(name, "git apply && git commit", times["gitedit"], times["git"], limit=limit))
    return rows


def fill(place: Place, work: str, count: int) -> None:
    """Commit `count` equal files by fast-import, and check them out."""
    body = counting(0, 12)
    stream = [b"blob\nmark :1\ndata %d\n%s\n" % (len(body), body)]
    stream.append(b"commit refs/heads/main\nmark :2\ncommitter T <t@example.invalid> 1700000000 +0000\ndata 1\nx\n")
    stream += [b"M 100644 :1 d%03d/f%03d.txt\n" % divmod(number, 1000) for number in range(count)]
    place.git(work, "fast-import", "--quiet", "--force", data=b"".join(stream))
    place.git(work, "read-tree", "--reset", "-u", "HEAD")
    # An index written in the same moment as its files makes git read them all again ("racy").
    time.sleep(1.1)
    place.git(work, "update-index", "--refresh")
    place.git(work, "update-index", "--force-write-index")


ROWS = {"one-shot": one_shot, "files": many_files, "stream": streamed, "large": large}
