"""Index entries, remembered for as long as the index is the same file."""

import json

import pytest

from gitedit.git import index
from gitedit.git.index import EntryCache
from gitedit.git.process import Git


@pytest.fixture
def cache(repo, tmp_path):
    repo.commit(dict.fromkeys(("a", "b", "c", "d/e"), b"1\n"))
    git = Git(str(repo.path), {**repo.env, "GIT_TRACE2_EVENT": str(tmp_path / "trace")})
    return EntryCache(git, f"{repo.path}/.git/index")


def asked(tmp_path):
    """Return how often git was started."""
    with open(tmp_path / "trace", encoding="utf-8") as stream:
        return sum(json.loads(line)["event"] == "start" for line in stream)


def test_nothing_is_asked_when_the_paths_are_known(cache, tmp_path):
    first, now = cache.read(["a", "none"])
    assert set(first) == {"a"}
    assert cache.read(["a", "none"]) == (first, now)
    assert asked(tmp_path) == 1


def test_git_is_asked_twice_at_most_when_every_batch_names_other_paths(cache, tmp_path):
    for name in ("a", "b", "none", "d/e", "c", "a"):
        found, _ = cache.read([name])
        assert set(found) == {name} - {"none"}
    assert asked(tmp_path) == 2


def test_only_the_paths_are_asked_for_when_the_index_is_large(cache, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "_READ_WHOLE_BYTES", 1)
    for name in ("a", "b", "d/e"):
        assert set(cache.read([name])[0]) == {name}
    assert asked(tmp_path) == 3


def test_entries_are_read_again_when_somebody_stages_a_file(cache, repo):
    before = [cache.read([name])[0] for name in ("a", "b", "c")]
    repo.write("a", b"2\n")
    repo.write("new", b"3\n")
    repo.git("add", "a", "new")
    found, _ = cache.read(["a", "new", "b"])
    assert found["a"] != before[0]["a"]
    assert found["b"] == before[1]["b"]
    assert len(found["new"]) == 1


def test_own_rewrites_are_followed_when_all_is_known(cache, repo, tmp_path):
    cache.read(["a"])
    _, before = cache.read(["b"])
    oid = repo.git("hash-object", "-w", "--stdin", data=b"2\n").decode()
    repo.git("update-index", "--cacheinfo", f"100644,{oid},a")
    cache.installed(before, index.identity(f"{repo.path}/.git/index"), {"a": oid})
    assert cache.read(["a", "c", "none"])[0]["a"][0].oid == oid
    assert asked(tmp_path) == 2
