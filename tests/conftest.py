"""Real git in a hermetic environment: own HOME, no system or global config, fixed identity and dates."""

import os
import signal
import subprocess
import sys

import pytest

# A shell has its background jobs ignore SIGINT, and so would every command that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Behind all else: in front, tests/git would stand for GitPython.
sys.path.append(os.path.dirname(__file__))

IDENTITY = "T <t@example.invalid>"
DATE = 1_700_000_000
"""Seconds; each commit that a `Repo` makes is a minute later than the one before."""


def hermetic(home):
    """Return an environment in which git knows nothing of the machine it runs on."""
    # Without byte code every run of the command compiles the whole package: 100 ms.
    dropped = ("GIT_", "GITEDIT_", "PYTHONDONTWRITEBYTECODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {
        **kept,
        # A hook of a test may call the command, whether or not its environment was activated.
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "T",
        "GIT_AUTHOR_EMAIL": "t@example.invalid",
        "GIT_COMMITTER_NAME": "T",
        "GIT_COMMITTER_EMAIL": "t@example.invalid",
        "GIT_EDITOR": ":",
        "GIT_SEQUENCE_EDITOR": ":",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
    }


class Repo:
    """One repository. Output is bytes, less one final newline; a failure raises with git's own words."""

    def __init__(self, path, env, *init):
        self.path = str(path)
        self.env = dict(env)
        self.clock = DATE
        os.makedirs(self.path, exist_ok=True)
        self.git("init", "-q", "-b", "main", *init)

    def git(self, *args, data=None, check=True, **variables):
        """Run git at the top with more environment variables; return its output, or the exit status if not `check`."""
        self.clock += 60
        env = {"GIT_AUTHOR_DATE": f"{self.clock} +0000", "GIT_COMMITTER_DATE": f"{self.clock} +0000"}
        done = subprocess.run(
            ["git", *args],
            check=False,
            cwd=self.path,
            env={**self.env, **env, **variables},
            input=data,
            capture_output=True,
        )
        if not check:
            return done.returncode
        if done.returncode:
            raise AssertionError(f"git {' '.join(map(str, args))}: {done.returncode}\n{done.stderr.decode()}")
        return done.stdout.removesuffix(b"\n")

    def oid(self, revision="HEAD"):
        """Return the full object id of a revision."""
        return self.git("rev-parse", "--verify", revision).decode()

    def write(self, path, content):
        """Write a file below the top, folders included; return its absolute path."""
        full = os.path.join(self.path, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
        return full

    def read(self, path):
        """Return a file's bytes on disk."""
        with open(os.path.join(self.path, path), "rb") as stream:
            return stream.read()

    def commit(self, files=None, message="change", *args):
        """Write and add `files` (path -> content), commit, and return the commit's id."""
        for path, content in (files or {}).items():
            self.write(path, content)
            self.git("add", "--", path)
        text = message.encode("utf-8", "surrogateescape") if isinstance(message, str) else message
        self.git("commit", "-q", "--allow-empty", "--cleanup=verbatim", "-F", "-", *args, data=text)
        return self.oid()


@pytest.fixture
def environment(tmp_path):
    """Return the hermetic environment of this test."""
    home = tmp_path / "home"
    home.mkdir()
    return hermetic(home)


@pytest.fixture
def make_repo(tmp_path, environment):
    """Return a function that makes one more repository: `make_repo("name", "--bare")`."""
    return lambda name="work", *init: Repo(tmp_path / name, environment, *init)


@pytest.fixture
def repo(make_repo):
    """Return an empty repository."""
    return make_repo()
