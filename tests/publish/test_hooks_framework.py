"""With the real pre-commit program, which puts unstaged work aside while its hooks run."""

import subprocess
import sys

import pytest

from .applying import EDITED, LINES, committed, picture, refused

CONFIG = """\
repos:
- repo: local
  hooks:
  - {{id: mine, name: mine, language: system, stages: [pre-commit], entry: {entry}}}
"""


@pytest.fixture
def work(repo, environment):
    """A repository with unstaged changes in the batch's file, and staged and unstaged ones in another."""
    environment["PRE_COMMIT_HOME"] = environment["HOME"] + "/pre-commit"
    repo.env["PRE_COMMIT_HOME"] = environment["PRE_COMMIT_HOME"]
    repo.commit({"f": LINES, "other": b"other\n", ".pre-commit-config.yaml": CONFIG.format(entry="git --version")})
    install = [sys.executable, "-m", "pre_commit", "install", "--hook-type", "pre-commit", "--hook-type", "commit-msg"]
    subprocess.run(install, check=True, cwd=repo.path, env=repo.env, capture_output=True)
    repo.write("other", b"staged\n")
    repo.git("add", "other")
    repo.write("other", b"unstaged\n")
    repo.write("f", LINES.replace(b"line 1\n", b"unstaged 1\n") + b"no newline at the end")
    repo.write("new", b"untracked\n")
    return repo


def configure(repo, entry, message="configure"):
    """Commit another hook of the framework without disturbing the work under way."""
    repo.write(".pre-commit-config.yaml", CONFIG.format(entry=entry))
    repo.git("commit", "-q", "--no-verify", "-m", message, "--only", ".pre-commit-config.yaml")


def check_committed(repo, before):
    """Check that the commit holds the edit and nothing else, and that all other work is where it was."""
    assert repo.git("diff-tree", "-r", "--name-only", "HEAD^", "HEAD") == b"f"
    assert repo.git("show", "HEAD:f") + b"\n" == EDITED
    assert repo.read("f") == before["files"]["f"][1].replace(b"line 6\n", b"line six\n")
    assert (repo.git("show", ":other"), repo.read("other")) == (b"staged", b"unstaged\n")
    assert repo.read("new") == b"untracked\n"
    assert repo.git("status", "--porcelain") == b" M f\nMM other\n?? new"


def test_commit_is_made_beside_unstaged_work_when_the_hooks_pass(work):
    configure(work, "sh -c 'cat f >../seen; echo \"$@\" >../names' --")
    before = picture(work)
    assert committed(work)["warnings"] == []
    assert work.read("../seen") == EDITED
    assert work.read("../names") == b"f\n"
    check_committed(work, before)


def test_everything_is_as_before_when_a_hook_of_the_framework_fails(work):
    configure(work, "sh -c 'cat f >../seen; exit 1'")
    before = picture(work)
    status, error = refused(work)
    assert (status, error["code"]) == (7, "hook-rejected")
    assert picture(work) == before
    assert work.read("../seen") == EDITED


@pytest.mark.parametrize("change", ["s/six/SIX/", "s/^/x/", "s/$/\\r/"])
def test_everything_is_as_before_when_a_fixer_of_the_framework_changes_the_file(work, change):
    configure(work, f"sh -c 'cat f >../seen; sed -i {change} f'")
    before = picture(work)
    status, error = refused(work)
    assert (status, error["code"]) == (7, "hook-rejected")
    assert picture(work) == before
    assert work.read("../seen") == EDITED


def test_commit_is_made_when_the_fixer_changes_nothing_in_the_end(work):
    configure(work, "sh -c 'sed -i s/six/SIX/ f; sed -i s/SIX/six/ f'")
    before = picture(work)
    committed(work)
    check_committed(work, before)


def test_commit_is_refused_when_a_hook_of_the_framework_stages_its_fix(work):
    configure(work, "sh -c 'sed -i s/six/SIX/ f; git add f'")
    before = picture(work)
    status, error = refused(work)
    assert (status, error["code"]) in {(7, "hook-rejected"), (7, "hook-changed-commit")}
    assert picture(work) == before


def test_mixed_line_endings_survive_when_the_framework_puts_work_aside(work):
    mixed = LINES.replace(b"line 3\n", b"line 3\r\n")
    work.write("f", mixed)
    work.git("commit", "-q", "--no-verify", "-m", "mixed", "--only", "f")
    work.write("f", mixed.replace(b"line 9\n", b"line 9\r\n"))
    committed(work)
    assert work.git("show", "HEAD:f") + b"\n" == mixed.replace(b"line 6\n", b"line six\n")
    assert work.read("f") == mixed.replace(b"line 9\n", b"line 9\r\n").replace(b"line 6\n", b"line six\n")
