"""A folder to measure in: hermetic, with gitedit as pip would install it, and repositories made to measure."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCHERS = {"empty": "from empty_app import app; app()", "gitedit": "from gitedit.__main__ import main; main()"}
"""What pip makes of an entry point; modules are compiled and cached for both."""
WHO = {"NAME": "T", "EMAIL": "t@example.invalid"}
BY_HAND = "git apply --index {patch} && git commit -q -m change"


class Place(NamedTuple):
    """Where one run of the benchmarks happens."""

    folder: str
    environment: Mapping[str, str]
    quick: bool

    def rounds(self, full: int) -> int:
        return max(3, full // 4) if self.quick else full

    def scaled(self, full: int) -> int:
        return full // 10 if self.quick else full

    def path(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def command(self, name: str, *arguments: str) -> list[str]:
        """Return the command line of `gitedit` or `empty`."""
        return [sys.executable, self.path(name), *arguments]

    def run(self, command: list[str], folder: str, data: bytes = b"") -> bytes:
        done = subprocess.run(command, cwd=folder, env=self.environment, input=data, capture_output=True)  # noqa: PLW1510
        if done.returncode:
            raise SystemExit(f"{command} failed: {done.stdout.decode()} {done.stderr.decode()}")
        return done.stdout

    def git(self, folder: str, *arguments: str, data: bytes = b"") -> bytes:
        return self.run(["git", *arguments], folder, data)

    def repository(self, name: str, files: Mapping[str, bytes]) -> str:
        """Make a repository with one commit of these files, checked out, its index not racy; return its folder."""
        work = self.path(name)
        os.mkdir(work)
        self.git(work, "init", "-q", "-b", "main")
        for path, content in files.items():
            whole = os.path.join(work, path)
            os.makedirs(os.path.dirname(whole), exist_ok=True)
            with open(whole, "wb") as stream:
                stream.write(content)
        self.git(work, "add", ".")
        self.git(work, "commit", "-q", "-m", "start")
        return work

    @contextmanager
    def scratch(self) -> Iterator["Place"]:
        """Give one row a folder inside this one, removed afterwards; launchers and compiled modules stay shared."""
        folder = tempfile.mkdtemp(dir=self.folder)
        for name in LAUNCHERS:
            os.link(self.path(name), os.path.join(folder, name))
        try:
            yield self._replace(folder=folder)
        finally:
            shutil.rmtree(folder)


@contextmanager
def place(*, quick: bool) -> Iterator[Place]:
    """Make a place in the folder for temporary files (TMPDIR); remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="gitedit-bench.") as folder:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GITEDIT_"))}
        # Compiled once, as pip does when it installs; the warm-up fills the cache.
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in WHO.items()}
        own = {
            "HOME": folder,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PYTHONPYCACHEPREFIX": os.path.join(folder, "compiled"),
            "PYTHONPATH": os.pathsep.join([HERE, os.path.dirname(HERE)]),
        }
        for name, code in LAUNCHERS.items():
            with open(os.path.join(folder, name), "w", encoding="ascii") as stream:
                stream.write(code + "\n")
        yield Place(folder, {**kept, **who, **own}, quick)


def counting(number: int, lines: int = 200) -> bytes:
    """Return a file of `lines` lines with a counter before its last line."""
    return b"".join(b"line %d\n" % line for line in range(lines)) + b"counter %d\nlast\n" % number


def counted(path: str, number: int) -> dict[str, object]:
    """Return the edits of one file that count from `number` on."""
    return {"path": path, "edits": [{"oldText": f"counter {number}\n", "newText": f"counter {number + 1}\n"}]}


def batch(paths: list[str], number: int) -> bytes:
    return json.dumps({"files": [counted(path, number) for path in paths]}).encode()


def patch(paths: list[str], number: int, lines: int = 200) -> bytes:
    """Return the patch that `git diff` makes of the same edits."""
    at = lines - 2
    before = "".join(f" line {line}\n" for line in range(at - 1, at + 2))
    hunk = f"@@ -{at},5 +{at},5 @@\n{before}-counter {number}\n+counter {number + 1}\n last\n"
    return "".join(f"diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n{hunk}" for path in paths).encode()
