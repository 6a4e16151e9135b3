"""`gitedit apply` and `gitedit show` as people and programs run them."""

import json
import os

import pytest

from .command import run

MIXED = b"one\r\ntwo\nthree\rx\nfour\r\n"
TWO = {"path": "mixed.txt", "edits": [{"oldText": "two", "newText": "2"}]}
NAMES = ["ok", "mode", "semantics", "dryRun", "commit", "ref", "parent", "recordId", "files", "warnings"]


@pytest.fixture
def mixed(repo):
    """A repository with a file of mixed line endings."""
    repo.commit({"mixed.txt": MIXED})
    return repo


def gitedit(repo, *arguments, batch=TWO, cwd=None, **variables):
    data = batch if isinstance(batch, bytes) else json.dumps(batch).encode()
    return run(repo.env, *arguments, data=data, cwd=cwd or repo.path, **variables)


def test_nothing_changes_when_it_is_a_dry_run(mixed):
    said = gitedit(mixed, "apply", "--dry-run", "--commit")
    assert said == (0, "mixed.txt: 1 edit, +1 -1 (exact 2)\n", "dry run: nothing was written\n")
    assert mixed.read("mixed.txt") == MIXED
    assert mixed.git("rev-list", "--count", "HEAD") == b"1"


def test_file_alone_changes_when_no_commit_is_asked_for(mixed):
    assert gitedit(mixed, "apply") == (0, "mixed.txt: 1 edit, +1 -1 (exact 2)\n", "")
    assert mixed.read("mixed.txt") == MIXED.replace(b"two", b"2")
    assert mixed.git("status", "--porcelain") == b" M mixed.txt"


def test_commit_holds_the_line_when_asked(mixed):
    said = gitedit(mixed, "apply", "--commit", "-m", "Say 2", "--agent", "A:b")
    assert said == (0, f"mixed.txt: 1 edit, +1 -1 (exact 2)\ncommit {mixed.oid()}\n", "")
    assert mixed.git("show", "--numstat", "--format=%s") == b"Say 2\n\n1\t1\tmixed.txt"
    assert mixed.git("status", "--porcelain") == b""


def test_document_says_what_was_committed_when_asked_for_json(mixed):
    parent = mixed.oid()
    said = gitedit(mixed, "--json", "apply", "--commit")
    facts = json.loads(said.out)
    assert list(facts) == NAMES
    assert (facts["commit"], facts["parent"], facts["ref"]) == (mixed.oid(), parent, "refs/heads/main")
    (file,) = facts["files"]
    census = {"lf": 2, "crlf": 2, "cr": 1}
    assert file["lineEndings"] == {"before": census, "after": census}
    assert mixed.git("show", "--format=").decode().endswith(file["patch"].partition("+++ ")[2].rstrip("\n"))


def test_git_takes_the_patch_when_it_is_printed(mixed):
    said = gitedit(mixed, "apply", "--dry-run", "--diff", "-q")
    mixed.git("apply", data=os.fsencode(said.out))
    assert mixed.read("mixed.txt") == MIXED.replace(b"two", b"2")


def test_paths_are_relative_when_run_below_or_with_a_directory(mixed, tmp_path):
    mixed.commit({"d/f": b"two\n", "d/e/g": b"two\n"})
    batch = {**TWO, "path": "f"}
    assert gitedit(mixed, "apply", batch=batch, cwd=os.path.join(mixed.path, "d")).status == 0
    assert mixed.read("d/f") == b"2\n"
    arguments = ("-C", mixed.path, "apply", "-C", "d")
    assert gitedit(mixed, *arguments, batch={**TWO, "path": "e/g"}, cwd=tmp_path).status == 0
    assert mixed.read("d/e/g") == b"2\n"


def test_settings_weigh_as_promised_when_all_layers_speak(mixed):
    mixed.git("config", "gitedit.agent", "Config:a")
    mixed.git("config", "gitedit.assistedBy", "false")

    def agent(*flags, batch=TWO, **variables):
        gitedit(mixed, "apply", "--commit", *flags, batch=batch, **variables)
        message = mixed.git("log", "-1", "--format=%B")
        assert b"Assisted-by" not in message
        mixed.git("reset", "-q", "--hard", "HEAD~")
        return [word for word in message.decode().split() if word.startswith("agent=")]

    assert agent() == ["agent=Config:a"]
    assert agent(GITEDIT_AGENT="Environ:b") == ["agent=Environ:b"]
    assert agent(batch={**TWO, "agent": "Batch:c"}, GITEDIT_AGENT="Environ:b") == ["agent=Batch:c"]
    assert agent("--agent", "Flag:d", batch={**TWO, "agent": "Batch:c"}) == ["agent=Flag:d"]
    assert agent("--agent", "") == []


