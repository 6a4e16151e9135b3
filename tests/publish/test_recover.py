"""Recovery: killed itself, beside a child that is still alive, with a torn journal, beside a foreign lock."""

import json
import os
import signal
import subprocess
import time

import pytest

from gitedit.publish import steps

from .scene import DRIVEN, OTHER, batch

WAITING = "touch {0}/reached; while ! test -e {0}/go; do sleep 0.02; done"


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as stream:
        return [int(child) for child in stream.read().split()]


def command_line(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as stream:
        return stream.read().split(b"\0")


def wait_for(condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def start_waiting(scene, at, folder):
    """Start an apply that waits at a step; return the process and its update-ref child."""
    do = "sh:" + WAITING.format(folder)
    env = {**scene.repo.env, "AT": at, "DO": do}
    run = subprocess.Popen(
        [*DRIVEN, "apply", *scene.options],
        cwd=scene.top,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    run.stdin.write(batch())
    run.stdin.close()
    wait_for(lambda: os.path.exists(os.path.join(folder, "reached")))
    child = next((pid for pid in children_of(run.pid) if b"update-ref" in command_line(pid)), None)
    return run, child


def test_recover_says_nothing_when_nothing_was_left(scene):
    one = scene()
    assert one.recover() == (0, "", "")
    one.check_tidy()
    assert one.state() == one.before


@pytest.mark.parametrize("how", ["kill", "group"])
@pytest.mark.parametrize("at", [name for name in steps.RECOVERY_NAMES if name != "set-aside"] + ["before-exchange"])
def test_recovery_goes_on_when_it_was_killed(scene, at, how):
    one = scene()
    one.apply("index-installed", "group")
    assert one.recover(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    # Killed when all was done but said, it could not name what it kept.
    one.check_tidy(said.out if at != "journal-dropped" else str(one.kept()))
    assert one.state() == one.before


def test_recovery_goes_on_when_it_was_killed_between_exchange_and_check(scene):
    one = scene()
    one.apply("index-installed", "group")
    assert one.recover("after-exchange#2", "group").status == -9
    said = one.recover()
    one.check_tidy(said.out)
    assert one.state() == one.before


def test_recover_says_nothing_when_it_is_called_again(scene):
    one = scene()
    one.apply("index-installed", "group")
    first = one.recover()
    assert "f, sub/g" in first.out
    assert one.recover().out == ""


def test_recover_keeps_and_names_the_edited_content_when_it_takes_it_back(scene):
    one = scene()
    one.apply("swapped", "group")
    said = one.recover().out
    (path,) = one.kept()
    assert path in said
    assert b"LINE 3\nnew\n" in one.read(path)


@pytest.mark.parametrize("at", ["journal", "swapped", "index-installed", "refs-committed"])
def test_next_apply_settles_it_when_a_run_was_killed(scene, at):
    one = scene()
    one.apply(at, "group")
    said = one.apply()
    assert said.status == (4 if at == "refs-committed" else 0), said
    one.check_tidy(said.out + said.err)
    assert one.state() == one.after


@pytest.mark.parametrize("kind", ["commit", "detached", "linked"])
def test_ref_locks_go_when_update_ref_was_killed_too(scene, kind):
    one = scene(kind)
    one.apply("refs-prepared", "everyone")
    said = one.recover()
    one.check_tidy(said.out)
    assert one.state() == one.before
    assert one.apply().status == 0


def test_recover_waits_for_update_ref_when_it_outlives_its_run(scene, tmp_path):
    """The child was told to commit and stands still: it must not be taken for dead."""
    one = scene()
    run, child = start_waiting(one, "index-installed", str(tmp_path))
    os.kill(child, signal.SIGSTOP)
    (tmp_path / "go").touch()
    time.sleep(0.3)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    recovery = subprocess.Popen(
        [*DRIVEN[:1], "-m", "gitedit", "recover"], cwd=one.top, env=one.repo.env, stdout=subprocess.PIPE
    )
    time.sleep(0.5)
    assert recovery.poll() is None
    os.kill(child, signal.SIGCONT)
    out, _ = recovery.communicate(timeout=20)
    assert recovery.returncode == 0
    one.check_tidy(out.decode())
    assert one.state() == one.after


def test_recover_is_refused_as_locked_when_update_ref_never_ends(scene, tmp_path):
    one = scene()
    run, child = start_waiting(one, "refs-prepared", str(tmp_path))
    os.kill(child, signal.SIGSTOP)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    try:
        assert one.recover().status == 6
    finally:
        os.kill(child, signal.SIGCONT)
    one.check_tidy(one.recover().out)
    assert one.state() == one.before


@pytest.mark.parametrize("damage", [b"", b"{}", b"\xff\0garbage\n", None])
def test_journal_is_set_aside_and_everything_kept_when_it_cannot_be_read(scene, damage):
    one = scene()
    one.apply("index-installed", "group")
    path = os.path.join(one.private, "journal")
    with open(path, "rb") as stream:
        whole = stream.read()
    with open(path, "wb") as stream:
        stream.write(whole[: len(whole) // 2] if damage is None else damage)
    edited = one.read("f")
    said = one.recover()
    assert said.status == 0
    one.check_tidy(said.out)
    assert one.read("f") == edited
    kept = [one.read(path) for path in one.kept()]
    assert one.before[0]["f"][1] in kept
    assert one.before[0]["sub/g"][1] in kept


def test_journal_is_set_aside_when_the_copy_that_is_needed_is_not_what_was_written(scene):
    one = scene()
    one.apply("index-installed", "group")
    for folder in (one.top, os.path.join(one.top, "sub")):
        for name in os.listdir(folder):
            if name.startswith(".gitedit-"):
                os.unlink(os.path.join(folder, name))
    path = os.path.join(one.private, "journal")
    with open(path, "rb") as stream:
        head, proof, contents = stream.read().split(b"\n", 2)
    damaged = contents.replace(b"line 2\n", b"LINE 2\n")
    assert damaged != contents
    with open(path, "wb") as stream:
        stream.write(b"\n".join([head, proof, damaged]))
    edited = one.read("f")
    said = one.recover()
    assert said.status == 0, said
    one.check_tidy(said.out)
    assert one.read("f") == edited
    assert any(damaged in one.read(path) for path in one.kept())
    assert one.recover() == (0, "", "")


@pytest.mark.parametrize("at", ["draft", "temporaries"])
def test_temporary_files_are_kept_and_named_when_the_draft_is_empty_after_a_power_loss(scene, at):
    one = scene()
    one.apply(at, "group")
    with open(os.path.join(one.private, "draft"), "wb"):
        pass
    said = one.recover()
    assert said.status == 0, said
    one.check_tidy(said.out)
    assert len(one.kept()) == (2 if at == "temporaries" else 0)
    assert one.state() == one.before


def test_foreign_index_lock_stays_when_a_killed_run_is_recovered(scene):
    one = scene()
    one.apply("swapped", "group")
    lock = os.path.join(one.git_dir, "index.lock")
    os.unlink(lock)
    with open(lock, "wb") as stream:
        stream.write(b"somebody's next index")
    refused = one.recover()
    assert refused.status == 6
    with open(lock, "rb") as stream:
        assert stream.read() == b"somebody's next index"
    os.unlink(lock)
    one.check_tidy(one.recover().out)
    assert one.state() == one.before


def test_foreign_index_lock_stays_when_a_plain_edit_is_recovered(scene):
    one = scene("plain")
    one.apply("swapped", "group")
    lock = os.path.join(one.git_dir, "index.lock")
    with open(lock, "wb"):
        pass
    assert one.recover().status == 0
    assert os.path.exists(lock)
    os.unlink(lock)
    assert one.state() == one.before


def test_foreign_ref_lock_stays_when_a_killed_run_is_recovered(scene):
    one = scene()
    one.apply("index-installed", "everyone")
    lock = os.path.join(one.git_dir, "refs/heads/main.lock")
    with open(lock, "wb") as stream:
        stream.write(b"0123456789abcdef0123456789abcdef01234567\n")
    one.recover()
    assert os.path.exists(lock)


def test_unborn_branch_gets_its_files_back_when_a_plain_edit_was_killed(make_repo):
    from .scene import Scene, text  # noqa: PLC0415

    repo = make_repo("unborn/work")
    for name in ("f", "sub/g"):
        repo.write(name, text())
    one = Scene.__new__(Scene)
    one.repo, one.options, one.top = repo, (), repo.path
    assert one.apply("swapped", "group").status == -9
    said = one.recover()
    assert said.status == 0, said
    assert (repo.read("f"), repo.read("sub/g")) == (text().encode(), text().encode())
    assert sorted(os.listdir(repo.path)) == [".git", "f", "sub"]


def test_needs_recovery_is_not_said_when_nothing_of_the_killed_run_is_to_be_seen(scene):
    one = scene()
    one.apply("temporaries", "group")
    one.git("commit", "-q", "-m", "by hand")
    said = one.run("apply", "--commit", "--json", data=json.dumps(OTHER).encode())
    assert (said.status, json.loads(said.out)["warnings"]) == (0, [])
