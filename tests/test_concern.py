"""The quick answer: certain where it says no, and without imports."""

import subprocess
import sys

import pytest

from gitedit import concern

RECORD = "s\n\nGitedit-Record: v1\n"


@pytest.fixture
def ask(repo, monkeypatch):
    """Return a function that asks in the repository, with what stands on standard input."""
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(repo.path)

    def asked(*words, lines=""):
        monkeypatch.setattr(concern, "_lines", lines.encode())
        return concern.none(list(words))

    return asked


@pytest.mark.parametrize("words", [[], ["apply"], ["hook"], ["hook", "install"], ["hook", "commit-msg"], ["check"]])
def test_it_does_not_know_when_it_is_no_hook(ask, words):
    assert not ask(*words)


@pytest.mark.parametrize("words", [["hook", "pre-commit", "--help"], ["endings", "--staged", "--json"]])
def test_it_does_not_know_when_there_are_options(repo, ask, words):
    repo.commit()
    assert not ask(*words)


def test_no_typing_is_imported_when_the_answer_is_quick(repo):
    repo.commit()
    code = "import sys; from gitedit import concern; print(concern.none(['hook', 'pre-commit'])); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=repo.path, env=repo.env, capture_output=True, check=True)
    answer, modules = done.stdout.decode().splitlines()
    assert answer == "True"
    assert not {"typing", "re", "subprocess", "typer", "git"} & set(modules.split())


# -- staged files --------------------------------------------------------------------------------------------------


def test_check_is_not_concerned_when_no_name_is_a_batch(ask):
    assert ask("check", "--staged", "a.txt", "b.py")
    assert not ask("check", "--staged", "a.txt", "b.json")
    assert not ask("check", "--staged")


def test_pre_commit_is_concerned_when_crlf_or_a_batch_is_staged(repo, ask, monkeypatch):
    repo.commit({"a": "x\n"})
    repo.write("a", "y\n")
    repo.git("add", "a")
    assert ask("hook", "pre-commit")
    assert ask("endings", "--staged", "--fix", "a")
    monkeypatch.setenv("GIT_GLOB_PATHSPECS", "1")
    repo.write("sub/ü.gitedit.jsonl", "{}")
    repo.git("add", ".")
    assert not ask("hook", "pre-commit")
    repo.write("a", "x\r\n")
    repo.git("add", ".")
    assert not ask("endings", "--staged", "a")


def test_pre_commit_is_concerned_when_git_cannot_say(repo, ask, monkeypatch):
    assert not ask("hook", "pre-commit")  # unborn
    repo.commit()
    monkeypatch.setenv("GIT_DIR", "nowhere")
    assert not ask("hook", "pre-commit")
    monkeypatch.setenv("PATH", "")
    assert not ask("hook", "pre-commit")


# -- messages ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "silent"), [("plain\n", True), ("GITEDIT-file: x", False), ("a\0b", False)])
def test_message_hooks_are_concerned_when_the_message_speaks_of_us(repo, ask, text, silent):
    name = repo.write("message", text)
    for words in (["commit-msg", name], ["prepare-commit-msg", name, "squash"]):
        assert ask("hook", *words) is silent
        assert not ask("hook", words[0], "nowhere", *words[2:])


def test_message_is_of_no_concern_when_it_is_prepared_for_no_squash(repo, ask, monkeypatch):
    name = repo.write("message", RECORD)
    assert ask("hook", "prepare-commit-msg", name, "message")
    assert ask("hook", "prepare-commit-msg", name)
    monkeypatch.setenv("PRE_COMMIT_COMMIT_MSG_SOURCE", "squash")
    assert not ask("hook", "prepare-commit-msg", name)
    repo.write(".git/rebase-merge/message-squash", "")
    assert not ask("hook", "prepare-commit-msg", name, "message")


# -- pushes --------------------------------------------------------------------------------------------------------

ZERO = "0" * 40


def pushed(new, old=ZERO):
    return f"refs/heads/main {new} refs/heads/main {old}\n"


def test_push_is_of_no_concern_when_new_commits_are_silent(repo, ask):
    old = repo.commit(message=RECORD)
    new = repo.commit()
    assert ask("hook", "pre-push", "origin", "url", lines=pushed(new, old))
    assert not ask("hook", "pre-push", "origin", "url", lines=pushed(new))
    repo.git("update-ref", "refs/remotes/origin/x", old)
    assert ask("hook", "pre-push", "origin", "url", lines=pushed(new))


def test_push_is_of_no_concern_when_it_only_deletes(repo, ask):
    old = repo.commit(message=RECORD)
    assert ask("hook", "pre-push", "origin", "url", lines=f"(delete) {ZERO} refs/heads/x {old}\n")


def test_push_is_of_concern_when_the_remote_has_commits_that_we_lack(repo, ask):
    assert not ask("hook", "pre-push", "origin", "url", lines=pushed(repo.commit(), "1" * 40))


def test_push_is_read_from_the_framework_when_there_are_no_lines(repo, ask, monkeypatch):
    old = repo.commit(message=RECORD)
    new = repo.commit()
    monkeypatch.setenv("PRE_COMMIT_TO_REF", new)
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", old)
    assert ask("hook", "pre-push")
    monkeypatch.delenv("PRE_COMMIT_TO_REF")
    monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main")
    assert not ask("hook", "pre-push")


def test_receive_is_of_concern_when_a_new_commit_speaks(repo, ask):
    old = repo.commit()
    new = repo.commit(message=RECORD)
    line = f"{old} {new} refs/heads/main\n"
    assert ask("hook", "pre-receive", lines=line)  # a ref has it already
    repo.git("reset", "-q", "--hard", old)
    assert not ask("hook", "pre-receive", lines=line)
    assert ask("hook", "pre-receive", lines=f"{new} {ZERO} refs/heads/main\n")
