"""`check` and `endings` as people and programs run them."""

import json

import pytest

from .command import run

BATCH = '{"path": "a.txt", "edits": [{"oldText": "first", "newText": "1st"}]}'
MISSED = BATCH.replace("first", "third")


@pytest.fixture
def work(repo):
    repo.commit({"a.txt": "first\nsecond\r\n"})
    return repo


def said(repo, *arguments, **how):
    return run(repo.env, *arguments, cwd=repo.path, **how)


def test_nothing_is_printed_to_standard_output_when_nothing_is_wrong(work):
    work.write("b.json", BATCH)
    assert said(work, "check", "b.json") == (0, "", "1 batch judged, 0 failed\n")
    assert said(work, "endings") == (0, "", "")


def test_check_names_file_line_and_code(work):
    work.write("b.json", MISSED)
    found = said(work, "check", "b.json")
    assert (found.status, found.err) == (1, "1 batch judged, 1 failed\n")
    assert found.out.startswith("b.json:1: not-found: a.txt: ")
    assert "\n  hint: " in found.out


def test_check_reads_standard_input(work):
    assert said(work, "check", "-", data=MISSED.encode()).out.startswith("-:1: not-found: ")


def test_check_is_one_document_when_it_is_asked_for(work):
    found = said(work, "check", "--json", "-", data=MISSED.encode())
    document = json.loads(found.out)
    assert (found.status, document["ok"]) == (1, True)
    assert document["batches"] == [{"path": "-", "line": 1, "state": "failed"}]
    assert {"path": "-", "line": 1, "code": "not-found"}.items() <= document["findings"][0].items()


def test_endings_are_one_document_when_it_is_asked_for(work):
    work.write("a.txt", "first\nsecond\n")
    found = said(work, "endings", "--fix", "--json")
    document = json.loads(found.out)
    assert (found.status, document["fixed"]) == (1, ["a.txt"])
    assert [(one["path"], one["line"], one["code"]) for one in document["findings"]] == [("a.txt", 2, "line-endings")]
    assert work.read("a.txt") == b"first\nsecond\r\n"


@pytest.mark.parametrize("arguments", [["check", "--nope"], ["endings", "--nope"], ["hook", "commit-msg"], ["hook"]])
def test_wrong_usage_is_two(work, arguments):
    found = said(work, *arguments)
    assert (found.status, found.out) == (2, "")


@pytest.mark.parametrize("arguments", [["check"], ["endings"], ["hook", "pre-commit"], ["hook", "install"]])
def test_place_without_a_repository_is_five(environment, tmp_path, arguments):
    found = run(environment, *arguments, cwd=tmp_path)
    assert (found.status, found.out) == (5, "")
    assert found.err.startswith("error: no usable git repository")


def test_missing_batch_is_an_error_when_it_is_named(work):
    found = said(work, "check", "nope.json")
    assert (found.status, found.out) == (74, "")
    assert found.err.startswith("error: cannot read the batch file nope.json: No such file")


def test_hook_passes_over_what_is_no_batch(work):
    """B144: a fixer that was run on COMMIT_EDITMSG broke the commit; a file in the list may be gone."""
    work.write(".git/COMMIT_EDITMSG", b"msg\r\n")
    for words in (["check", "--staged"], ["endings", "--staged", "--fix"]):
        names = [".git/COMMIT_EDITMSG", "a.txt", "missing.json"]
        assert said(work, *words, *names) == (0, "", "")
        assert said(work, *words, "--quiet", *names) == (0, "", "")
    assert work.read(".git/COMMIT_EDITMSG") == b"msg\r\n"
    assert work.git("status", "--porcelain") == b""
