"""Trees read one by one and all of a depth at once: the same answers."""

import pytest

from gitedit.git.objects import ObjectReader
from gitedit.git.process import Git
from gitedit.git.trees import TreeEntry, TreeReader

PATHS = ["top", "a/b/c/deep", "a/b/other", "a/x", "top/below a file", "none/at/all", "a/none/f", "a/b", "sub/f"]


@pytest.fixture
def reader(repo):
    made = ObjectReader(Git(repo.path, repo.env))
    yield made
    made.close()


@pytest.fixture
def root(repo):
    repo.commit({"top": "1", "a/b/c/deep": "2", "a/b/other": "3", "a/x": "4", "untold/y": "5"})
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub")
    return repo.git("write-tree").decode()


def test_answers_are_the_same_when_trees_are_read_ahead(reader, root):
    waiting, ahead = TreeReader(reader, root, "sha1"), TreeReader(reader, root, "sha1")
    ahead.read_ahead(PATHS)
    answers = [ahead.find(path) for path in PATHS]
    assert answers == [waiting.find(path) for path in PATHS]
    assert [answer is not None for answer in answers] == [True] * 4 + [False] * 3 + [True, False]
    entry = TreeEntry("100755", "2" * 40)
    assert ahead.with_blobs({"a/b/c/deep": entry}) == waiting.with_blobs({"a/b/c/deep": entry})


def test_one_request_a_depth_when_trees_are_read_ahead(reader, root, monkeypatch):
    asked = []
    read_many = reader.read_many
    monkeypatch.setattr(reader, "read_many", lambda oids: asked.append(len(oids)) or read_many(oids))
    trees = TreeReader(reader, root, "sha1")
    trees.read_ahead([*PATHS, "untold/y"])
    assert asked == [1, 2, 1, 1]
    assert trees.find("untold/y") is not None
    assert len(asked) == 4
