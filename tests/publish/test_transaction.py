"""Signals, a full disk and missing permissions at each step: all is as it was at once, or all is done."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from gitedit.publish import steps

from . import scene as scenes

STEPS = [name for name in steps.NAMES if name not in {"hooks-run", "journal-commit"}]
LATE = {"index-installed", "refs-committed", "index-unlocked", "journal-dropped"}
"""Steps at which a signal only waits."""
SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
ROTATED = [(at, *SIGNALS[number % 3]) for number, at in enumerate([*STEPS, "swapped#2", "after-exchange"])]


def settled(one, said, after):
    one.check_tidy(said.out + said.err)
    assert one.state() == (one.after if after else one.before)


@pytest.mark.parametrize(("at", "number", "status"), ROTATED)
def test_all_is_as_it_was_or_done_when_a_signal_comes(scene, at, number, status):
    one = scene()
    said = one.apply(at, f"signal:{int(number)}")
    assert said.status == (0 if at in LATE else status), said
    settled(one, said, at in LATE)


@pytest.mark.parametrize("at", ["temporaries", "swapped", "hooks-run", "journal-commit", "next-index"])
def test_all_is_as_it_was_when_a_signal_comes_with_hooks(scene, at):
    one = scene("hook")
    said = one.apply(at, f"signal:{int(signal.SIGTERM)}")
    assert said.status == 143, said
    settled(one, said, after=False)


@pytest.mark.parametrize("end", ["kill -TERM $PPID", "kill -INT $PPID"])
def test_found_bytes_are_kept_and_named_when_a_signal_comes_after_a_hook_wrote(scene, end):
    one = scene("hook")
    said = one.apply("hooks-run", f"sh:printf found >f; {end}; sleep 0.1")
    assert said.status in {130, 143}, said
    settled(one, said, after=False)
    assert [one.read(path) for path in one.kept()] == [b"found"]


@pytest.mark.parametrize("kind", ["stage", "plain"])
def test_all_is_as_it_was_when_a_signal_comes_without_a_commit(scene, kind):
    one = scene(kind)
    said = one.apply("swapped", f"signal:{int(signal.SIGINT)}", JSON="1")
    assert said.status == 130, said
    settled(one, said, after=False)


@pytest.mark.parametrize("at", ["draft", "swapped", "next-index", "index-installed"])
def test_all_is_as_it_was_or_done_when_control_c_is_pressed(scene, at):
    """The terminal sends it to git's children, too."""
    one = scene()
    said = one.apply(at, f"signal-group:{int(signal.SIGINT)}")
    assert said.status == (0 if at in LATE else 130), said
    settled(one, said, at in LATE)


def test_taking_back_is_not_interrupted_when_control_c_is_pressed_again(scene):
    one = scene()
    twice = "kill -INT $PPID; kill -INT $PPID; kill -TERM $PPID; sleep 0.1; kill -INT $PPID"
    said = one.apply("swapped#2", f"sh:{twice}")
    assert said.status in {130, 143}, said
    settled(one, said, after=False)


def test_interrupted_is_the_code_when_a_signal_comes(scene):
    one = scene()
    one.options = ("--commit", "--json")
    said = one.apply("refs-prepared", f"signal:{int(signal.SIGTERM)}")
    assert json.loads(said.out)["error"]["code"] == "interrupted"


@pytest.mark.parametrize("at", STEPS)
def test_all_is_as_it_was_or_done_when_no_file_can_grow_any_more(scene, at):
    """RLIMIT_FSIZE: our own writes fail with EFBIG, git's children die of SIGXFSZ."""
    one = scene()
    said = one.apply(at, "full")
    # Once the journal began, we write no file ourselves, and the children that do run with the limit they began with.
    begun = {"journal", "index-locked", "refs-prepared", "swapped", "next-index"}
    assert said.status == (0 if at in {*LATE, *begun} else 74), said
    assert said.err.count("error:") == (said.status != 0)
    settled(one, said, said.status == 0)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("mounting a small tmpfs needs privileges")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("kind", ["commit", "hook"])
