"""The names of the package, and `apply` with batches in every form that Python has for them."""

import contextlib
import dataclasses
import functools
import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

import gitedit
from gitedit.errors import BatchError, EditError
from gitedit.publish import steps

BATCH = {"path": "f", "edits": [{"oldText": "two", "newText": "2"}]}
MIXED = b"one\r\ntwo\nthree\rx\n"


@pytest.fixture
def here(repo, monkeypatch):
    """A repository with one commit, as this process sees it."""
    repo.commit({"f": MIXED, "g": b"two\n"})
    for name, value in repo.env.items():
        if name.startswith(("GIT", "HOME", "XDG")):
            monkeypatch.setenv(name, value)
    return repo


def test_package_has_only_its_names_when_another_is_asked_for():
    assert set(gitedit.__all__) == {"apply", "apply_edits", "open_repository", "prepare_arguments", "EditError"}
    assert all(callable(getattr(gitedit, name)) for name in gitedit.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        gitedit.nonsense  # noqa: B018


def test_package_imports_nothing_heavy_when_it_is_imported():
    code = "import sys, gitedit; gitedit.EditError; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"json", "subprocess", "typer", "gitedit.git.process"} & set(done.stdout.split())


def test_nothing_is_written_when_it_is_a_dry_run(here):
    before = here.git("count-objects", "-v")
    result = gitedit.apply(BATCH, repo=here.path, dry_run=True)
    assert (result.dry_run, result.commit, result.files[0].new) == (True, None, MIXED.replace(b"two", b"2"))
    assert here.read("f") == MIXED
    assert here.git("count-objects", "-v") == before


@pytest.mark.parametrize(
    "batch",
    [
        BATCH,
        [BATCH],
        {"files": [BATCH]},
        '{"path": "f", "edits": [{"oldText": "two", "newText": "2"}]}',
        b'{"path": "f", "edits": [{"oldText": "two", "newText": "2"}]}',
    ],
)
def test_file_is_edited_when_the_batch_has_any_of_its_forms(here, batch):
    result = gitedit.apply(batch, repo=here.path)
    assert here.read("f") == b"one\r\n2\nthree\rx\n"
    file = result.files[0]
    assert (file.path, file.added, file.removed, file.edits[0].matched_via) == ("f", 1, 1, "exact")


def test_commit_holds_exactly_the_lines_when_asked(here):
    parent = here.oid()
    files = {"files": [BATCH, {**BATCH, "path": "g"}], "message": "batch's"}
    result = gitedit.apply(files, repo=here.path, commit=True, message="Say 2", agent="A:b", session="s")
    assert (result.commit, result.parent, result.ref) == (here.oid(), parent, "refs/heads/main")
    assert here.git("log", "-1", "--format=%s") == b"Say 2"
    assert f"id={result.record_id}".encode() in here.git("log", "-1", "--format=%B")
    assert here.git("show", "--numstat", "--format=") == b"1\t1\tf\n1\t1\tg"
    assert here.git("status", "--porcelain") == b""


def in_json(value):
    """Return a value of the API under the names of the JSON form."""
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, dict):
        return {re.sub("_(.)", lambda found: found[1].upper(), name): in_json(one) for name, one in value.items()}
    return [in_json(one) for one in value] if isinstance(value, tuple) else value


def test_result_has_the_facts_of_the_json_document_when_a_batch_is_applied(here):
    batch = {"files": [BATCH, {**BATCH, "path": "g"}]}
    result = gitedit.apply(batch, repo=here.path, dry_run=True)
    command = [sys.executable, "-m", "gitedit", "apply", "--json", "--dry-run"]
    done = subprocess.run(command, check=True, capture_output=True, cwd=here.path, input=json.dumps(batch).encode())
    said = in_json(result)
    for file in said["files"]:
        for bytes_only in ("regions", "old", "new"):
            del file[bytes_only]
    assert {"ok": True, **said} == json.loads(done.stdout)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.commit = "x"


def test_path_is_bytes_when_it_holds_lone_surrogates(here):
    here.commit({"\udcff": b"two\n"})
    for batch in ({**BATCH, "path": "\udcff"}, '{"path": "\udcff", "edits": [{"oldText": "two", "newText": "2"}]}'):
        assert gitedit.apply(batch, repo=here.path, dry_run=True).files[0].path == "\udcff"


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "batch",
    [{"path": {1}}, object(), nested(100_000), "nonsense", b"\xff", 3, None, {"path": "f", "edits": math.nan}],
)
def test_batch_is_refused_when_it_is_not_json(here, batch):
    with pytest.raises(BatchError) as refusal:
        gitedit.apply(batch, repo=here.path)
    assert refusal.value.exit_status == 3


