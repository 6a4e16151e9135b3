"""The children that store a session's objects: byte for byte, whatever is configured, and replaced when they die."""

import os
import signal

import pytest

from gitedit.errors import OperationError
from gitedit.git import objects, process
from gitedit.git.objects import GitObject, object_id
from gitedit.git.writers import ObjectWriters

BODIES = [b"", b"\0\xff\r\n\n", b"a\r\nb\n$Id$\n", b"x" * 300_000]


@pytest.fixture
def writers():
    found = ObjectWriters()
    yield found
    found.close()


def git_of(repo):
    return process.Git(repo.path, {**repo.env, "GIT_FLUSH": "1"})


def children(writers):
    return [child.pid for child in writers._children.values()]


def whole(algorithm="sha1"):
    """Return a blob, a tree that holds it, and a commit that holds that."""
    blob = GitObject("blob", b"content\n")
    tree = GitObject("tree", b"100644 f\0" + bytes.fromhex(object_id(*blob, algorithm)))
    ident = b"T <t@example.invalid> 1700000000 +0000"
    lines = [b"tree " + object_id(*tree, algorithm).encode(), b"author " + ident, b"committer " + ident, b"", b"x\n"]
    return [blob, tree, GitObject("commit", b"\n".join(lines))]


def store(writers, repo, wanted, key=None, algorithm="sha1"):
    begun = writers.begin(git_of(repo), wanted, algorithm, key=key)
    begun.wait()
    begun.close()


def test_nothing_is_started_when_there_is_nothing_to_store(repo, writers):
    store(writers, repo, [])
    assert children(writers) == []


@pytest.mark.parametrize("body", BODIES)
def test_blob_is_stored_byte_for_byte_when_git_would_convert_it(repo, writers, body):
    repo.git("config", "core.autocrlf", "true")
    repo.write(".gitattributes", "* text ident filter=x\n")
    store(writers, repo, [GitObject("blob", body)])
    assert repo.git("cat-file", "blob", object_id("blob", body, "sha1")) == body.removesuffix(b"\n")


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_repository_is_sound_when_every_kind_was_stored(make_repo, writers, algorithm):
    repo = make_repo("work", f"--object-format={algorithm}")
    store(writers, repo, whole(algorithm), algorithm=algorithm)
    repo.git("update-ref", "refs/heads/main", object_id(*whole(algorithm)[2], algorithm))
    repo.git("fsck", "--strict")
    assert repo.git("show", "main:f") == b"content"


def test_children_stay_when_they_are_asked_again(repo, writers):
    store(writers, repo, whole())
    first = children(writers)
    store(writers, repo, [GitObject("blob", b"more"), GitObject("blob", b"and more")])
    assert (children(writers), len(first)) == (first, 3)


def test_children_are_others_when_what_they_have_read_is_another(repo, writers):
    store(writers, repo, whole(), key={"core.compression": ["0"]})
    first = children(writers)
    store(writers, repo, whole(), key={"core.compression": ["9"]})
    assert not set(children(writers)) & set(first)


def test_objects_are_stored_when_a_child_dies(repo, writers):
    store(writers, repo, whole())
    for pid in children(writers):
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    for body in (b"at once", b"afterwards"):
        store(writers, repo, [GitObject("blob", body), GitObject("blob", body + b" more")])
        assert repo.git("cat-file", "blob", object_id("blob", body, "sha1")) == body
        assert repo.git("cat-file", "-t", object_id("blob", body + b" more", "sha1")) == b"blob"


def test_objects_are_stored_when_no_child_may_look_into_files_of_ours(repo, writers, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 1 << 22)
    store(writers, repo, whole())
    assert repo.git("cat-file", "-t", object_id(*whole()[2], "sha1")) == b"commit"


def test_failure_is_told_in_git_s_words_when_nothing_can_be_stored(repo, writers):
    store(writers, repo, whole())
    os.rename(os.path.join(repo.path, ".git/objects"), os.path.join(repo.path, ".git/elsewhere"))
    begun = writers.begin(git_of(repo), [GitObject("blob", b"lost")], "sha1", key=None)
    with pytest.raises(OperationError) as caught:
        begun.wait()
    begun.close()
    assert (caught.value.code, "git says" in caught.value.hint) == ("git-failed", True)


def test_answers_are_not_taken_for_others_when_nobody_has_waited(repo, writers):
    writers.begin(git_of(repo), [GitObject("blob", b"given up")], "sha1", key=None).close()
    store(writers, repo, [GitObject("blob", b"wanted")])
    assert repo.git("cat-file", "blob", object_id("blob", b"wanted", "sha1")) == b"wanted"


def test_tree_is_stored_when_git_would_warn_of_it(repo, writers):
    """As one with a padded mode, which stands in old histories: the user's tree stays what it is."""
    tree = GitObject("tree", b"040000 d\0" + bytes(20))
    store(writers, repo, [tree])
    assert repo.git("cat-file", "-t", object_id(*tree, "sha1")) == b"tree"


@pytest.mark.parametrize("many", [[b"%d" % n for n in range(40)], [b"x" * (5 << 20)]])
def test_pack_is_made_when_objects_are_many_or_large(repo, writers, many):
    store(writers, repo, [GitObject("blob", body) for body in many])
    assert children(writers) == []
    assert repo.git("cat-file", "-s", object_id("blob", many[-1], "sha1")) == b"%d" % len(many[-1])


def test_pack_is_made_when_files_in_memory_are_unknown(repo, writers, monkeypatch):
    monkeypatch.delattr(os, "memfd_create")
    store(writers, repo, whole())
    assert children(writers) == []
    assert repo.git("cat-file", "-t", object_id(*whole()[2], "sha1")) == b"commit"


def test_no_descriptor_is_left_open_when_objects_were_stored(repo, writers):
    store(writers, repo, whole())
    before = os.listdir("/proc/self/fd")
    for _ in range(5):
        store(writers, repo, whole())
        writers.begin(git_of(repo), [], "sha1", key=None).close()
    assert os.listdir("/proc/self/fd") == before


def test_objects_module_and_writers_agree_when_both_store(repo, writers):
    store(writers, repo, whole())
    stored = repo.git("count-objects", "-v")
    objects.store(git_of(repo), whole(), "sha1")
    assert repo.git("count-objects", "-v") == stored
