"""Repositories with the hooks in place, and people who work in them."""

import json
import os
import subprocess
import sys
from typing import NamedTuple

import pytest
from conftest import Repo

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIMS = os.path.join(TOP, "hooks")
MIXED = b"one\r\ntwo\nthree\r\nfour\nfive\r\n"


class Said(NamedTuple):
    status: int
    err: str


@pytest.fixture
def environment(environment, tmp_path):
    """The hermetic environment, with `gitedit` on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "gitedit"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gitedit "$@"\n')
    command.chmod(0o700)
    path = os.pathsep.join([str(folder), environment["PATH"], os.path.dirname(sys.executable)])
    return {**environment, "PATH": path, "PYTHONPATH": TOP}


def git(repo, *args, data=None, **variables):
    """Run git as a person would; return the exit status and what it says."""
    env = {**repo.env, **variables}
    done = subprocess.run(["git", *args], cwd=repo.path, env=env, input=data, capture_output=True, check=False)
    return Said(done.returncode, done.stderr.decode() + done.stdout.decode())


def gitedit(repo, *args, data=None, **variables):
    env = {**repo.env, **variables}
    command = [sys.executable, "-m", "gitedit", *args]
    done = subprocess.run(command, cwd=repo.path, env=env, input=data, capture_output=True, check=False)
    return Said(done.returncode, done.stderr.decode() + done.stdout.decode())


def batch(path, old, new):
    return json.dumps({"path": path, "edits": [{"oldText": old, "newText": new}]})


def record(repo, path="mixed", old="two", new="2", *flags):
    """Make one recorded commit; return its id."""
    said = gitedit(repo, "apply", "--commit", *flags, data=batch(path, old, new).encode())
    assert said.status == 0, said.err
    return repo.oid()


def tamper(repo, path="mixed"):
    """Change a line more in the newest commit and keep its message, past every hook."""
    repo.write(path, repo.read(path) + b"tampered\n")
    repo.git("add", path)
    repo.git("-c", "core.hooksPath=" + os.devnull, "commit", "-q", "--amend", "--no-edit", "--no-verify")
    return repo.oid()


@pytest.fixture
def work(repo):
    """A repository with the hooks of `hooks/`, and one commit."""
    repo.commit({"mixed": MIXED, "plain": "alpha\nbeta\ngamma\n"})
    repo.git("config", "core.hooksPath", SHIMS)
    return repo


@pytest.fixture
def server(work, tmp_path):
    """A bare repository that `work` pushes to as `origin`, with pre-receive in place; nothing is pushed yet."""
    bare = Repo(tmp_path / "server.git", work.env, "--bare")
    os.symlink(os.path.join(SHIMS, "pre-receive"), os.path.join(bare.path, "hooks", "pre-receive"))
    work.git("remote", "add", "origin", bare.path)
    return bare
