"""`diff-tree` output, and the ways in which it leaves a diff out."""

import os

import pytest

from gitedit.errors import OperationError
from gitedit.git import process
from gitedit.git.diffs import EMPTY_TREE, DiffEntry, between_trees, parse_raw

ZERO = "0" * 40


def trees(repo, *revisions):
    return [repo.oid(f"{revision}^{{tree}}") for revision in revisions]


def test_parse_raw_is_empty_when_nothing_changed():
    assert parse_raw(b"") == []


@pytest.mark.parametrize("out", [b":100644 100644 a b M\0", b"x\0y\0", b"\0\0", b":1 2 3 4 M\0a\0z", b"\xff\0\xff\0"])
def test_parse_raw_refuses_what_is_not_raw_output(out):
    with pytest.raises(OperationError):
        parse_raw(out)


def test_between_trees_answers_each_pair_when_some_are_equal(repo):
    git = process.for_apply(repo.path)
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n", "n\nl": "x", os.fsdecode(b"\xe9"): "y", "end 1\n:2": "z"})
    one, two = trees(repo, "HEAD~1", "HEAD")
    empty = EMPTY_TREE["sha1"]
    found = list(between_trees(git, [(one, one), (empty, one), (two, two), (one, two), (one, one)]))
    assert [len(entries) for entries in found] == [0, 1, 0, 4, 0]
    blob = repo.oid("HEAD~1:a")
    assert found[1] == [DiffEntry("000000", "100644", ZERO, blob, "a")]
    assert [entry.path for entry in found[3]] == ["a", "end 1\n:2", "n\nl", "\udce9"]
    assert found[3] == parse_raw(repo.git("diff-tree", "-r", "-z", "--raw", "--no-abbrev", one, two))


def test_between_trees_goes_on_when_a_tree_is_missing(repo):
    git = process.for_apply(repo.path)
    repo.commit({"a": "1\n"})
    repo.commit({"a": "2\n"})
    one, two = trees(repo, "HEAD~1", "HEAD")
    gone = "1" * 40
    found = list(between_trees(git, [(one, two), (gone, two), (one, gone), (one, two), (one, one)]))
    assert [entries if entries is None else len(entries) for entries in found] == [1, None, None, 1, 0]
    assert list(between_trees(git, [])) == []


def test_between_trees_goes_on_when_a_subtree_is_missing(repo):
    git = process.for_apply(repo.path)
    repo.commit({"a": "1\n", "d/x": "1\n"})
    repo.commit({"a": "2\n", "d/x": "2\n"})
    repo.commit({"a": "3\n"})
    one, two, three = trees(repo, "HEAD~2", "HEAD~1", "HEAD")
    lost = repo.oid("HEAD~2:d")
    os.unlink(os.path.join(repo.path, ".git", "objects", lost[:2], lost[2:]))
    found = list(between_trees(git, [(two, three), (one, two), (two, three), (one, three)]))
    assert [entries if entries is None else len(entries) for entries in found] == [1, None, 1, None]