@pytest.mark.parametrize(
    ("batch", "facts", "code"),
    [
        (BATCH, {"commit": True, "stage": True}, "usage"),
        (BATCH, {"repo": "/"}, "not-a-repository"),
        ({**BATCH, "path": "missing"}, {}, "missing-file"),
        ({**BATCH, "edits": [{"oldText": "seven hundred", "newText": "4"}]}, {}, "not-found"),
        ({**BATCH, "path": "../f"}, {}, "path-outside"),
    ],
)
def test_refusal_is_an_edit_error_when_it_cannot_be_done(here, batch, facts, code):
    with pytest.raises(gitedit.EditError) as refusal:
        gitedit.apply(batch, **{"repo": here.path, **facts})
    assert refusal.value.code == code
    assert here.read("f") == MIXED


def test_open_repository_commits_on_when_the_audit_of_a_finished_commit_has_failed(here, monkeypatch):
    from gitedit.audit import exact  # noqa: PLC0415

    first = {"files": [BATCH, {"path": "g", "edits": [{"oldText": "two", "newText": "3"}]}]}
    with gitedit.open_repository(here.path) as repository, monkeypatch.context() as patched:
        # It stops with blobs still to come, which the next batch must not take for its own.
        patched.setattr(exact, "exact", lambda *_: "wrong")
        with pytest.raises(gitedit.EditError, match="does not pass its audit"):
            repository.apply(first, commit=True)
        assert here.git("show", "HEAD:g") == b"two"
        patched.undo()
        assert repository.apply(first, commit=True).commit
    assert here.git("show", "HEAD:g") == b"3"


def flip(repository, name, number):
    old, new = ("two", "2") if number % 2 == 0 else ("2", "two")
    repository.apply({"path": name, "edits": [{"oldText": old, "newText": new}]}, commit=True)


def test_open_repository_lets_one_thread_at_a_time_when_several_use_it(here):
    with gitedit.open_repository(here.path) as repository, ThreadPoolExecutor(2) as threads:
        done = [threads.submit(lambda name: [flip(repository, name, n) for n in range(6)], name) for name in "fg"]
        for one in done:
            one.result(60)
    assert here.git("rev-list", "--count", "HEAD") == b"13"
    assert here.git("status", "--porcelain") == b""
    here.git("fsck", "--strict", "--no-dangling")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_open_repository_goes_on_in_both_when_the_process_has_forked(here):
    with gitedit.open_repository(here.path) as repository:
        flip(repository, "f", 0)
        child = os.fork()
        if not child:
            status = 1
            with contextlib.suppress(BaseException):
                for number in range(5):
                    flip(repository, "g", number)
                status = 0
            os._exit(status)
        for number in range(1, 5):
            flip(repository, "f", number)
        assert os.waitpid(child, 0)[1] == 0
    assert here.git("rev-list", "--count", "HEAD") == b"11"
    assert here.git("status", "--porcelain") == b""


def test_open_repository_stores_again_what_git_has_pruned_with_its_pack(here):
    """Git's children still see the pack that they have open."""
    base = here.oid()
    with gitedit.open_repository(here.path) as repository:
        flip(repository, "f", 0)
    here.git("gc", "-q")
    here.git("reset", "-q", "--hard", base)
    with gitedit.open_repository(here.path) as repository:
        flip(repository, "f", 0)
        here.git("reset", "-q", "--hard", base)
        here.git("update-ref", "-d", "ORIG_HEAD")
        here.git("reflog", "expire", "--expire=now", "--all")
        here.git("gc", "-q", "--prune=now")
        flip(repository, "f", 0)
    here.git("fsck", "--strict", "--no-dangling")
    assert here.git("show", "HEAD:f") == MIXED.replace(b"two", b"2").strip()


@pytest.mark.parametrize("options", [{"commit": True}, {"stage": True}])
def test_open_repository_writes_where_it_is_when_it_was_moved_and_copied_back(here, options):
    with gitedit.open_repository(here.path) as repository:
        flip(repository, "g", 0)
        flip(repository, "g", 1)
        os.rename(here.path, here.path + ".old")
        shutil.copytree(here.path + ".old", here.path, symlinks=True)
        here.write("f", MIXED + b"mine\n")
        repository.apply(BATCH, **options)
    assert here.git("show", ":f") == MIXED.replace(b"two", b"2").strip()
    assert here.read("f") == MIXED.replace(b"two", b"2") + b"mine\n"
    here.git("fsck", "--strict", "--no-dangling")


def test_open_repository_commits_on_when_its_folder_was_removed(here):
    with gitedit.open_repository(here.path) as repository:
        for number in range(3):
            flip(repository, "f", number)
            shutil.rmtree(os.path.join(here.path, ".git/gitedit"))
    assert here.git("rev-list", "--count", "HEAD") == b"4"


