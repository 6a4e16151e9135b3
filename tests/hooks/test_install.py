"""`hook install` puts scripts in place, never over somebody's own, and `uninstall` puts back what was there."""

import os

import pytest

from gitedit.commands.shims import CHAINED, CLIENT, NAMES, install, shim, uninstall
from gitedit.errors import EditError

from .conftest import SHIMS, git, gitedit, record, tamper


@pytest.fixture(autouse=True)
def _here(environment, monkeypatch):
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME", "PATH"):
        monkeypatch.setenv(name, environment[name])


def present(folder):
    return sorted(name for name in os.listdir(folder) if not name.endswith(".sample"))


def own(repo, name, text):
    path = repo.write(f".git/hooks/{name}", f"#!/bin/sh\n{text}\n")
    os.chmod(path, 0o700)
    return path


@pytest.mark.parametrize("name", NAMES)
def test_files_for_hooks_path_are_what_is_installed(name):
    path = os.path.join(SHIMS, name)
    with open(path, encoding="ascii") as stream:
        assert stream.read() == shim(name)
    assert os.access(path, os.X_OK)


def test_nothing_is_changed_when_it_is_installed_twice(repo):
    install(repo.path)
    before = present(os.path.join(repo.path, ".git/hooks"))
    assert all(step.said.endswith("is in place already") for step in install(repo.path))
    assert present(os.path.join(repo.path, ".git/hooks")) == before == sorted(CLIENT)


def test_nothing_is_left_when_it_is_uninstalled(repo):
    install(repo.path)
    assert len(uninstall(repo.path)) == 4
    assert present(os.path.join(repo.path, ".git/hooks")) == []
    assert uninstall(repo.path) == []


def test_server_hook_is_installed_when_the_repository_is_bare(make_repo):
    bare = make_repo("bare.git", "--bare")
    install(bare.path)
    assert present(os.path.join(bare.path, "hooks")) == ["pre-receive"]


def test_own_hook_runs_first_and_comes_back(repo):
    path = own(repo, "pre-commit", "echo mine >&2; exit ${MINE:-0}")
    [step] = install(repo.path, ["pre-commit"])
    assert "runs first, as pre-commit" + CHAINED in step.said
    repo.write("a", "x\r\n")
    repo.git("add", ".")
    assert git(repo, "commit", "-qm", "a", MINE="3").status == 1
    said = git(repo, "commit", "-qm", "a")
    assert (said.status, "mine" in said.err) == (0, True)
    repo.write("a", "x\n")
    assert "line-endings" in git(repo, "commit", "-qam", "flat").err
    uninstall(repo.path)
    assert present(os.path.dirname(path)) == ["pre-commit"]
    with open(path, encoding="ascii") as stream:
        assert "mine" in stream.read()


def test_both_hooks_read_the_lines_when_pre_push_is_chained(repo, make_repo):
    bare = make_repo("server.git", "--bare")
    repo.commit({"mixed": "one\ntwo\n"})
    repo.git("remote", "add", "origin", bare.path)
    own(repo, "pre-push", 'cat >"$OUT"; echo "$1" >>"$OUT"')
    install(repo.path)
    out = os.path.join(repo.path, "..", "lines")
    record(repo)
    assert git(repo, "push", "-q", "origin", "main", OUT=out).status == 0
    with open(out, encoding="ascii") as stream:
        assert stream.read() == f"refs/heads/main {repo.oid()} refs/heads/main {'0' * 40}\norigin\n"
    tamper(repo)
    assert "push stopped" in git(repo, "push", "-q", "-f", "origin", "main", OUT=out).err


def test_hook_is_not_taken_away_when_somebody_edited_it(repo):
    install(repo.path, ["commit-msg"])
    path = os.path.join(repo.path, ".git/hooks/commit-msg")
    with open(path, "a", encoding="ascii") as stream:
        stream.write("more\n")
    for change in (install, uninstall):
        with pytest.raises(EditError) as caught:
            change(repo.path)
        assert "is not as gitedit wrote it" in caught.value.message


def test_configured_folder_is_used_when_it_is_the_repositorys(repo):
    repo.git("config", "core.hooksPath", "tools/hooks")
    install(repo.path)
    assert present(os.path.join(repo.path, "tools/hooks")) == sorted(CLIENT)


def test_configured_folder_is_refused_when_it_is_shared(repo, tmp_path):
    repo.git("config", "core.hooksPath", str(tmp_path / "all"))
    with pytest.raises(EditError) as caught:
        install(repo.path)
    assert caught.value.code == "usage"
    install(repo.path, shared=True)
    assert present(tmp_path / "all") == sorted(CLIENT)


def test_hooks_of_all_work_trees_are_installed_from_a_linked_one(repo):
    repo.commit({"a": "x\r\n"})
    repo.git("worktree", "add", "-q", "../linked")
    install(os.path.join(repo.path, "..", "linked"))
    assert present(os.path.join(repo.path, ".git/hooks")) == sorted(CLIENT)


def test_unknown_hook_is_a_usage_error(repo):
    said = gitedit(repo, "hook", "install", "post-commit")
    assert said.status == 2
    assert "there is no hook 'post-commit'" in said.err


@pytest.mark.parametrize(("name", "status"), [("pre-commit", 0), ("commit-msg", 1)])
def test_commit_passes_or_fails_without_gitedit(repo, name, status):
    repo.git("config", "core.hooksPath", SHIMS)
    install_only = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    repo.write("a", "x\n")
    repo.git("add", ".")
    said = git(repo, "hook", "run", name, **install_only)
    assert (said.status, f"gitedit is not on PATH: {name} " in said.err) == (status, True)
