"""Hooks that say no or meddle: everything is as before, the hook is named, and bytes that it left are kept."""

import os
import re

import pytest

from .applying import BATCH, EDITED, LINES, committed, hook, noted, notes, picture, refused

MESSAGE_HOOKS = ("prepare-commit-msg", "commit-msg")


@pytest.fixture
def work(repo):
    """A repository with staged and unstaged work in the batch's file and in another."""
    repo.commit({"f": LINES, "other": b"other\n", "d/g": LINES})
    repo.write("f", LINES.replace(b"line 1\n", b"staged 1\n"))
    repo.git("add", "f")
    repo.write("f", LINES.replace(b"line 1\n", b"staged 1\n") + b"unstaged\n")
    repo.write("other", b"staged\n")
    repo.git("add", "other")
    repo.write("other", b"unstaged\n")
    repo.write("new", b"untracked\n")
    os.chmod(os.path.join(repo.path, "f"), 0o700)
    return repo


def kept(repo):
    """Return the contents that a run has kept, by file name."""
    folder = os.path.join(repo.path, ".git", "gitedit", "kept")
    return {name: repo.read(os.path.join(folder, name)) for name in os.listdir(folder)}


def check_rolled_back(repo, code, words, batch=BATCH, *arguments):
    """Run a batch that must be refused with everything as before; return the error."""
    before = picture(repo)
    status, error = refused(repo, *arguments, batch=batch)
    assert (status, error["code"]) == (7, code), error
    assert words in error["message"]
    assert picture(repo) == before
    assert os.listdir(os.path.join(repo.path, ".git", "gitedit", "run")) == []
    assert not os.path.exists(os.path.join(repo.path, ".git", "gitedit", "journal"))
    return error


@pytest.mark.parametrize("name", ["pre-commit", *MESSAGE_HOOKS])
def test_everything_is_as_before_when_a_hook_fails(work, name):
    hook(work, name, "git status; exit 3")
    check_rolled_back(work, "hook-rejected", f"the {name} hook exited with 3")
    assert kept(work) == {}


def test_signal_is_named_when_a_hook_dies_of_it(work):
    hook(work, "pre-commit", "kill -KILL $$")
    check_rolled_back(work, "hook-rejected", "the pre-commit hook exited with 137")


def test_hook_that_cannot_start_is_named_when_its_interpreter_is_missing(work):
    hook(work, "pre-commit", "", interpreter="/nowhere/sh")
    check_rolled_back(work, "hook-rejected", "the pre-commit hook")


def test_bytes_that_a_hook_left_are_kept_and_named_when_it_reformats_and_fails(work):
    hook(work, "pre-commit", "sed -i 's/line six/line  SIX/' f; exit 1")
    edited = work.read("f").replace(b"line 6\n", b"line  SIX\n")
    error = check_rolled_back(work, "hook-rejected", "pre-commit")
    ((name, content),) = kept(work).items()
    assert content == edited
    assert os.path.join(".git", "gitedit", "kept", name) in error["hint"]


@pytest.mark.parametrize("script", ["rm f", "rm f; mkdir f; echo x >f/x", "rm f; ln -s other f", "mv f f.bak"])
def test_file_comes_back_with_its_mode_when_a_hook_removes_it_and_fails(work, script):
    hook(work, "pre-commit", f"{script}; exit 1")
    before = picture(work)
    status, error = refused(work)
    assert (status, error["code"]) == (7, "hook-rejected")
    after = picture(work)
    after["files"].pop("f.bak", None)
    assert after == before


@pytest.mark.parametrize("script", ["rm -r d", "mv d e"])
def test_file_comes_back_when_a_hook_removes_its_folder_and_fails(work, script):
    hook(work, "pre-commit", f"{script}; exit 1")
    before = picture(work)
    status, error = refused(work, batch={**BATCH, "path": "d/g"})
    assert (status, error["code"]) == (7, "hook-rejected")
    after = picture(work)
    after["files"].pop("e/g", None)
    assert after == before


@pytest.mark.parametrize("script", ["ln -s ../elsewhere d", ": >d"])
def test_nothing_is_written_through_it_when_a_hook_puts_something_else_in_the_folders_place(work, script):
    os.mkdir(os.path.join(work.path, "../elsewhere"))
    hook(work, "pre-commit", f"rm -r d; {script}; exit 1")
    status, error = refused(work, batch={**BATCH, "path": "d/g"})
    assert (status, error["code"]) == (7, "hook-rejected")
    assert os.listdir(os.path.join(work.path, "../elsewhere")) == []
    assert "d/g" in error["hint"]
    assert LINES in kept(work).values()


