"""Blame as git has it, through GitPython and by hand, blind to configuration and to what the process inherited."""

import pytest

from gitedit.git import history, repository
from gitedit.git.blame import Origin, blame, read_incremental
from gitedit.git.process import for_hook
from tests.audit.recorded import environ

NAMES = ["plain", "b c", 'q"\\', "tab\t", "new\nline", "é日本", "\udcff", "-n", "x:y", "a\x1b", "dir/deep/f"]


@pytest.fixture
def room(repo):
    with environ(repo.env):
        found = repository.find(for_hook(repo.path))
        with history.open_room(found) as opened:
            yield opened


def by_hand(room, commit, path):
    return sorted(read_incremental(room.git.run("blame", "--incremental", commit, "--", path)))


def runs(found):
    return [(run.line, run.length, run.commit, run.path, run.first) for run in found]


def test_one_run_covers_a_file_of_one_commit(repo, room):
    commit = repo.commit({"f": "1\n2\n3"})
    assert blame(room, commit, "f") == [Origin(1, 3, commit, "f", 1, "T", repo.clock - 60)]


def test_there_is_no_run_when_the_file_is_empty(repo, room):
    assert blame(room, repo.commit({"f": ""}), "f") == []


def test_runs_are_in_the_order_of_the_file(repo, room):
    first = repo.commit({"f": "1\n2\n3\n4\n"})
    second = repo.commit({"f": "0\n1\n2\nnew\n4\n"})
    assert runs(blame(room, second, "f")) == [
        (1, 1, second, "f", 1),
        (2, 2, first, "f", 1),
        (4, 1, second, "f", 4),
        (5, 1, first, "f", 4),
    ]


@pytest.mark.parametrize("name", NAMES)
def test_name_is_what_it_is_when_it_is_strange_and_both_readers_agree(repo, room, name):
    first = repo.commit({name: "1\n2\n"}, "first", "--author", "Ünï <u@example.invalid>")
    repo.git("mv", "--", name, "renamed")
    second = repo.commit({"renamed": "1\n2\n3\n"})
    found = blame(room, second, "renamed")
    assert runs(found) == [(1, 2, first, name, 1), (3, 1, second, "renamed", 3)]
    assert found == by_hand(room, second, "renamed")
    assert found[0].author == "Ünï"
    assert runs(blame(room, first, name)) == [(1, 2, first, name, 1)]


def test_author_is_kept_when_it_is_not_utf8(repo, room):
    body = repo.git("cat-file", "commit", repo.commit({"f": "1\n"})).replace(b"author T", b"author \xff")
    commit = repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=body + b"\n").decode()
    assert (
        [run.author for run in blame(room, commit, "f")]
        == ["\udcff"]
        == [run.author for run in by_hand(room, commit, "f")]
    )


def test_runs_are_found_when_ids_are_sha256(make_repo):
    repo = make_repo("sha256", "--object-format=sha256")
    first = repo.commit({"f": "1\n2\n"})
    second = repo.commit({"f": "1\nx\n"})
    with environ(repo.env), history.open_room(repository.find(for_hook(repo.path))) as room:
        assert runs(blame(room, second, "f")) == [(1, 1, first, "f", 1), (2, 1, second, "f", 2)]


def test_nothing_bends_it_when_configuration_and_process_would(repo, room, tmp_path):
    first = repo.commit({"f": "1\n2\n", "g": "x\n"})
    second = repo.commit({"f": "1\nx\n", ".gitattributes": "f diff=upper\n"})
    ignored = repo.write(".git/ignored", second + "\n")
    repo.write(".mailmap", "Other <o@example.invalid> <t@example.invalid>\n")
    hostile = {"blame.ignoreRevsFile": ignored, "diff.upper.textconv": "false", "blame.showEmail": "true"}
    for key, value in hostile.items():
        repo.git("config", key, value)
    repo.git("replace", first, second)
    repo.write(".git/info/grafts", first + " " + second + "\n")
    inherited = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "blame.ignoreRevsFile",
        "GIT_CONFIG_VALUE_0": ignored,
        "GIT_CONFIG_PARAMETERS": f"'blame.ignoreRevsFile'='{ignored}'",
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_COMMON_DIR": str(tmp_path / "nowhere"),
        "GIT_INDEX_FILE": str(tmp_path / "nowhere"),
        "GIT_OBJECT_DIRECTORY": str(tmp_path / "nowhere"),
        "GIT_WORK_TREE": str(tmp_path / "nowhere"),
        "GIT_GRAFT_FILE": str(tmp_path / "nowhere"),
    }
    for variables in ({}, dict([*inherited.items()][:4]), inherited):
        with environ({**repo.env, **variables}):
            found = blame(room, second, "f")
        assert runs(found) == [(1, 1, first, "f", 1), (2, 1, second, "f", 2)]
        assert {run.author for run in found} == {"T"}


def test_commit_is_looked_through_when_that_is_asked_for(repo, room):
    first = repo.commit({"f": "1\n2\n"})
    second = repo.commit({"f": "1\n2 \n"})
    ignored = repo.write(".git/ignored", second + "\n")
    assert runs(blame(room, second, "f", ignored)) in (
        [(1, 2, first, "f", 1)],
        [(1, 1, first, "f", 1), (2, 1, first, "f", 2)],
    )
