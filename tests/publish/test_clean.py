"""After a commit git sees a clean file as clean, without looking into it: its stat data stands in the index."""

import json
import os
import subprocess
import threading

import pytest

from .scene import PLAIN


def run(repo, *arguments, data):
    done = subprocess.run(
        [*PLAIN, *arguments], check=False, cwd=repo.path, env=repo.env, input=data, capture_output=True
    )
    assert done.returncode == 0, done
    return done.stdout


def edits(names, old, new):
    return json.dumps(
        {"files": [{"path": name, "edits": [{"oldText": old, "newText": new}]} for name in names]}
    ).encode()


@pytest.mark.parametrize("count", [1, 20, 502])
def test_files_are_clean_to_every_git_command_when_they_were_committed(repo, count):
    names = [f"d{number % 7}/f{number}" for number in range(count)]
    for name in names:
        repo.write(name, "one\ntwo\n")
    repo.git("add", "-A")
    repo.commit()
    run(repo, "apply", "--commit", data=edits(names, "one", "1"))
    assert repo.git("diff-files", "--quiet", check=False) == 0
    assert repo.git("status", "--porcelain") == b""
    patch = repo.git("diff", "-R", "HEAD~1", "HEAD", "--", names[0]) + b"\n"
    assert repo.git("apply", "--index", "--check", data=patch) == b""
    assert repo.git("reset", "-q", "--keep", "HEAD~1") == b""
    assert repo.read(names[-1]) == b"one\ntwo\n"


def test_commits_all_succeed_when_git_status_runs_in_a_loop(repo):
    repo.commit({"f": "count 0\n", "g": "calm\n"})
    ended = threading.Event()

    def disturb():
        while not ended.is_set():
            os.utime(os.path.join(repo.path, "f"))
            os.utime(os.path.join(repo.path, "g"))
            subprocess.run(
                ["git", "status", "--porcelain"], check=False, cwd=repo.path, env=repo.env, capture_output=True
            )

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        lines = [edits(["f"], f"count {number}\n", f"count {number + 1}\n") for number in range(60)]
        out = run(repo, "apply", "--commit", "--stream", data=b"\n".join(lines) + b"\n")
    finally:
        ended.set()
        thread.join()
    assert [json.loads(line)["ok"] for line in out.splitlines()] == [True] * 60
    assert repo.git("rev-list", "--count", "HEAD") == b"61"
    assert repo.git("status", "--porcelain") == b""