def test_setting_is_refused_when_it_is_wrong(mixed):
    said = gitedit(mixed, "apply", "--json", GITEDIT_MODE="loose")
    assert said.status == 2
    assert said.err.startswith("error: GITEDIT_MODE is 'loose'; it must be 'strict' or 'anchored'\nhint: ")


@pytest.mark.parametrize(
    ("batch", "status", "code"),
    [
        (b"", 3, "bad-batch"),
        (b"nonsense", 3, "bad-batch"),
        (b"[]", 3, "no-edits"),
        (b"{}", 3, "missing-path"),
        (b"[" * 200_000, 3, "bad-batch"),
        (b" " * (65 << 20), 3, "bad-batch"),
        ({**TWO, "path": "a\0b"}, None, None),
        ({**TWO, "path": "missing"}, 5, "missing-file"),
        ({**TWO, "path": "../x"}, 5, "path-outside"),
        ({**TWO, "path": ".git/config"}, 5, "git-dir"),
        ({**TWO, "path": "link"}, 5, "symlink"),
        ({"path": "mixed.txt", "edits": [{"oldText": "not in there", "newText": "2"}]}, 4, "not-found"),
    ],
)
def test_bad_input_is_one_clear_sentence_when_it_cannot_be_done(mixed, batch, status, code):
    os.symlink("mixed.txt", os.path.join(mixed.path, "link"))
    text, document = gitedit(mixed, "apply", batch=batch), gitedit(mixed, "apply", "--json", batch=batch)
    error = json.loads(document.out)["error"]
    assert text.status == document.status == (status or text.status)
    assert text.status in {3, 4, 5}
    assert error["code"] == (code or error["code"])
    assert (text.out, document.err) == ("", "")
    assert text.err.startswith(f"error: {error['message']}"[:60])
    assert "Traceback" not in text.err
    assert len(text.err) < 2000
    assert mixed.read("mixed.txt") == MIXED
    assert mixed.git("status", "--porcelain") == b"?? link"


def test_directory_is_refused_when_it_is_no_repository(mixed, tmp_path):
    (tmp_path / "plain").mkdir()
    variables = {"GIT_CEILING_DIRECTORIES": str(tmp_path)}
    for directory in ("plain", "missing"):
        said = gitedit(mixed, "-C", directory, "apply", "--json", cwd=tmp_path, **variables)
        assert (said.status, json.loads(said.out)["error"]["code"]) == (5, "not-a-repository")


def test_recover_has_nothing_to_say_when_nothing_was_left(mixed):
    assert gitedit(mixed, "recover") == (0, "", "")
    assert gitedit(mixed, "recover", "--json") == (0, '{"ok": true, "lines": []}\n', "")


# -- show ----------------------------------------------------------------------------------------------------------


def test_show_says_so_when_there_is_no_record(mixed):
    said = gitedit(mixed, "show", "HEAD")
    assert (said.status, said.err) == (0, "")
    assert said.out.endswith("    change\n\nno record: an ordinary commit\n")


def test_show_says_that_the_record_holds_when_it_does(mixed):
    gitedit(mixed, "apply", "--commit", "--agent", "A:b")
    said = gitedit(mixed, "show", "HEAD")
    assert said.out.endswith(
        "\n  mode strict, tool gitedit/0.1.0, agent A:b\n  mixed.txt\n    line 2, byte 5: 3 bytes became 1 (exact)\n"
        "      -2 two\n      +2 2\nholds: the commit changes exactly these bytes, and nothing else\n"
    )
    assert gitedit(mixed, "-q", "show", "HEAD") == (0, "", "")


@pytest.mark.parametrize("revision", ["nonsense", "HEAD^{tree}", "HEAD~1..HEAD", "--all", "-x", "", "a\x1b"])
def test_show_is_refused_when_the_revision_is_not_one_commit(mixed, revision):
    mixed.commit(message="second")
    said = gitedit(mixed, "show", "--json", "--", revision)
    assert (said.status, said.err) == (2, "")
    assert json.loads(said.out)["error"]["code"] == "bad-revision"
    assert "\x1b" not in gitedit(mixed, "show", "--", revision).err
