"""`gitedit apply --stream` as a program feeds it."""

import json
import os
import signal
import subprocess

import pytest

from .command import WHOLE, run

LINES = "".join(f"line {n}\n" for n in range(20))


@pytest.fixture
def work(repo):
    repo.commit({"a.txt": LINES, "b.txt": LINES})
    return repo


def edit(number, path="a.txt", new=None):
    return {"path": path, "edits": [{"oldText": f"line {number}\n", "newText": new or f"LINE {number}\n"}]}


def stream(repo, *batches, options=("--commit",), **variables):
    data = b"".join((batch if isinstance(batch, bytes) else json.dumps(batch).encode()) + b"\n" for batch in batches)
    said = run(repo.env, "apply", "--stream", *options, data=data, cwd=repo.path, **variables)
    return said.status, [json.loads(line) for line in said.out.splitlines()], said.err


def started(repo, *options):
    return subprocess.Popen(
        [*WHOLE, "apply", "--stream", "--commit", *options],
        cwd=repo.path,
        env=repo.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def send(child, batch):
    child.stdin.write(json.dumps(batch).encode() + b"\n")
    child.stdin.flush()


def test_nothing_happens_when_the_input_is_empty(work):
    assert stream(work) == (0, [], "")
    assert work.git("rev-list", "--count", "HEAD") == b"1"


def test_each_line_becomes_a_commit_when_all_apply(work):
    status, documents, said = stream(work, edit(1), b"  ", edit(2, "b.txt"), edit(3))
    assert (status, said) == (0, "")
    commits = [document["commit"] for document in documents]
    assert work.git("rev-list", "--reverse", "HEAD~3..HEAD").decode().split() == commits
    assert work.git("status", "--porcelain") == b""
    assert work.git("diff-files", "--quiet", check=False) == 0


def test_stream_goes_on_and_keeps_the_highest_code_when_a_batch_is_refused(work):
    status, documents, _ = stream(work, edit(1), b"nonsense", edit(99), edit(2), {})
    assert status == 4
    assert [document["ok"] for document in documents] == [True, False, False, True, False]
    assert work.git("rev-list", "--count", "HEAD") == b"3"


def test_stream_ends_when_a_repository_refuses(work):
    status, documents, _ = stream(work, edit(1), edit(1, "untracked.txt"), edit(2))
    assert (status, len(documents)) == (5, 2)


def test_result_appears_when_the_next_batch_is_not_sent_yet(work):
    child = started(work)
    for number in (1, 2, 3):
        send(child, edit(number))
        assert json.loads(child.stdout.readline())["commit"] == work.oid()
    child.communicate(timeout=20)
    assert child.returncode == 0


def test_commit_of_somebody_else_is_the_parent_when_it_came_between(work):
    child = started(work)
    send(child, edit(1))
    child.stdout.readline()
    theirs = work.commit({"b.txt": LINES + "theirs\n"})
    send(child, edit(2))
    assert json.loads(child.stdout.readline())["parent"] == theirs
    child.communicate(timeout=20)
    assert work.git("status", "--porcelain") == b""


def test_attributes_hold_when_they_changed_between(work):
    child = started(work)
    send(child, edit(1))
    child.stdout.readline()
    work.write(".gitattributes", "a.txt filter=x\n")
    send(child, edit(2))
    assert json.loads(child.stdout.readline())["error"]["code"] == "filtered"
    child.communicate(timeout=20)


def interrupted_in_hook(work, interrupt):
    """Interrupt a run while its pre-commit hook sleeps; return exit status, documents and standard error."""
    hook = work.write(".git/hooks/pre-commit", "#!/bin/sh\ntouch running; sleep 1\n")
    os.chmod(hook, 0o700)
    child = started(work)
    send(child, edit(1))
    while not os.path.exists(os.path.join(work.path, "running")):
        assert child.poll() is None
    interrupt(child.pid, signal.SIGINT)
    out, err = child.communicate(timeout=20)
    return child.returncode, [json.loads(line) for line in out.splitlines()], err


def test_batch_under_way_is_finished_and_told_when_interrupted(work):
    status, documents, said = interrupted_in_hook(work, os.kill)
    assert (status, documents[0]["commit"]) == (130, work.oid())
    assert said == b"1 applied, 0 refused\n"


def test_batch_under_way_is_taken_back_and_told_when_its_hook_is_interrupted(work):
    # Ctrl-C at a terminal reaches the hook as well, and sh unblocks what we block.
    status, documents, said = interrupted_in_hook(work, os.killpg)
    assert (status, documents[0]["error"]["code"]) == (130, "hook-rejected")
    assert work.read("a.txt") == LINES.encode()
    assert said == b"0 applied, 1 refused\n"


def test_stream_ends_when_interrupted_while_it_waits(work):
    child = started(work)
    send(child, edit(1))
    child.stdout.readline()
    os.killpg(child.pid, signal.SIGINT)
    child.communicate(timeout=20)
    assert child.returncode == 130
    assert work.git("status", "--porcelain") == b""


def test_dry_run_writes_nothing_when_streamed(work):
    status, documents, _ = stream(work, edit(1), edit(1), options=("--commit", "--dry-run"))
    assert (status, [document["commit"] for document in documents]) == (0, [None, None])
    assert work.git("status", "--porcelain") == b""


def test_configuration_holds_when_it_changed_between(work):
    child = started(work)
    send(child, edit(1))
    assert json.loads(child.stdout.readline())["mode"] == "strict"
    work.git("config", "gitedit.mode", "anchored")
    send(child, edit(2))
    assert json.loads(child.stdout.readline())["mode"] == "anchored"
    child.communicate(timeout=20)


def test_identity_holds_when_it_changed_between(work):
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        del work.env[name]
    work.git("config", "user.name", "First")
    work.git("config", "user.email", "f@example.invalid")
    child = started(work)
    for number, name in enumerate(("First", "First", "Second", "Second")):
        work.git("config", "user.name", name)
        send(child, edit(number))
        assert json.loads(child.stdout.readline())["commit"]
    child.communicate(timeout=20)
    assert child.returncode == 0
    assert work.git("log", "-4", "--format=%an %cn") == b"Second Second\nSecond Second\nFirst First\nFirst First"


def test_commit_is_signed_when_it_is_asked_for_between(work, tmp_path):
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    work.git("config", "gpg.format", "ssh")
    work.git("config", "user.signingKey", str(key))
    child = started(work)
    for number, value in enumerate(("false", "false", "true", "true", "false")):
        work.git("config", "commit.gpgSign", value)
        send(child, edit(number))
        assert json.loads(child.stdout.readline())["commit"]
    child.communicate(timeout=20)
    assert child.returncode == 0
    bodies = [work.git("cat-file", "commit", f"HEAD~{back}").partition(b"\n\n")[0] for back in range(5)]
    assert [b"\ngpgsig" in headers for headers in bodies] == [False, True, True, False, False]
