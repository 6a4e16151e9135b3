"""`check` judges batches by the index and HEAD, and writes nothing."""

import hashlib
import json
import os

import pytest

from gitedit.commands.check import CheckRequest, check
from gitedit.errors import EditError
from gitedit.report.complaints import lines

ONE = {"path": "a.txt", "edits": [{"oldText": "first", "newText": "1st"}]}


@pytest.fixture(autouse=True)
def _here(environment, monkeypatch):
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])


@pytest.fixture
def work(repo):
    """A repository with a file of two lines."""
    repo.commit({"a.txt": "first\ntwo\n"})
    return repo


def stage(repo, path, content):
    repo.write(path, json.dumps(content) if isinstance(content, dict) else content)
    repo.git("add", "--", path)


def judged(repo, *names, **how):
    """Return the states and the complaints (file, line, code)."""
    found = check(CheckRequest(tuple(names), repo.path, **how))
    return [one.state for one in found.judged], [(c.path, c.line, c.code) for c in found.complaints]


# -- nothing to say ------------------------------------------------------------------------------------------------


def test_nothing_is_judged_when_there_are_no_batches(work):
    assert judged(work) == ([], [])


def test_other_files_are_passed_over_when_a_hook_gets_their_names(work):
    work.write(".git/COMMIT_EDITMSG", "msg\r\n")
    assert judged(work, ".git/COMMIT_EDITMSG", "a.txt", "missing.json", staged=True) == ([], [])


def test_old_batch_is_judged_by_its_shape_only_when_it_is_unchanged(work):
    work.commit({"b.gitedit.json": json.dumps(ONE), "a.txt": "else\n"})
    assert judged(work) == (["shape"], [])
    assert judged(work, "b.gitedit.json", staged=True) == (["shape"], [])


def test_named_batch_is_judged_whole_when_it_is_unchanged(work):
    work.commit({"b.gitedit.json": json.dumps(ONE), "a.txt": "else\n"})
    assert judged(work, "b.gitedit.json") == (["failed"], [("b.gitedit.json", 1, "not-found")])


def test_batch_passes_when_it_applies(work):
    stage(work, "b.gitedit.json", ONE)
    assert judged(work) == (["applies"], [])


def test_nothing_is_written_when_batches_are_judged(work):
    stage(work, "b.gitedit.json", ONE)
    work.write("a.txt", "first\ntwo\n")  # the index's stat data is stale now
    before = {name: os.stat(os.path.join(work.path, ".git", name)).st_mtime_ns for name in ("index", ".", "objects")}
    judged(work)
    after = {name: os.stat(os.path.join(work.path, ".git", name)).st_mtime_ns for name in before}
    assert before == after


# -- applied already -----------------------------------------------------------------------------------------------


def test_batch_passes_when_head_and_batch_give_what_is_staged(work):
    stage(work, "b.gitedit.json", {"path": "a.txt", "edits": [{"oldText": "first\n", "newText": ""}]})
    stage(work, "a.txt", "two\n")
    assert judged(work) == (["applied"], [])


def test_batch_passes_when_every_new_text_is_there_once_and_can_be_taken_back(work):
    work.commit({"a.txt": "1st\ntwo\n"})
    assert judged(work, "-", stdin=json.dumps(ONE).encode()) == (["applied"], [])


def test_batch_fails_when_its_new_text_is_there_twice(work):
    work.commit({"a.txt": "1st\n1st\ntwo\n"})
    assert judged(work, "-", stdin=json.dumps(ONE).encode()) == (["failed"], [("-", 1, "not-found")])


def test_deletion_fails_when_it_matches_nothing(work):
    batch = {"path": "a.txt", "edits": [{"oldText": "three\n", "newText": ""}]}
    assert judged(work, "-", stdin=json.dumps(batch).encode())[1] == [("-", 1, "not-found")]


def test_batch_fails_when_only_one_of_its_files_has_it(work):
    work.commit({"a.txt": "1st\n", "c.txt": "first\n"})
    batch = {"files": [ONE, {**ONE, "path": "c.txt"}]}
    assert judged(work, "-", stdin=json.dumps(batch, indent=1).encode()) == (["failed"], [("-", 6, "not-found")])


# -- what is wrong -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("batch", "line", "code"),
    [
        ('{"path": "a.txt", "edits": []}', 1, "no-edits"),
        ('{\n"path": "a.txt"\n', 3, "bad-batch"),
        ('{"path": "a.txt", "edits": [\n{"oldText": "first"}]}', 2, "invalid-edit"),
        ('{"edits": [{"oldText": "first", "newText": "1st"}]}', 1, "missing-path"),
        ('{"path": "../x", "edits": [{"oldText": "first", "newText": "1st"}]}', 1, "path-outside"),
        ('{"path": ".git/config", "edits": [{"oldText": "first", "newText": "1st"}]}', 1, "git-dir"),
        ('{"path": "nope", "edits": [{"oldText": "first", "newText": "1st"}]}', 1, "missing-file"),
        ('{"path": "a.txt", "edits": [\n{"oldText": "t", "newText": "1"}]}', 2, "not-unique"),
        ('{"path": "a.txt", "edits": [\n{"oldText": "first", "newText": "first"}]}', 2, "no-op-edit"),
        (
            '{"path": "a.txt", "agent": "x\\u0007", "edits": [{"oldText": "first", "newText": "1st"}]}',
            1,
            "bad-provenance",
        ),
        ('{"path": "a.txt", "expect": "sha256:00", "edits": [{"oldText": "first", "newText": "1st"}]}', 1, "stale"),
    ],
)
def test_batch_is_refused_with_its_line_when_it_is_staged(work, batch, line, code):
    stage(work, "b.gitedit.json", batch)
    assert judged(work) == (["failed"], [("b.gitedit.json", line, code)])


