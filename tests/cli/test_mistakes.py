"""What people get wrong on a command line: one clear sentence, a way on, and the documented exit status."""

import os

import pytest

from .command import run

RELATIVE = "a path is relative to the current folder, or to -C"


@pytest.fixture
def work(repo):
    """Two commits and a folder."""
    repo.commit({"f": "1\n", "folder/g": "1\n"})
    repo.commit({"f": "2\n"})
    return repo


@pytest.mark.parametrize(
    ("arguments", "status", "sentence", "hint"),
    [
        (["audit", "nothing"], 2, "'nothing' names no commit", "see `git help revisions`"),
        (
            ["audit", "--json", "--format", "csv"],
            2,
            "--json and --format csv exclude each other",
            "leave one of them out",
        ),
        (
            ["log", "--json", "--format", "csv"],
            2,
            "--json and --format csv exclude each other",
            "leave one of them out",
        ),
        (
            ["stats", "--json", "--format", "csv"],
            2,
            "--json and --format csv exclude each other",
            "leave one of them out",
        ),
        (
            ["audit", "--require", "Claude"],
            2,
            "--require takes agent:GLOB, author:GLOB or path:GLOB, not 'Claude'",
            "as in --require 'agent:Claude:*'",
        ),
        (
            ["show", "HEAD~1..HEAD"],
            2,
            "'HEAD~1..HEAD' names more than one commit",
            "only 'gitedit audit', 'log' and 'stats' take ranges",
        ),
        (["blame", "nothing"], 5, "nothing: there is no such file in HEAD", RELATIVE),
        (
            ["blame", "folder"],
            5,
            "folder: is not a file in {head}",
            "a folder, a link or a submodule has no lines that anybody edited",
        ),
        (
            ["blame", "--ignore-revs-file", "nothing", "f"],
            74,
            "cannot read the file of ignored commits nothing: No such file or directory",
            RELATIVE,
        ),
        (["check", "nothing.json"], 74, "cannot read the batch file nothing.json: No such file or directory", RELATIVE),
        (
            ["check", "folder"],
            74,
            "cannot read the batch file folder: Is a directory",
            "name the files in it, as in 'folder/*.json'",
        ),
    ],
)
def test_mistake_is_named_with_a_hint(work, arguments, status, sentence, hint):
    said = run(work.env, *arguments, cwd=work.path)
    assert (said.status, said.out) == (status, "")
    assert said.err == f"error: {sentence.format(head=work.oid())}\nhint: {hint}\n"


@pytest.mark.parametrize("name", ["audit", "log", "stats", "check", "endings"])
def test_folder_without_a_repository_is_named_with_what_git_says(environment, tmp_path, name):
    said = run(environment, name, cwd=tmp_path)
    assert (said.status, said.out) == (5, "")
    assert said.err.startswith("error: no usable git repository at '.'\nhint: git says: ")
    other = run(environment, "-C", os.path.join(tmp_path, "nowhere"), name)
    assert (other.status, other.out) == (5, "")
    assert other.err.startswith(f"error: cannot change to '{tmp_path}/nowhere': no such directory\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["audit", "--format", "bad"], "invalid value for '--format': 'bad' is not one of 'table', 'json', "),
        (["audit", "--fail-on", "never"], "invalid value for '--fail-on': 'never' is not one of 'error', "),
        (["hook", "nonsense"], "no such command 'nonsense'"),
        (["show"], "missing argument 'COMMIT'"),
    ],
)
def test_wrong_word_is_named_with_the_usage(work, arguments, sentence):
    said = run(work.env, *arguments, cwd=work.path)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"error: {sentence}")
    assert "\nUsage: gitedit " in said.err
