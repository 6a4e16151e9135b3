"""Who commits: a commit object that is composed is, byte for byte, the one that `git commit-tree` makes."""

import time

import pytest

from gitedit.git import commit as commits
from gitedit.git import configuration
from gitedit.git.objects import object_id
from gitedit.git.process import Git

MESSAGE = "Subject ünï\n\nBody\n"


def git_of(repo, **variables):
    kept = {name: value for name, value in {**repo.env, **variables}.items() if value is not None}
    return Git(repo.path, kept)


def learned(repo, git):
    """Return idents that know one commit of git's, and where the next one begins."""
    tree = repo.git("rev-parse", "HEAD^{tree}").decode()
    config = configuration.read(git)
    idents = commits.Idents()
    first = commits.make(git, tree, repo.oid(), "first\n", sign=False)
    idents.learn(git, config, git.run("cat-file", "commit", first))
    return idents, config, tree


def test_git_is_asked_when_no_commit_was_seen_yet(repo):
    repo.commit({"f": "x\n"})
    git = git_of(repo)
    assert commits.Idents().body(git, configuration.read(git), "0" * 40, "1" * 40, MESSAGE) is None


@pytest.mark.parametrize(
    "variables",
    [
        {"GIT_AUTHOR_DATE": "1700000000 +0530", "GIT_COMMITTER_DATE": "1700000000 -0330"},
        {
            "GIT_AUTHOR_DATE": "2024-02-03T04:05:06-0800",
            "GIT_COMMITTER_DATE": "1700000001 +0000",
            "GIT_AUTHOR_NAME": "A > < B",
        },
        {"GIT_COMMITTER_NAME": "Ü", "GIT_AUTHOR_DATE": "1700000001 +0000", "GIT_COMMITTER_DATE": "1700000001 +0000"},
    ],
)
def test_commit_is_the_one_that_git_makes_when_dates_are_fixed(repo, variables):
    repo.commit({"f": "x\n"})
    git = git_of(repo, **variables)
    idents, config, tree = learned(repo, git)
    body = idents.body(git, config, tree, repo.oid(), MESSAGE)
    assert object_id("commit", body, "sha1") == commits.make(git, tree, repo.oid(), MESSAGE, sign=False)


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati"])
def test_commit_has_the_time_of_now_when_no_date_is_given(repo, monkeypatch, zone):
    repo.commit({"f": "x\n"})
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        git = git_of(repo, GIT_AUTHOR_DATE=None, GIT_COMMITTER_DATE=None, TZ=zone)
        idents, config, tree = learned(repo, git)
        for _ in range(5):
            # A second may end between the two.
            body = idents.body(git, config, tree, repo.oid(), MESSAGE)
            by_git = commits.make(git, tree, repo.oid(), MESSAGE, sign=False)
            if object_id("commit", body, "sha1") == by_git:
                return
        assert body == git.run("cat-file", "commit", by_git)
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "change",
    [{"GIT_AUTHOR_NAME": "Another"}, {"GIT_COMMITTER_EMAIL": "a@example.invalid"}, {"GIT_AUTHOR_DATE": "5 +0000"}],
)
def test_git_is_asked_again_when_the_environment_is_another(repo, change):
    repo.commit({"f": "x\n"})
    git = git_of(repo)
    idents, config, tree = learned(repo, git)
    assert idents.body(git, config, tree, repo.oid(), MESSAGE) is not None
    assert idents.body(git_of(repo, **change), config, tree, repo.oid(), MESSAGE) is None


def test_git_is_asked_again_when_the_configuration_is_another(repo):
    repo.commit({"f": "x\n"})
    git = git_of(repo)
    idents, _, tree = learned(repo, git)
    repo.git("config", "user.name", "Another")
    assert idents.body(git, configuration.read(git), tree, repo.oid(), MESSAGE) is None


def test_git_is_asked_when_the_message_is_not_utf_8(repo):
    repo.commit({"f": "x\n"})
    git = git_of(repo)
    idents, config, tree = learned(repo, git)
    assert idents.body(git, config, tree, repo.oid(), "caf\udce9\n") is None


def test_repository_is_sound_when_a_composed_commit_is_stored(repo):
    repo.commit({"f": "x\n"})
    git = git_of(repo)
    idents, config, tree = learned(repo, git)
    body = idents.body(git, config, tree, repo.oid(), MESSAGE)
    assert repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=body).decode() == object_id(
        "commit", body, "sha1"
    )
    repo.git("fsck", "--strict", "--no-dangling")
