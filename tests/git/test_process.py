"""The environment that git children get."""

import os
import signal
import subprocess

import pytest

from gitedit.errors import OperationError
from gitedit.git import repository
from gitedit.git.process import for_apply, for_hook


def test_relative_git_dir_is_kept_when_it_names_a_repository_here(repo, monkeypatch):
    monkeypatch.setenv("GIT_DIR", ".git")
    assert for_hook(repo.path).environment["GIT_DIR"] == ".git"


def test_relative_git_dir_is_found_again_when_git_runs_below_the_top(repo, monkeypatch):
    os.mkdir(os.path.join(repo.path, "sub"))
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    found = repository.find(for_hook(os.path.join(repo.path, "sub")))
    assert (found.top, found.git_dir) == (repo.path, os.path.join(repo.path, ".git"))
    assert found.index_file == os.path.join(repo.path, ".git/next-index")


@pytest.mark.parametrize("said", ["", 'PATH=${PATH#*:} git "$@"; '])
def test_git_failed_when_the_first_child_is_killed_before_or_after_its_answer(repo, monkeypatch, tmp_path, said):
    repo.commit({"f": b"x\n"})
    shim = tmp_path / "git"
    shim.write_text(
        f'#!/bin/sh\ncase "$*" in *rev-parse*) {said}kill -KILL $$;; esac\nPATH=${{PATH#*:}} exec git "$@"\n'
    )
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(OperationError, match="git rev-parse was killed by signal 9") as refusal:
        repository.find(for_apply(repo.path))
    assert refusal.value.code == "git-failed"


def test_child_is_ended_when_a_signal_ends_the_wait_for_it(repo, monkeypatch):
    def ring(*_):
        raise TimeoutError

    children = []
    start = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: children.append(start(*a, **k)) or children[-1])
    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError):
            for_hook(repo.path).with_options("-c", "alias.wait=!exec sleep 600").ask("wait")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    [child] = children
    assert child.wait(timeout=10) != 0