@pytest.mark.parametrize("on_disk", [b"first\ntwo\n", b"first\r\ntwo\r\n"])
def test_batch_passes_when_it_expects_the_staged_version(work, on_disk):
    """The hash is of the bytes on disk, where git may have put CRLF."""
    batch = {**ONE, "expect": "sha256:" + hashlib.sha256(on_disk).hexdigest()}
    assert judged(work, "-", stdin=json.dumps(batch).encode()) == (["applies"], [])


def test_each_line_is_a_batch_when_the_file_is_jsonl(work):
    stage(work, "b.gitedit.jsonl", json.dumps(ONE) + "\n\n" + json.dumps({**ONE, "path": "nope"}) + "\n{\n")
    states, complaints = judged(work)
    assert states == ["applies", "failed", "failed"]
    assert complaints == [("b.gitedit.jsonl", 3, "missing-file"), ("b.gitedit.jsonl", 4, "bad-batch")]


def test_staged_version_is_judged_when_the_working_copy_is_another(work):
    stage(work, "b.gitedit.json", ONE)
    work.write("a.txt", "nothing of it\n")
    work.write("b.gitedit.json", "{}")
    assert judged(work) == (["applies"], [])


def test_symlink_is_refused_when_it_or_its_folder_is_one_in_the_index(work):
    os.symlink("a.txt", os.path.join(work.path, "link"))
    os.symlink(".", os.path.join(work.path, "folder"))
    work.git("add", ".")
    for path in ("link", "folder/a.txt"):
        assert judged(work, "-", stdin=json.dumps({**ONE, "path": path}).encode())[1] == [("-", 1, "symlink")]


def test_filtered_file_is_refused_when_the_index_says_so(work):
    stage(work, ".gitattributes", "*.txt filter=x\n")
    os.unlink(os.path.join(work.path, ".gitattributes"))
    assert judged(work, "-", stdin=json.dumps(ONE).encode())[1] == [("-", 1, "filtered")]


def test_hidden_file_is_refused_when_a_flag_is_set(work):
    work.git("update-index", "--assume-unchanged", "a.txt")
    assert judged(work, "-", stdin=json.dumps(ONE).encode())[1] == [("-", 1, "hidden-flag")]


def test_endings_are_refused_when_git_would_flatten_them(work):
    work.commit({".gitattributes": "*.txt text\n", "a.txt": "first"})
    batch = {"path": "a.txt", "edits": [{"oldText": "first", "newText": "1st\r\n2\r\n"}]}
    assert judged(work, "-", stdin=json.dumps(batch).encode())[1] == [("-", 1, "line-endings")]


# -- against what is staged ----------------------------------------------------------------------------------------


def test_staged_change_passes_when_it_is_what_the_batch_does(work):
    stage(work, "a.txt", "1st\ntwo\n")
    assert judged(work, "-", stdin=json.dumps(ONE).encode(), against_staged=True) == (["as-staged"], [])


def test_staged_change_fails_when_it_is_more_than_the_batch(work):
    stage(work, "a.txt", "1st\n2\n")
    found = check(CheckRequest(("-",), work.path, stdin=json.dumps(ONE).encode(), against_staged=True))
    assert lines(found.complaints).startswith("-:1: dirty: a.txt:2: what is staged")


def test_staged_change_fails_when_it_is_not_there(work):
    assert judged(work, "-", stdin=json.dumps(ONE).encode(), against_staged=True)[1] == [("-", 1, "dirty")]


# -- where hooks run -----------------------------------------------------------------------------------------------


def test_other_index_is_read_when_the_hook_has_one(work, monkeypatch):
    """B174."""
    work.commit({"batch.json": json.dumps(ONE)})
    work.write("batch.json", '{"path":"a.txt","edits":[]}')
    work.git("read-tree", "HEAD", GIT_INDEX_FILE=".git/next-index")
    work.git("add", "batch.json", GIT_INDEX_FILE=".git/next-index")
    monkeypatch.chdir(work.path)
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    before = os.stat(".git/index")
    found = check(CheckRequest(("batch.json",), staged=True))
    assert [c.code for c in found.complaints] == ["no-edits"]
    assert os.stat(".git/index") == before


def test_repository_is_found_when_git_dir_is_relative_and_the_hook_went_below(work, monkeypatch):
    """B149."""
    work.commit({"sub/batch.json": json.dumps({**ONE, "path": "../a.txt"})})
    monkeypatch.chdir(os.path.join(work.path, "sub"))
    monkeypatch.setenv("GIT_DIR", ".git")
    before = os.stat("../.git/index").st_mtime_ns
    found = check(CheckRequest(("batch.json",)))
    assert [one.state for one in found.judged] == ["applies"]
    assert os.stat("../.git/index").st_mtime_ns == before


def test_batch_is_judged_when_the_branch_is_unborn(repo):
    stage(repo, "a.txt", "first\n")
    stage(repo, "b.gitedit.json", ONE)
    assert judged(repo) == (["applies"], [])


def test_batch_is_judged_when_the_work_tree_is_linked(work):
    work.git("worktree", "add", "-q", "../linked")
    stage(work, "b.gitedit.json", {})
    linked = os.path.join(os.path.dirname(work.path), "linked")
    assert check(CheckRequest((), linked)).judged == ()


def test_it_is_refused_when_there_is_no_repository(tmp_path):
    with pytest.raises(EditError) as caught:
        check(CheckRequest((), str(tmp_path)))
    assert caught.value.code == "not-a-repository"
