"""Ctrl-C and SIGTERM while a hook runs: the hook ends, all of it, and then everything is as before."""

import json
import os
import signal
import subprocess
import time

import pytest

from tests.cli.command import WHOLE

from .applying import BATCH, LINES, hook, picture

# Both shells of a hook wait for a child; bash would go on with its script after a child that outlives a SIGINT.
SCRIPT = """
trap 'echo cleaned >../cleaned' EXIT
: >../started
sleep 20
sed -i s/six/SIX/ f
"""
# As the pre-commit framework does: it puts work aside, and brings it back on Ctrl-C.
CAREFUL = """
import os, time
found = open("other").read()
open("other", "w").write("put aside")
open("../started", "w").close()
try:
    time.sleep(20)
    open("f", "w").write("late")
except KeyboardInterrupt:
    time.sleep(0.3)
    open("other", "w").write(found)
"""


@pytest.fixture
def work(repo):
    repo.commit({"f": LINES, "other": b"other\n"})
    repo.write("f", LINES + b"unstaged\n")
    repo.write("other", b"unstaged\n")
    return repo


def interrupted(repo, number, *, group):
    """Start a run, send the signal once the hook has started; return exit status, output and the seconds it took."""
    child = subprocess.Popen(
        [*WHOLE, "apply", "--commit", "--json"],
        cwd=repo.path,
        env=repo.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    child.stdin.write(json.dumps(BATCH).encode())
    child.stdin.close()
    child.stdin = None
    deadline = time.monotonic() + 20
    while not os.path.exists(os.path.join(repo.path, "../started")):
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.02)
    sent = time.monotonic()
    (os.killpg if group else os.kill)(child.pid, number)
    child.wait(timeout=30)
    out = child.stdout.read()
    child.stdout.close()
    return child.returncode, json.loads(out), time.monotonic() - sent


@pytest.mark.parametrize("group", [False, True], ids=["process", "group"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("interpreter", ["/bin/sh", "/bin/bash"])
def test_everything_is_as_before_when_a_shell_hook_is_interrupted(work, interpreter, number, group):
    hook(work, "pre-commit", SCRIPT, interpreter=interpreter)
    before = picture(work)
    status, document, seconds = interrupted(work, number, group=group)
    assert (status, document["error"]["code"]) == (128 + number, "interrupted")
    assert picture(work) == before
    assert seconds < 10
    # Nothing of the hook is left that could still write.
    done = subprocess.run(["pgrep", "-f", work.path], check=False, capture_output=True)
    assert done.stdout == b""


def test_daemon_of_a_hook_stays_when_the_run_is_interrupted(work):
    hook(work, "pre-commit", "setsid sleep 60 & echo $! >../daemon; : >../started; sleep 20")
    assert interrupted(work, signal.SIGTERM, group=False)[0] == 143
    daemon = int(work.read("../daemon"))
    os.kill(daemon, 0)
    os.kill(daemon, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_hook_brings_back_what_it_put_aside_when_the_process_alone_is_interrupted(work, number):
    hook(work, "pre-commit", CAREFUL, interpreter=f"/usr/bin/env {os.path.basename(WHOLE[0])}")
    before = picture(work)
    assert interrupted(work, number, group=False)[0] == 128 + number
    assert picture(work) == before