def test_mode_comes_back_when_a_hook_changes_it_and_fails(work):
    hook(work, "pre-commit", "chmod 600 f; exit 1")
    check_rolled_back(work, "hook-rejected", "pre-commit")


def test_files_outside_the_batch_stay_as_the_hook_left_them_when_it_fails(work):
    """They are the hook's own, as with `git commit`."""
    hook(work, "pre-commit", "echo made >made; exit 1")
    refused(work)
    assert work.read("made") == b"made\n"


@pytest.mark.parametrize("script", ["sed -i 's/six/SIX/' f; git add f", "git add other", "git rm -q --cached d/g"])
@pytest.mark.parametrize("name", ["pre-commit", "commit-msg"])
def test_commit_is_refused_when_a_hook_stages_other_content(work, name, script):
    hook(work, name, script)
    error = check_rolled_back(work, "hook-changed-commit", f"the {name} hook staged other content: ")
    assert re.search(r"content: (f|other|d/g)$", error["message"])


def test_commit_is_refused_when_a_hook_changes_the_staged_mode(work):
    hook(work, "pre-commit", "git update-index --chmod=+x f")
    check_rolled_back(work, "hook-changed-commit", "staged other content: f")


@pytest.mark.parametrize("name", MESSAGE_HOOKS)
@pytest.mark.parametrize(
    "script",
    [
        ': >"$1"',
        'rm "$1"',
        'echo new >"$1"',
        'sed -i /^Gitedit-/d "$1"',
        "sed -i '/^Gitedit-Edit/d' \"$1\"",
        "sed -i 's/^\\(Gitedit-File: .*\\) 100644/\\1 100755/' \"$1\"",
        'echo >>"$1"; echo Prose below. >>"$1"',
        'grep ^Gitedit-Record "$1" | sed s/strict/anchored/ >>"$1"',
        "printf '\\000' >>\"$1\"",
        'printf \'caf\\351\\n\' | cat - "$1" >m && mv m "$1"',
    ],
)
def test_commit_is_refused_when_a_message_hook_changes_the_record(work, name, script):
    hook(work, name, script)
    check_rolled_back(work, "hook-changed-commit", f"the {name} hook")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("true", b"Say six"),
        ('git interpret-trailers --in-place --trailer Change-Id:I123 "$1"', b"Say six"),
        ('printf \'PROJ-1: \' | cat - "$1" >m && mv m "$1"', b"PROJ-1: Say six"),
        ("sed -i '1a \\\\nMore words.' \"$1\"", b"Say six"),
        ("printf '\\n\\n' >>\"$1\"", b"Say six"),
        ('printf %s "$(cat "$1")" >m; mv m "$1"', b"Say six"),
        ('sed -i /^Assisted-by/d "$1"', b"Say six"),
    ],
)
def test_commit_is_made_when_a_message_hook_leaves_the_record_alone(work, script, expected):
    hook(work, "commit-msg", script)
    document = committed(work, "-m", "Say six", "--agent", "A:b")
    assert work.git("log", "-1", "--format=%s") == expected
    assert document["recordId"].encode() in work.git("log", "-1", "--format=%(trailers:key=Gitedit-Record,valueonly)")
    if "Change-Id" in script:
        assert work.git("log", "-1", "--format=%(trailers:key=Change-Id,valueonly)").strip() == b"I123"


def test_commit_stands_with_a_warning_when_a_passing_hook_touches_the_disk_only(work):
    hook(work, "pre-commit", "sed -i 's/line six/line  SIX/' f")
    expected = work.read("f").replace(b"line 6\n", b"line  SIX\n")
    document = committed(work)
    assert document["warnings"] == [
        "f: changed on disk while the hooks ran; the commit holds the edit, the rest is unstaged"
    ]
    assert work.git("show", "HEAD:f") + b"\n" == EDITED
    assert work.git("show", ":f") + b"\n" == EDITED.replace(b"line 1\n", b"staged 1\n")
    assert work.read("f") == expected


