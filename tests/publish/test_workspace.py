"""Our folder in the git directory: who may read what is put there."""

import json
import os
import subprocess
import sys

import pytest

from .scene import DRIVEN

BATCH = json.dumps({"path": "secret", "edits": [{"oldText": "one", "newText": "two"}]}).encode()


def copies(repo):
    folder = os.path.join(repo.path, ".git", "gitedit", "run")
    return {name: os.stat(os.path.join(folder, name)).st_mode & 0o777 for name in os.listdir(folder)}


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o644])
def test_copy_of_a_file_is_as_closed_as_the_file_when_a_run_keeps_it(repo, permissions):
    repo.commit({"other": "x\n"})
    repo.write("secret", "one\n")
    os.chmod(os.path.join(repo.path, "secret"), permissions)
    env = {**repo.env, "AT": "temporaries", "DO": "kill"}
    subprocess.run([*DRIVEN, "apply"], cwd=repo.path, env=env, input=BATCH, check=False)
    kept = {mode for name, mode in copies(repo).items() if name.endswith(".before")}
    assert len(kept) == 1
    assert not kept.pop() & ~permissions
    subprocess.run([sys.executable, "-m", "gitedit", "recover"], cwd=repo.path, env=repo.env, check=True)
    assert copies(repo) == {}
    assert repo.read("secret") == b"one\n"
