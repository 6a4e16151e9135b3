"""Git's lock on the index: ours by its content, nobody else's touched."""

import errno
import os
import threading

import pytest

from gitedit.errors import ConflictError, OperationError
from gitedit.git import indexlock
from gitedit.git.indexlock import IndexLock

TOKEN = "0123456789abcdef" * 2


@pytest.fixture
def index(repo):
    repo.commit({"f": "1\n"})
    return os.path.join(repo.path, ".git", "index")


def lock_on(index, tmp_path, token=TOKEN):
    path = tmp_path / f"token.{token}"
    path.write_text(token)
    return IndexLock(index, str(path), token)


@pytest.fixture(params=["links", "no links"])
def system(request, monkeypatch):
    if request.param == "no links":

        def no_links(*_arguments, **_options):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", no_links)


@pytest.mark.usefixtures("system")
def test_git_cannot_add_when_the_lock_is_held(repo, index, tmp_path):
    lock = lock_on(index, tmp_path)
    lock.acquire()
    assert lock.held()
    repo.write("f", "2\n")
    assert repo.git("add", "f", check=False) == 128
    lock.release()
    assert repo.git("add", "f") == b""


@pytest.mark.usefixtures("system")
def test_lock_is_refused_when_another_run_has_it(index, tmp_path, monkeypatch):
    monkeypatch.setattr(indexlock, "_SECONDS", 0.1)
    lock_on(index, tmp_path, "f" * 32).acquire()
    mine = lock_on(index, tmp_path)
    with pytest.raises(ConflictError) as caught:
        mine.acquire()
    assert caught.value.code == "locked"
    mine.release()
    assert os.path.exists(index + ".lock")


def test_lock_is_taken_when_it_gets_free_in_time(index, tmp_path):
    with open(index + ".lock", "wb"):
        pass
    timer = threading.Timer(0.2, os.unlink, [index + ".lock"])
    timer.start()
    lock = lock_on(index, tmp_path)
    lock.acquire()
    timer.join()
    assert lock.held()


def test_foreign_lock_stays_when_ours_is_released(index, tmp_path):
    lock = lock_on(index, tmp_path)
    lock.acquire()
    os.unlink(lock.path)
    with open(lock.path, "wb") as stream:
        stream.write(b"DIRC")
    lock.release()
    with open(lock.path, "rb") as stream:
        assert stream.read() == b"DIRC"


def test_index_is_not_installed_when_the_lock_was_taken_away(index, tmp_path):
    lock = lock_on(index, tmp_path)
    lock.acquire()
    os.unlink(lock.path)
    (tmp_path / "next").write_bytes(b"next")
    with pytest.raises(OperationError):
        lock.install(str(tmp_path / "next"))
    assert (tmp_path / "next").exists()


def test_release_does_nothing_when_it_was_never_taken(index, tmp_path):
    lock_on(index, tmp_path).release()
    assert not os.path.exists(index + ".lock")