@pytest.mark.parametrize("script", ["rm f", "rm f; mkdir f", "rm f; ln -s other f"])
def test_commit_stands_with_a_warning_when_a_passing_hook_removes_the_file(work, script):
    hook(work, "pre-commit", script)
    document = committed(work)
    assert document["warnings"][0].startswith("f: changed on disk while the hooks ran")
    assert work.git("show", "HEAD:f") + b"\n" == EDITED


def test_mode_stays_unstaged_when_a_passing_hook_changes_it(repo):
    repo.commit({"f": LINES})
    hook(repo, "pre-commit", "chmod +x f")
    committed(repo)
    assert repo.git("ls-files", "--stage", "f").startswith(b"100644")
    assert repo.git("diff-tree", "--raw", "HEAD^", "HEAD").startswith(b":100644 100644")
    assert repo.git("status", "--porcelain") == b" M f"


def test_work_stays_when_a_hook_stashes_and_pops(work):
    # What stash finds staged is the commit; the user's staged entries look like unstaged changes to it.
    hook(work, "pre-commit", "git stash -q --keep-index && cat f >../seen && git stash pop -q")
    before = picture(work)
    edited = before["files"]["f"][1].replace(b"line 6\n", b"line six\n")
    committed(work)
    assert work.read("../seen") == EDITED
    assert work.read("f") == edited
    assert work.git("show", ":f") + b"\n" == EDITED.replace(b"line 1\n", b"staged 1\n")
    assert (work.git("show", ":other"), work.read("other")) == (b"staged", b"unstaged\n")
    assert work.git("stash", "list") == b""


def test_file_gets_its_bytes_back_when_a_hook_stashes_and_fails(work):
    hook(work, "pre-commit", "git stash -q; exit 1")
    before = picture(work)
    assert refused(work)[0] == 7
    after = picture(work)
    assert after["files"]["f"] == before["files"]["f"]
    assert (after["index"], after["head"]) == (before["index"], before["head"])
    assert work.git("show", "stash@{0}:other") == b"unstaged"


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("unset GIT_INDEX_FILE; git commit -q --no-verify --allow-empty -m moved", "ref-moved"),
        ("git update-ref refs/heads/main HEAD^", "ref-moved"),
        ("git symbolic-ref HEAD refs/heads/side", "ref-moved"),
        ("git checkout -q --detach", "ref-moved"),
        ("unset GIT_INDEX_FILE; git add f", "index-changed"),
    ],
)
def test_edit_is_taken_back_when_a_hook_moves_head_or_the_index(repo, script, code):
    repo.commit({"f": b"old\n"})
    repo.commit({"f": LINES, "other": b"other\n"})
    repo.git("branch", "side")
    hook(repo, "pre-commit", script)
    status, error = refused(repo)
    assert (status, error["code"]) == (6, code)
    assert repo.read("f") == LINES
    assert [name for name in os.listdir(os.path.join(repo.path, ".git")) if name.endswith(".lock")] == []
    assert b"line six" not in repo.git("log", "--all", "-p", "--format=")


@pytest.mark.parametrize("state", ["prepared", "committed", "aborted"])
def test_commit_is_refused_only_when_a_reference_transaction_hook_can_veto(work, state):
    hook(work, "reference-transaction", f"{noted(work, 'ran', '$1')}; [ $1 != {state} ]")
    if state == "prepared":
        check_rolled_back(work, "hook-rejected", "the reference-transaction hook")
    else:
        committed(work)
        assert notes(work, "ran") == ["prepared", "committed"]


def test_every_file_comes_back_when_a_hook_fails_after_it_changed_some(work):
    hook(work, "pre-commit", "sed -i s/six/SIX/ d/g; rm other; exit 1")
    edits = BATCH["edits"]
    before = picture(work)
    other = {"path": "other", "edits": [{"oldText": "unstaged", "newText": "x"}]}
    work.git("add", "other")
    work.git("commit", "-q", "--no-verify", "-m", "other", "--only", "other")
    before = picture(work)
    status, error = refused(work, batch={"files": [BATCH, {"path": "d/g", "edits": edits}, other]})
    assert (status, error["code"]) == (7, "hook-rejected")
    assert picture(work) == before
    assert list(kept(work).values()) == [EDITED.replace(b"six", b"SIX")]


def test_index_lock_of_a_hook_is_not_waited_for_when_it_lies_beside_the_scratch_index(work):
    hook(work, "pre-commit", ': >"$GIT_INDEX_FILE.lock"')
    assert refused(work)[1]["code"] in {"hook-changed-commit", "git-failed"}
