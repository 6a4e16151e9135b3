"""Which hooks there are, by folder and configuration, and which processes belong to one."""

import os
import subprocess

import pytest

from gitedit.git import hooks, repository
from gitedit.git.process import Git


@pytest.fixture
def found(repo):
    repo.commit({"f": b"x\n"})
    return repository.find(Git(repo.path, repo.env))


def script(repo, name, mode=0o755):
    path = os.path.join(repo.path, ".git", "hooks", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as stream:
        stream.write("#!/bin/sh\n")
    os.chmod(path, mode)


def test_no_hook_is_present_when_the_folder_has_samples_only(found):
    assert hooks.find(found, {}).present == frozenset()


def test_executable_files_count_when_they_have_a_hooks_name(repo, found):
    script(repo, "pre-commit")
    script(repo, "commit-msg", 0o644)
    script(repo, "pre-push")
    assert hooks.find(found, {}).present == {"pre-commit"}


@pytest.mark.parametrize(
    ("configuration", "present"),
    [
        ({"hook.a.command": ["x"]}, set()),
        ({"hook.a.event": ["pre-push"]}, set()),
        ({"hook.a.event": ["pre-commit", "post-commit"]}, {"pre-commit", "post-commit"}),
        ({"hook.a.b.c.event": ["commit-msg"]}, {"commit-msg"}),
        ({"hook.a.event": ["pre-commit"], "hook.a.enabled": ["false"]}, set()),
        ({"hook.a.event": ["pre-commit"], "hook.a.enabled": ["false", "true"]}, {"pre-commit"}),
        ({"hook.a.event": ["pre-commit"], "hook.b.enabled": ["false"]}, {"pre-commit"}),
        ({"hook.a.event": [None]}, set()),
    ],
)
def test_configured_hooks_count_when_newer_git_would_run_them(found, configuration, present):
    assert hooks.find(found, configuration).present == present


def test_hook_that_git_does_not_run_is_no_failure_when_it_seems_to_be_there(found):
    one = hooks.find(found, {"hook.a.event": ["pre-commit"]})
    assert one.run("pre-commit", found.index_file) == 0
    assert one.run("commit-msg", found.index_file) == 0


@pytest.mark.parametrize(
    ("names", "verify", "expected"),
    [
        ([], True, False),
        (["post-commit", "post-index-change"], True, False),
        (["pre-commit"], True, True),
        (["pre-commit", "commit-msg"], False, False),
        (["prepare-commit-msg"], False, True),
    ],
)
def test_hooks_have_a_say_only_when_they_run_before_the_commit(found, names, verify, expected):
    assert hooks.Hooks(found, frozenset(names)).for_commit(verify=verify) is expected


def test_no_process_is_below_one_that_started_none():
    with subprocess.Popen(["sleep", "10"]) as child:
        assert hooks.descendants(child.pid) == []
        child.kill()


def test_all_processes_below_one_are_found_when_they_started_others():
    with subprocess.Popen(["sh", "-c", "(sh -c 'sleep 10; :'; :) & echo; wait"], stdout=subprocess.PIPE) as child:
        child.stdout.read(1)
        found = []
        for _ in range(100):
            found = hooks.descendants(child.pid)
            if len(found) > 2:
                break
        assert len(found) > 2
        for process in [child.pid, *found]:
            os.kill(process, 9)