@pytest.mark.parametrize("at", ["draft", "journal", "temporaries", "swapped", "refs-prepared", "next-index"])
def test_all_is_as_it_was_or_done_when_the_disk_is_full(templates, small_disk, kind, at):
    one = scenes.copy(templates(kind), str(small_disk / "a"))
    filler = small_disk / "filler"
    said = one.apply(at, f"sh:cat /dev/zero >{filler} 2>/dev/null")
    left = shutil.disk_usage(small_disk).free
    filler.unlink()
    assert left < 4096 * 16
    assert said.status in {0, 74}, said
    settled(one, said, said.status == 0)


def test_nothing_is_begun_when_the_disk_is_full_from_the_start(templates, small_disk):
    one = scenes.copy(templates("commit"), str(small_disk / "a"))
    filler = small_disk / "filler"
    subprocess.run(["sh", "-c", f"cat /dev/zero >{filler}"], check=False, capture_output=True)
    said = one.apply()
    filler.unlink()
    assert said.status == 74, said
    settled(one, said, after=False)


UNPRIVILEGED = 65534
AS_NOBODY = ["setpriv", f"--reuid={UNPRIVILEGED}", f"--regid={UNPRIVILEGED}", "--clear-groups", "--"]


def give_away(root):
    """Make everything below `root` somebody else's, and `root` reachable for them."""
    subprocess.run(["chown", "-R", f"{UNPRIVILEGED}:{UNPRIVILEGED}", root], check=True)
    folder = root
    while folder != "/":
        if os.stat(folder).st_uid == 0:
            readable = os.stat(folder).st_mode | 0o055
            os.chmod(folder, readable)
        folder = os.path.dirname(folder)


@pytest.fixture
def forbidden(scene):
    """Return a function that runs the batch as somebody who may not write below a path of the scene."""
    if os.getuid() == 0:
        probe = [*AS_NOBODY, sys.executable, "-c", "import gitedit"]
        if subprocess.run(probe, check=False, capture_output=True, cwd="/").returncode:
            pytest.skip("another user cannot run this installation")

    def run(*paths, kind="commit"):
        one = scene(kind)
        root = os.path.dirname(one.repo.path)
        if os.getuid() == 0:
            give_away(root)
        full = [os.path.join(one.top, path) for path in paths]
        modes = [os.stat(path).st_mode & 0o777 for path in full]
        for path, mode in zip(full, modes, strict=True):
            os.chmod(path, mode & 0o555)
        program = [*(AS_NOBODY if os.getuid() == 0 else []), *scenes.PLAIN]
        said = one.run("apply", *one.options, program=program)
        for path, mode in zip(full, modes, strict=True):
            os.chmod(path, mode)
        if os.getuid() == 0:
            subprocess.run(["chown", "-R", "0:0", root], check=True)
        return one, said

    return run


@pytest.mark.parametrize(("at", "name"), [("temporaries", "draft"), ("swapped", "journal")])
def test_recovery_is_left_to_the_other_user_when_only_they_may_read_the_journal(scene, at, name):
    one = scene()
    assert one.apply(at, "group").status == -9
    path, root = os.path.join(one.private, name), os.path.dirname(one.repo.path)
    before = one.state()
    os.chmod(path, 0o600)
    if os.getuid() == 0:
        give_away(root)
        os.chown(path, 0, 0)
    else:
        os.chmod(path, 0)
    program = [*(AS_NOBODY if os.getuid() == 0 else []), *scenes.PLAIN]
    said = one.run("apply", *one.options, program=program)
    if os.getuid() == 0:
        subprocess.run(["chown", "-R", "0:0", root], check=True)
    os.chmod(path, 0o600)
    assert said.status == 5, said
    assert f"run of another user was killed, and only they may read what it left: {path}" in said.err
    assert one.state() == before
    assert one.recover().status == 0
    assert one.state() == one.before


@pytest.mark.parametrize(
    "path",
    [".", "sub", ".git", ".git/objects", ".git/refs/heads"],
)
def test_all_is_as_it_was_when_a_folder_cannot_be_written(forbidden, path):
    one, said = forbidden(path)
    assert said.status == 74, said
    assert said.err.startswith("error: ")
    settled(one, said, after=False)


def test_all_is_done_when_only_the_file_itself_is_read_only(forbidden):
    one, said = forbidden("f")
    assert said.status == 0, said
    assert one.read("f") == one.after[0]["f"][1]


def test_all_is_done_when_everything_can_be_written(forbidden):
    one, said = forbidden()
    assert said.status == 0, said
    settled(one, said, after=True)
