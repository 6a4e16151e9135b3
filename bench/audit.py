"""What an audit costs beside git's own log of the same range. Usage: python bench/audit.py [--quick] [--rounds N]

Prints medians of ratios, start-up (`python -c "import typer, git"`) taken off ours; histories are made by fast-import.
"""

import argparse
import hashlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from random import Random
from typing import NamedTuple

from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit, FileEdits
from gitedit.record.compose import make_record
from gitedit.record.digests import batch_digest
from gitedit.record.message import default_text, render
from gitedit.record.model import ChangedFile

WHO = b"T <t@example.invalid>"
STARTUP = [sys.executable, "-c", "import typer, git"]
FILES = 50
LINES = 300


def blob_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def recorded(stream, count):
    """Write a history of `count` commits, each one recorded edit, after a root."""
    random = Random(1)
    files = {f"src/part{n % 7}/file{n}.py": None for n in range(FILES)}
    for path in files:
        files[path] = "".join(f"def f_{random.randrange(10**9)}(x):  # {n}\n" for n in range(LINES))
    commit(stream, 0, b"root\n", {path: text.encode() for path, text in files.items()})
    for n in range(1, count + 1):
        path = random.choice(list(files))
        old = files[path]
        line = random.choice(old.splitlines(keepends=True))
        message, new = recorded_edit(path, old, Edit(line, f"def g_{random.randrange(10**9)}(y):  # {n} changed\n"))
        files[path] = new.decode()
        commit(stream, n, message, {path: new})


def recorded_edit(path, old, edit):
    """Return the message and the new content of one recorded edit."""
    before = old.encode()
    revision = apply_edits(before, (edit,))
    oids = blob_id(before), blob_id(revision.content)
    changed = [ChangedFile(path, "100644", "100644", *oids, before, revision.content, revision.regions)]
    digest = batch_digest((FileEdits(path, (edit,)),), "strict", exact=False)
    record = make_record(changed, mode="strict", batch_digest=digest, tool="gitedit/0.1.0", agent="Claude:opus")
    return render(default_text(changed), record, assisted_by="Claude:opus").encode(), revision.content


def ordinary(stream, count):
    """Write a history of `count` commits as people write them."""
    for n in range(count):
        message = (
            b"fix: say what number %d is for\n\nA body line that explains what happens here in words.\n"
            b"And another line of explanation.\n\nSigned-off-by: A U Thor <a@example.invalid>\n" % n
        )
        path = f"src/part{n * 7 % 23}/file{n * 7 % 200}.py"
        commit(stream, n, message, {path: b"line one\nline two %d\n" % n * 10})


def commit(stream, n, message, files):
    when = 1_700_000_000 + n * 60
    stream.write(b"commit refs/heads/main\nmark :%d\n" % (n + 1))
    stream.write(b"author %s %d +0000\ncommitter %s %d +0000\n" % (WHO, when, WHO, when))
    stream.write(b"data %d\n%s\n" % (len(message), message))
    if n:
        stream.write(b"from :%d\n" % n)
    for path, content in files.items():
        stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(content), content))


def history(folder, name, write, count):
    path = os.path.join(folder, name)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", path], check=True)
    done = subprocess.Popen(["git", "-C", path, "fast-import", "--quiet"], stdin=subprocess.PIPE)
    write(done.stdin, count)
    done.stdin.close()
    if done.wait():
        raise SystemExit("git fast-import failed")
    subprocess.run(["git", "-C", path, "gc", "-q"], check=True)
    return path


class Run(NamedTuple):
    """One finished command."""

    seconds: float
    megabytes: int
    """The largest resident size of the process or of a child that it waited for."""


def once(command):
    """Run a command with its output in a file."""
    with tempfile.TemporaryFile() as out:
        start = time.perf_counter()
        child = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"{command} ended with {child.returncode}")
        return Run(time.perf_counter() - start, used.ru_maxrss // 1024)


def side_by_side(mine, theirs, rounds):
    """Return (seconds of ours less start-up, seconds of theirs, their ratio), each the median of rounds in turn."""
    rows = []
    for _ in range(rounds):
        startup, ours, git = (once(command).seconds for command in (STARTUP, mine, theirs))
        rows.append((ours - startup, git, (ours - startup) / git))
    return tuple(statistics.median(column) for column in zip(*rows, strict=True))


def audit(path, *options):
    return [sys.executable, "-m", "gitedit", "audit", "-C", path, "--format", "json", *options]


def large(stream, megabytes):
    """Write a history of one recorded edit in a file of this size."""
    line = "a line of a large file that is not edited at all\n"
    old = line * (megabytes * (1 << 20) // len(line)) + "the last line\n"
    commit(stream, 0, b"root\n", {"large": old.encode()})
    message, new = recorded_edit("large", old, Edit("the last line\n", "another last line\n"))
    commit(stream, 1, message, {"large": new})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a tenth of the commits")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    scale = 10 if args.quick else 1
    with tempfile.TemporaryDirectory() as folder:
        count = 1500 // scale
        path = history(folder, "recorded", recorded, count)
        log = ["git", "-C", path, "log", "--numstat"]
        mine, git, ratio = side_by_side(audit(path, "--no-cache"), log, args.rounds)
        print(f"{count} recorded: {mine:.2f} s, git log --numstat {git:.2f} s: ratio {ratio:.2f} (at most 2)")

        count = 10_000 // scale
        path = history(folder, "many", recorded, count)
        firsts, seconds = [], []
        for _ in range(max(1, args.rounds // 2)):
            shutil.rmtree(os.path.join(path, "gitedit"), ignore_errors=True)
            startup, first, again = (once(command) for command in (STARTUP, audit(path), audit(path)))
            firsts.append(first.seconds - startup.seconds)
            seconds.append(again.seconds - startup.seconds)
        one, two = statistics.median(firsts), statistics.median(seconds)
        print(f"{count} recorded: {one:.2f} s, again {two:.2f} s: ratio {two / one:.3f} (at most 0.1)")
        print(f"the first of the two: {first.megabytes} MB (at most 200)")

        count = 100_000 // scale
        path = history(folder, "ordinary", ordinary, count)
        log = ["git", "-C", path, "log", "--raw"]
        mine, git, ratio = side_by_side(audit(path, "--no-cache"), log, args.rounds)
        print(f"{count} ordinary: {mine:.2f} s, git log --raw {git:.2f} s: ratio {ratio:.2f} (at most 0.5)")

        path = history(folder, "large", large, 20)
        used = once(audit(path, "--no-cache")).megabytes
        print(f"an edit in a file of 20 MB: {used} MB (at most 200 + 4 x 20)")


if __name__ == "__main__":
    main()
