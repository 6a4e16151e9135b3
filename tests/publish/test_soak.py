"""Random kills and racing processes; the long forms are not part of the default suite (`-m soak -s` prints counts)."""

import collections
import json
import os
import random
import signal
import subprocess
import threading
import time

import pytest

from gitedit.publish import steps

from .scene import DRIVEN, PLAIN, batch

ROUNDS = pytest.mark.parametrize("rounds", [8, pytest.param(200, marks=pytest.mark.soak)])
RACES = pytest.mark.parametrize("rounds", [15, pytest.param(500, marks=pytest.mark.soak)])
KINDS = ["commit", "split", "hook", "detached", "linked", "stage", "plain"]


def killed_at_random(one, chance, whole_group):
    """Start the batch and kill it a random while after it began, or after a random step; return whether it was killed.

    Most of a run is starting and computing, so every second kill waits for a step.
    """
    at, reached = chance.choice(steps.NAMES), f"{one.top}/../reached"
    run = subprocess.Popen(
        [*DRIVEN, "apply", *one.options],
        cwd=one.top,
        env={**one.repo.env, "AT": at, "DO": f"touch:{reached}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    run.stdin.write(batch())
    run.stdin.close()
    if chance.random() < 0.5:
        time.sleep(chance.random() * 0.6)
    else:
        while not os.path.exists(reached) and run.poll() is None:
            time.sleep(0.0005)
        time.sleep(chance.random() * 0.02)
    if run.poll() is None:
        (os.killpg if whole_group else os.kill)(run.pid, signal.SIGKILL)
    return run.wait() == -signal.SIGKILL


@ROUNDS
def test_nothing_is_in_between_when_runs_are_killed_at_random(scene, rounds):
    chance = random.Random(rounds)  # noqa: S311
    counts = collections.Counter()
    kills = 0
    while kills < rounds:
        kind = KINDS[kills // 2 % len(KINDS)]
        one = scene(kind)
        whole_group = kills % 2 == 0
        if not killed_at_random(one, chance, whole_group):
            counts["not counted, ended before"] += 1
            continue
        kills += 1
        said = one.recover()
        assert said.status == 0, said
        one.check_tidy(said.out)
        state = one.state()
        assert state in (one.before, one.after), (kind, said)
        counts["the group" if whole_group else "the process alone"] += 1
        counts["all old" if state == one.before else "all new"] += 1
        counts["had something to recover"] += bool(said.out)
    print(f"\n{rounds} kills: {dict(counts)}; in between: 0")  # noqa: T201
    assert sum(counts[name] for name in ("all old", "all new")) == rounds


def one_edit(repo, path, old, new, retries):
    """Commit one edit, again while the answer is that somebody was quicker."""
    data = json.dumps({"path": path, "edits": [{"oldText": old, "newText": new}]}).encode()
    while True:
        done = subprocess.run(
            [*PLAIN, "apply", "--commit", "--json"],
            check=False,
            cwd=repo.path,
            env=repo.env,
            input=data,
            capture_output=True,
        )
        if done.returncode != 6:
            assert done.returncode == 0, done
            return
        retries.append(json.loads(done.stdout)["error"]["code"])


@RACES
def test_no_edit_is_lost_when_two_processes_race(repo, rounds):
    retries = []
    for number in range(rounds):
        path = "f" if number % 2 else "g"
        repo.commit({"f": f"a {number}\nx\nx\nx\nb {number}\n", "g": f"b {number}\n"})
        pair = [("f", "a"), (path, "b")]
        base = repo.oid()
        threads = [
            threading.Thread(target=one_edit, args=(repo, where, f"{who} {number}\n", f"{who} {number + 1}\n", retries))
            for where, who in pair
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        log = repo.git("log", "--format=", "--raw", "-p", "-U0", f"{base}..HEAD").decode()
        changed = sorted(
            line for line in log.splitlines() if line.startswith(("+", "-")) and line[:3] not in {"+++", "---"}
        )
        expected = sorted(
            f"{sign}{who} {value}" for _, who in pair for sign, value in zip("-+", (number, number + 1), strict=True)
        )
        assert changed == expected
        assert repo.git("rev-list", "--count", f"{base}..HEAD") == b"2"
        for commit in repo.git("rev-list", f"{base}..HEAD").decode().split():
            figures = repo.git("diff-tree", "-r", "--numstat", "--no-commit-id", commit)
            assert figures.startswith(b"1\t1\t"), figures
            assert b"\n" not in figures
        assert repo.git("status", "--porcelain") == b""
    found = collections.Counter(retries)
    print(f"\n{rounds} rounds of two: {2 * rounds} commits, lost: 0, mixed: 0, retries: {dict(found)}")  # noqa: T201
    assert repo.git("fsck", "--strict", "--no-dangling") == b""
