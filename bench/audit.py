"""What an audit costs beside git's own log of the same range. Usage: python bench/audit.py [--quick] [--rounds N]

Prints ratios of medians, start-up (`python -c "import typer, git"`) taken off ours; histories are made by fast-import.
"""

import argparse
import hashlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from random import Random

from gitedit.commands.audit import AuditRequest, audit
from gitedit.edits.engine import apply_edits
from gitedit.edits.model import Edit, FileEdits
from gitedit.record.compose import make_record
from gitedit.record.digests import batch_digest
from gitedit.record.message import default_text, render
from gitedit.record.model import ChangedFile

WHO = b"T <t@example.invalid>"
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
        pair = Edit(line, f"def g_{random.randrange(10**9)}(y):  # {n} was changed\n")
        revision = apply_edits(old.encode(), (pair,))
        facts = ("100644", "100644", blob_id(old.encode()), blob_id(revision.content))
        changed = [ChangedFile(path, *facts, old.encode(), revision.content, revision.regions)]
        digest = batch_digest((FileEdits(path, (pair,)),), "strict", exact=False)
        record = make_record(changed, mode="strict", batch_digest=digest, tool="gitedit/0.1.0", agent="Claude:opus")
        message = render(default_text(changed), record, assisted_by="Claude:opus")
        files[path] = revision.content.decode()
        commit(stream, n, message.encode(), {path: revision.content})


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


def seconds(command, rounds):
    """Return the median of `rounds` runs with the output in a file."""
    times = []
    for _ in range(rounds):
        with tempfile.TemporaryFile() as out:
            start = time.perf_counter()
            subprocess.run(command, stdout=out, check=True)
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def ours(path, *options):
    return [sys.executable, __file__, "--run", path, *options]


def run(path, options):
    """Audit one repository as `gitedit audit --format json` does, in this process."""
    import gc  # noqa: PLC0415 - as the command line does

    gc.disable()

    report = audit(AuditRequest(path, cache="--no-cache" not in options))
    sys.stdout.writelines(report.json_pieces())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    sys.stderr.write(f"    peak {peak} MB, largest child {children} MB\n" if "--memory" in options else "")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--run", nargs="+")
    args, rest = parser.parse_known_args()
    if args.run:
        run(args.run[0], rest)
        return
    scale = 10 if args.quick else 1
    startup = seconds([sys.executable, "-c", "import typer, git"], args.rounds)
    print(f"start-up {startup * 1000:.0f} ms")
    with tempfile.TemporaryDirectory() as folder:
        path = history(folder, "recorded", recorded, 1500 // scale)
        log = seconds(["git", "-C", path, "log", "--numstat"], args.rounds)
        mine = seconds(ours(path, "--no-cache"), args.rounds) - startup
        print(f"1,500 recorded: audit {mine:.2f} s, git log --numstat {log:.2f} s: ratio {mine / log:.2f} (at most 2)")
        path = history(folder, "many", recorded, 10_000 // scale)
        first = seconds(ours(path, "--memory"), 1) - startup
        again = seconds(ours(path, "--memory"), args.rounds) - startup
        print(f"10,000 recorded: first {first:.2f} s, second {again:.2f} s: ratio {again / first:.3f} (at most 0.1)")
        path = history(folder, "ordinary", ordinary, 100_000 // scale)
        log = seconds(["git", "-C", path, "log", "--raw"], args.rounds)
        mine = seconds(ours(path, "--no-cache", "--memory"), args.rounds) - startup
        print(f"100,000 ordinary: audit {mine:.2f} s, git log --raw {log:.2f} s: ratio {mine / log:.2f} (at most 0.5)")


if __name__ == "__main__":
    main()
