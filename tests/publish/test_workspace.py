"""Our folder in the git directory: who may read what is put there."""

import json
import os
import subprocess
import sys

import pytest

from .scene import DRIVEN

BATCH = json.dumps(
    {"files": [{"path": name, "edits": [{"oldText": "one", "newText": "two"}]} for name in ("open", "secret")]}
).encode()


def modes(repo):
    folder = os.path.join(repo.path, ".git", "gitedit")
    return {name: os.stat(os.path.join(folder, name)).st_mode & 0o777 for name in os.listdir(folder)}


@pytest.mark.parametrize(("at", "name"), [("temporaries", "draft"), ("journal", "journal")])
@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o644])
def test_copy_of_files_is_as_closed_as_the_closest_of_them_when_a_run_keeps_it(repo, permissions, at, name):
    repo.commit({"other": "x\n"})
    for path in ("open", "secret"):
        repo.write(path, "one\n")
    os.chmod(os.path.join(repo.path, "secret"), permissions)
    env = {**repo.env, "AT": at, "DO": "kill"}
    subprocess.run([*DRIVEN, "apply"], cwd=repo.path, env=env, input=BATCH, check=False)
    assert not modes(repo)[name] & ~permissions
    assert b"one" in repo.read(f".git/gitedit/{name}")
    subprocess.run([sys.executable, "-m", "gitedit", "recover"], cwd=repo.path, env=repo.env, check=True)
    assert name not in modes(repo)
    assert repo.read("secret") == b"one\n"
    assert sorted(os.listdir(repo.path)) == [".git", "open", "other", "secret"]
