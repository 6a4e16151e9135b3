"""The hooks under the real pre-commit program, installed from a clone of this very repository."""

import os
import shutil
import subprocess
import sys

import pytest
from conftest import Repo, hermetic

from .conftest import MIXED, TOP, batch, git, record, tamper

HOOKS = ("check-batch", "line-endings", "check-message", "keep-records", "audit-push")
STAGES = ("pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "pre-push")
FLAT = MIXED.replace(b"\r", b"")


@pytest.fixture(scope="session")
def framework(tmp_path_factory):
    """Return (environment, hook repository, its revision); pre-commit installs from it once a session."""
    folder = tmp_path_factory.mktemp("framework")
    environment = hermetic(folder)
    environment["PRE_COMMIT_HOME"] = str(folder / "home")
    hooks = Repo(folder / "hooks", environment)
    for name in ("gitedit", "hooks"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(os.path.join(TOP, name), os.path.join(hooks.path, name), ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(os.path.join(TOP, name), hooks.path)
    hooks.git("add", ".")
    return environment, hooks.path, hooks.commit(message="hooks")


@pytest.fixture
def environment(framework, environment):
    """The hermetic environment, with pre-commit's own home."""
    return {**environment, "PRE_COMMIT_HOME": framework[0]["PRE_COMMIT_HOME"]}


def configure(repo, framework, arguments=None):
    _, url, revision = framework
    lines = ["repos:", f"- repo: {url}", f"  rev: {revision}", "  hooks:"]
    for name in HOOKS:
        lines.append(f"  - id: gitedit-{name}")
        if (arguments or {}).get(name):
            lines.append(f"    args: [{arguments[name]}]")
    repo.write(".pre-commit-config.yaml", "\n".join(lines) + "\n")
    repo.git("add", ".")


@pytest.fixture
def work(repo, framework):
    """A repository with one commit in which pre-commit is installed for every stage."""
    configure(repo, framework)
    repo.commit({"mixed": MIXED, "plain": "alpha\nbeta\ngamma\n"})
    types = [word for stage in STAGES for word in ("--hook-type", stage)]
    run(repo, "install", *types)
    return repo


def run(repo, *arguments):
    command = [sys.executable, "-m", "pre_commit", *arguments]
    done = subprocess.run(command, cwd=repo.path, env=repo.env, capture_output=True, check=False)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_all_files_are_green_when_old_batches_apply_no_more(work):
    for number in range(5000):
        work.write(f"many/file_{number}.txt", "x\n")
    work.write("old.gitedit.json", batch("plain", "no longer", "there"))
    work.git("add", ".")
    work.git("commit", "-q", "-m", "many", "--no-verify")
    status, said = run(work, "run", "--all-files")
    assert (status, said.count("Passed")) == (0, 2)


def test_bad_batch_and_flattened_file_are_refused(work):
    work.write("bad.gitedit.json", batch("plain", "delta", "omega"))
    work.write("mixed", FLAT)
    work.git("add", ".")
    said = git(work, "commit", "-qm", "bad")
    assert said.status == 1
    assert "bad.gitedit.json:1: not-found: plain: " in said.err
    assert "mixed:1: line-endings: CRLF became LF on this line" in said.err


def test_good_batch_and_honest_change_pass(work):
    work.write("good.gitedit.json", batch("plain", "alpha", "omega"))
    work.write("mixed", MIXED.replace(b"two", b"2"))
    work.git("add", ".")
    said = git(work, "commit", "-qm", "good")
    assert said.status == 0, said.err


def test_endings_are_restored_on_disk_when_the_hook_may_fix(work, framework):
    configure(work, framework, {"line-endings": "--fix"})
    work.git("commit", "-q", "-m", "configure")
    work.write("mixed", FLAT.replace(b"two", b"2"))
    work.git("add", ".")
    work.write("plain", "unstaged\n")
    said = git(work, "commit", "-qm", "flat")
    assert said.status == 1
    assert "files were modified by this hook" in said.err
    assert work.read("mixed") == MIXED.replace(b"two", b"2")
    assert work.read("plain") == b"unstaged\n"
    work.git("add", "mixed")
    assert git(work, "commit", "-qm", "honest").status == 0


def test_recorded_commit_passes_and_tampered_message_is_refused(work):
    record(work)
    message = work.git("log", "-1", "--format=%B")
    said = git(work, "commit", "-q", "--amend", "-F", "-", data=message.replace(b"mode=strict", b"mode=strist"))
    assert said.status == 1
    assert "malformed: " in said.err


def test_records_are_collected_when_a_branch_is_squashed(work):
    work.git("switch", "-qc", "side")
    record(work)
    work.git("switch", "-q", "main")
    work.git("merge", "-q", "--squash", "side")
    said = git(work, "commit", "-q", "--no-edit")
    assert said.status == 0, said.err
    assert work.git("log", "-1", "--format=%(trailers:key=Gitedit-Record)")


def test_clean_merge_of_a_flattened_branch_passes(work):
    work.git("switch", "-qc", "side")
    work.write("mixed", FLAT)
    work.git("commit", "-qam", "flat", "--no-verify")
    work.git("switch", "-q", "main")
    work.write("plain", "main\n")
    work.git("commit", "-qam", "main")
    said = git(work, "merge", "-q", "--no-edit", "side")
    assert said.status == 0, said.err


def test_hooks_judge_when_the_branch_is_unborn_and_the_work_tree_linked(make_repo, framework):
    repo = make_repo("unborn")
    configure(repo, framework)
    run(repo, "install")
    repo.write("mixed", MIXED)
    repo.write("bad.gitedit.json", batch("mixed", "delta", "omega"))
    repo.git("add", ".")
    assert "bad.gitedit.json:1: not-found: " in git(repo, "commit", "-qm", "first").err
    repo.write("bad.gitedit.json", batch("mixed", "two", "2"))
    repo.git("add", ".")
    assert git(repo, "commit", "-qm", "first").status == 0
    repo.git("worktree", "add", "-q", "../linked")
    repo.path = os.path.join(os.path.dirname(repo.path), "linked")
    repo.write("mixed", FLAT)
    said = git(repo, "commit", "-qam", "flat")
    assert (said.status, "mixed:1: line-endings: " in said.err) == (1, True)


@pytest.mark.parametrize("first", [True, False])
def test_push_is_stopped_when_a_commit_is_tampered_with(work, make_repo, first):
    server = make_repo("server.git", "--bare")
    work.git("remote", "add", "origin", server.path)
    record(work)
    if not first:
        said = git(work, "push", "-q", "origin", "main")
        assert said.status == 0, said.err
        record(work, "plain", "alpha", "omega")
    tamper(work, "plain")
    said = git(work, "push", "-q", "origin", "main")
    assert said.status == 1
    assert "push stopped: 1 commit is not what it says" in said.err
