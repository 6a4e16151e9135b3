"""Exchanging a file: what somebody saves, whenever, is at its name afterwards, or in our hands."""

import errno
import functools
import os

import pytest

from gitedit.errors import ConflictError, RepositoryError
from gitedit.git import worktree

OLD, NEW, THEIRS = b"old\n", b"new\n", b"theirs\n"


@pytest.fixture
def place(tmp_path):
    """A file with OLD, and NEW beside it; returns (target, other, the file as it was read)."""
    target, other = str(tmp_path / "f"), str(tmp_path / "other")
    save(target, OLD)
    save(other, NEW)
    return target, other, worktree.read(str(tmp_path), "f")


@pytest.fixture(params=["exchange", "links", "nothing"])
def system(request, monkeypatch):
    """What the file system can do."""
    if request.param != "exchange":
        monkeypatch.setattr(worktree, "exchanger", lambda: None)
    if request.param == "nothing":

        def no_links(*_arguments, **_options):
            raise OSError(errno.EPERM, "no links here")

        monkeypatch.setattr(os, "link", no_links)
    return request.param


def save(path, content):
    with open(path, "wb") as stream:
        stream.write(content)


def save_by_rename(path, content):
    save(path + "~", content)
    os.rename(path + "~", path)


def load(path):
    with open(path, "rb") as stream:
        return stream.read()


def exchange(place):
    target, other, before = place
    return worktree.exchange(target, other, functools.partial(worktree.holds, file=before))


def between(monkeypatch, *actions):
    """Have each action happen just before an exchange of names, the first before the first."""
    plain = worktree._exchange
    waiting = list(actions)

    def wrapped(one, two):
        if waiting:
            waiting.pop(0)()
        return plain(one, two)

    monkeypatch.setattr(worktree, "_exchange", wrapped)


def test_exchange_puts_the_other_file_in_place_when_nobody_wrote(place, system):
    target, other, _ = place
    assert exchange(place)
    assert load(target) == NEW
    if system == "nothing":
        assert not os.path.exists(other)
    else:
        assert load(other) == OLD
    assert sorted(os.listdir(os.path.dirname(target))) in (["f"], ["f", "other"])


def test_exchange_keeps_the_inode_of_the_old_file_when_it_is_done(place):
    target, other, before = place
    assert exchange(place)
    assert os.stat(other).st_ino == before.inode
    assert os.stat(target).st_nlink == 1


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("how", [save, save_by_rename])
def test_exchange_is_refused_when_somebody_wrote_before(place, how):
    target, other, _ = place
    how(target, THEIRS)
    assert not exchange(place)
    assert (load(target), load(other)) == (THEIRS, NEW)
    assert sorted(os.listdir(os.path.dirname(target))) == ["f", "other"]


@pytest.mark.usefixtures("system")
def test_exchange_is_refused_when_the_same_bytes_were_saved_as_a_new_file(place):
    target, other, _ = place
    save_by_rename(target, OLD)
    assert not exchange(place)
    assert (load(target), load(other)) == (OLD, NEW)


@pytest.mark.usefixtures("system")
def test_exchange_is_refused_when_the_file_is_gone(place):
    target, other, _ = place
    os.unlink(target)
    assert not exchange(place)
    assert not os.path.exists(target)
    assert load(other) == NEW


@pytest.mark.parametrize("how", [save, save_by_rename])
def test_save_stays_when_it_slips_in_after_the_last_look(place, monkeypatch, how):
    target, other, _ = place
    between(monkeypatch, lambda: how(target, THEIRS))
    assert not exchange(place)
    assert (load(target), load(other)) == (THEIRS, NEW)


def test_newer_save_stays_when_two_slip_in(place, monkeypatch):
    target, other, _ = place
    between(monkeypatch, lambda: save_by_rename(target, THEIRS), lambda: save_by_rename(target, b"newer\n"))
    assert not exchange(place)
    assert load(target) == b"newer\n"
    assert load(other) == THEIRS


def test_newest_save_stays_when_many_slip_in(place, monkeypatch):
    target, _, _ = place
    saves = [functools.partial(save_by_rename, target, f"{number}\n".encode()) for number in range(7)]
    between(monkeypatch, *saves)
    assert not exchange(place)
    assert load(target) == b"6\n"


def test_save_is_in_our_hands_when_it_slips_in_and_is_deleted(place, monkeypatch):
    target, other, _ = place
    between(monkeypatch, lambda: save_by_rename(target, THEIRS), lambda: os.unlink(target))
    assert not exchange(place)
    assert load(other) == THEIRS


def test_temporary_has_permissions_and_attributes_when_it_is_written(tmp_path):
    save(tmp_path / "f", OLD)
    os.chmod(tmp_path / "f", 0o741)
    try:
        os.setxattr(tmp_path / "f", "user.colour", b"blue")
    except OSError:
        pytest.skip("no extended attributes here")
    before = worktree.read(str(tmp_path), "f")
    worktree.write_temporary(str(tmp_path / "f"), str(tmp_path / "t"), NEW, before, durable=True)
    assert os.stat(tmp_path / "t").st_mode & 0o7777 == 0o741
    assert os.getxattr(tmp_path / "t", "user.colour") == b"blue"
    assert sorted(os.listdir(tmp_path)) == ["f", "t"]


def test_error_names_the_file_when_its_temporary_cannot_be_written(tmp_path):
    save(tmp_path / "f", OLD)
    before = worktree.read(str(tmp_path), "f")
    with pytest.raises(OSError, match="/f'") as caught:
        worktree.write_temporary(str(tmp_path / "f"), str(tmp_path / "none" / "t"), NEW, before, durable=True)
    assert caught.value.filename == str(tmp_path / "f")


@pytest.mark.parametrize(
    ("left", "expected"),
    [
        ({}, {}),
        ({".new": b"to"}, {}),
        ({"": NEW, ".new": b"to"}, {"": NEW}),
        ({"": NEW, ".old": OLD}, {"": NEW}),
        ({".old": OLD}, {"": OLD}),
    ],
)
def test_temporary_has_one_name_when_it_is_settled(tmp_path, left, expected):
    for suffix, content in left.items():
        save(f"{tmp_path}/t{suffix}", content)
    worktree.settle_temporary(f"{tmp_path}/t")
    assert {name.removeprefix("t"): load(tmp_path / name) for name in os.listdir(tmp_path)} == expected


def test_rewrite_is_refused_when_the_file_is_another(tmp_path):
    save(tmp_path / "f", OLD)
    before = worktree.read(str(tmp_path), "f")
    save(tmp_path / "f", THEIRS)
    with pytest.raises(ConflictError):
        worktree.rewrite(str(tmp_path), "f", NEW, before)
    assert os.listdir(tmp_path) == ["f"]
    assert load(tmp_path / "f") == THEIRS


@pytest.mark.parametrize("depth", ["a", "a/b"])
def test_file_is_not_read_when_a_folder_on_the_way_became_a_link(tmp_path, depth):
    outside = tmp_path / "outside" / "b"
    outside.mkdir(parents=True)
    (outside / "f").write_bytes(b"theirs")
    top = tmp_path / "top"
    (top / depth).parent.mkdir(parents=True)
    (top / depth).symlink_to(outside.parent if depth == "a" else outside)
    with pytest.raises(RepositoryError):
        worktree.read(str(top), "a/b/f")