@pytest.fixture
def named(here, monkeypatch):
    """A repository whose committer the configuration alone tells."""
    for name in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.delenv(f"GIT_{name}")
    here.git("config", "user.name", "Main")
    here.git("config", "user.email", "main@example.invalid")
    return here


def test_open_repository_commits_as_the_branch_says_when_another_was_checked_out(named):
    named.git("config", "includeIf.onbranch:side.path", "side.cfg")
    named.write(".git/side.cfg", "[user]\n\tname = Side\n")
    with gitedit.open_repository(named.path) as repository:
        flip(repository, "f", 0)
        flip(repository, "f", 1)
        named.git("checkout", "-q", "-b", "side")
        flip(repository, "f", 0)
        flip(repository, "f", 1)
    assert named.git("log", "-4", "--format=%an").split() == [b"Side", b"Side", b"Main", b"Main"]


def test_open_repository_commits_as_an_included_file_says_when_it_comes_late(named):
    named.git("config", "include.path", "late.cfg")
    with gitedit.open_repository(named.path) as repository:
        flip(repository, "f", 0)
        flip(repository, "f", 1)
        named.write(".git/late.cfg", "[user]\n\tname = Late\n")
        flip(repository, "f", 0)
    assert named.git("log", "-2", "--format=%an").split() == [b"Late", b"Main"]


def test_open_repository_goes_on_when_git_s_children_were_killed(here):
    with gitedit.open_repository(here.path) as repository:
        flip(repository, "f", 0)
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as stream:
            for pid in map(int, stream.read().split()):
                os.kill(pid, signal.SIGKILL)
                os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        # Each that is asked, and has died, costs one batch at most.
        for _ in range(4):
            with contextlib.suppress(EditError):
                repository.apply({"path": "f", "edits": [{"oldText": "2", "newText": "two"}]}, commit=True)
        flip(repository, "g", 0)
    assert here.git("status", "--porcelain") == b""


@pytest.mark.parametrize("opened", [False, True])
def test_interrupt_is_raised_after_the_commit_when_it_came_too_late_to_stop_it(here, monkeypatch, opened):
    monkeypatch.setattr(
        steps, "reached", lambda name: os.kill(os.getpid(), signal.SIGINT) if name == "refs-committed" else None
    )
    with gitedit.open_repository(here.path) as repository:
        apply = repository.apply if opened else functools.partial(gitedit.apply, repo=here.path)
        with pytest.raises(KeyboardInterrupt):
            apply(BATCH, commit=True)
    assert here.git("rev-list", "--count", "HEAD") == b"2"
    assert here.git("status", "--porcelain") == b""


def test_termination_is_not_lost_when_it_came_too_late_to_stop_a_commit(here):
    code = (
        "import os, signal, sys, time, gitedit\n"
        "from gitedit.publish import steps\n"
        "late = lambda name: os.kill(os.getpid(), signal.SIGTERM) if name == 'refs-committed' else None\n"
        "steps.reached = late\n"
        f"gitedit.apply({BATCH!r}, commit=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], check=False, env={**os.environ, "PYTHONPATH": os.getcwd()}, cwd=here.path
    )
    assert done.returncode == -signal.SIGTERM
    assert here.git("rev-list", "--count", "HEAD") == b"2"


def raise_ours(_number, _frame):
    raise RuntimeError("by a handler")


@pytest.mark.parametrize("handler", [signal.default_int_handler, raise_ours])
@pytest.mark.parametrize(
    ("at", "commits"), [("swapped", 1), ("next-index", 1), ("index-installed", None), ("refs-committed", 2)]
)
def test_batch_is_whole_or_not_there_when_a_signal_is_given_to_another_thread(here, monkeypatch, handler, at, commits):
    """What masks a signal is the thread's own; Python runs the handler in the main thread, masked or not."""
    monkeypatch.setattr(steps, "reached", lambda name: os.kill(os.getpid(), signal.SIGINT) if name == at else None)
    over = threading.Event()
    another = threading.Thread(target=over.wait)
    before = signal.signal(signal.SIGINT, handler)
    another.start()
    try:
        with (
            gitedit.open_repository(here.path) as repository,
            pytest.raises((KeyboardInterrupt, RuntimeError)),
        ):
            repository.apply(BATCH, commit=True)
    finally:
        over.set()
        another.join()
        signal.signal(signal.SIGINT, before)
    assert here.git("status", "--porcelain") == b""
    assert int(here.git("rev-list", "--count", "HEAD")) in ([1, 2] if commits is None else [commits])
    assert not os.path.exists(os.path.join(here.path, ".git", "gitedit", "journal"))
