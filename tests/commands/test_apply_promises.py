"""What `apply --commit` is for: mixed endings stay mixed, a person's hunks a person's, bad input changes nothing."""

import os

import pytest
from witness import LINES, batch_for, gitedit, refuses, see

from gitedit.edits.batch import MAX_BYTES

MIXED = b"one\r\ntwo\nthree\rx\nfour\r\nfive\r\r\nsix\nseven"
SETTINGS = {
    "nothing": ("", None),
    "text=auto": ("* text=auto\n", None),
    "text": ("* text\n", None),
    "eol=lf": ("* eol=lf\n", None),
    "eol=crlf": ("* text eol=crlf\n", None),
    "-text": ("* -text\n", None),
    "autocrlf": ("", "true"),
    "input": ("", "input"),
    "binary": ("* binary\n", None),
}


def stored_raw(repo, path, content, attributes, autocrlf):
    """Commit a file exactly as it is, then let attributes and configuration say something else about it."""
    repo.commit({"other": LINES})
    oid = repo.git("hash-object", "-w", "--no-filters", "--stdin", data=content).decode()
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{oid},{path}")
    repo.write(path, content)
    repo.git("commit", "-q", "-m", "raw")
    if attributes:
        repo.commit({".gitattributes": attributes})
    if autocrlf:
        repo.git("config", "core.autocrlf", autocrlf)


@pytest.mark.parametrize("name", SETTINGS)
def test_endings_are_as_mixed_as_before_when_git_would_convert_them(repo, name):
    stored_raw(repo, "mixed", MIXED, *SETTINGS[name])
    before = repo.git("ls-files", "--eol", "mixed").split(b"\t")[0].split()
    batch = {"path": "mixed", "edits": [{"oldText": "two", "newText": "2"}, {"oldText": "four", "newText": "4"}]}
    said = gitedit(repo, batch, "--commit")
    assert said.status == 0, said
    wanted = MIXED.replace(b"two", b"2").replace(b"four", b"4")
    assert (
        repo.git("cat-file", "-p", "HEAD:mixed") == repo.git("cat-file", "-p", ":mixed") == repo.read("mixed") == wanted
    )
    # The macro `binary` unsets diff, and numstat heeds that even with --text.
    counted = b"-\t-" if name == "binary" else b"2\t2"
    assert repo.git("show", "--format=", "--numstat", "--text") == counted + b"\tmixed"
    assert [(file["added"], file["removed"]) for file in said.facts["files"]] == [(2, 2)]
    assert repo.git("ls-files", "--eol", "mixed").split(b"\t")[0].split() == before
    warned = [warning for warning in said.facts["warnings"] if "mixed" in warning]
    # git leaves a file alone that is stored with CR, where text is only a guess.
    assert bool(warned) == (name in {"text", "eol=lf", "eol=crlf"})


def test_diffs_print_the_same_when_a_person_has_hunks_in_the_file(repo):
    repo.commit({"f": LINES})
    repo.write("f", LINES.replace(b"line 15\n", b"line 15\nstaged\n"))
    repo.git("add", "f")
    repo.write("f", repo.read("f").replace(b"line 25\n", b"unstaged\n"))

    def told():
        diffs = repo.git("diff"), repo.git("diff", "--cached")
        return [[row for row in diff.split(b"\n") if not row.startswith(b"index ")] for diff in diffs]

    before = told()
    assert gitedit(repo, batch_for("f"), "--commit").status == 0
    assert told() == before
    assert repo.git("show", "--numstat", "--format=") == b"1\t1\tf"


def test_hunks_move_with_the_lines_when_the_batch_adds_some_above(repo):
    repo.commit({"f": LINES})
    repo.write("f", LINES + b"mine\n")
    assert gitedit(repo, batch_for("f", b"line 02\n", b"line 02\na\nb\n"), "--commit").status == 0
    assert repo.git("diff", "-U0").endswith(b"@@ -32,0 +33 @@ line 30\n+mine")


NESTED = b"[" * 200_000
INPUTS = {
    "not JSON": (b"not json", "bad-batch"),
    "nothing": (b"", "bad-batch"),
    "blank": (b" \n", "bad-batch"),
    "an empty list": (b"[]", "no-edits"),
    "an empty object": (b"{}", "missing-path"),
    "no files": (b'{"files": []}', "no-edits"),
    "null": (b"null", None),
    "a number": (b"7", None),
    "text": (b'"f"', None),
    "true in a list": (b"[true]", None),
    "deep lists": (NESTED + b"]" * 200_000, None),
    "deep lists without an end": (NESTED, "bad-batch"),
    "deep objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "bad-batch"),
    "not UTF-8": (b'{"path": "\xff", "edits": []}', "bad-batch"),
    "UTF-16": ('{"path": "f"}'.encode("utf-16"), None),
    "a NUL": (b'{"path": "f\\u0000", "edits": [{"oldText": "line 05", "newText": "x"}]}', "path-outside"),
    "a lone surrogate": (b'{"path": "\\ud800", "edits": [{"oldText": "a", "newText": "b"}]}', "bad-batch"),
    "not a number": (b'{"path": "f", "edits": NaN}', None),
    "keys twice": (b'{"path": "f", "path": "g", "edits": [{"oldText": "line 05", "newText": ""}]}', "bad-batch"),
    "no edits": (b'{"path": "f", "edits": []}', "no-edits"),
    "an empty path": (b'{"path": "", "edits": [{"oldText": "a", "newText": "b"}]}', "missing-path"),
    "a path of blanks": (b'{"path": " ", "edits": [{"oldText": "a", "newText": "b"}]}', "missing-file"),
    "a list for a path": (b'{"path": ["f"], "edits": [{"oldText": "a", "newText": "b"}]}', "missing-path"),
    "an empty needle": (b'{"path": "f", "edits": [{"oldText": "", "newText": "b"}]}', "empty-old-text"),
    "no change": (b'{"path": "f", "edits": [{"oldText": "line 05", "newText": "line 05"}]}', None),
    "more after it": (b'{"path": "f", "edits": [{"oldText": "line 05", "newText": "x"}]} {}', "bad-batch"),
    "too much": (b" " * (MAX_BYTES + 1), "bad-batch"),
}


@pytest.mark.parametrize("name", INPUTS)
def test_nothing_changes_when_the_input_is(repo, name):
    data, code = INPUTS[name]
    repo.commit({"f": LINES})
    before = see(repo)
    said = gitedit(repo, data, "--commit")
    assert said.status in {3, 4, 5}, said
    assert code in (None, said.code), said
    message = said.facts["error"]["message"]
    assert 0 < len(message) < 500
    assert "\n" not in message
    assert see(repo) == before
    if said.code in {"bad-batch", "no-edits", "missing-path", "path-outside"}:
        assert not os.path.exists(os.path.join(repo.path, ".git/gitedit"))


@pytest.mark.parametrize("encoding", ["utf-8-sig"])
def test_batch_is_taken_when_it_begins_with_a_mark(repo, encoding):
    repo.commit({"f": LINES})
    said = gitedit(
        repo, '{"path": "f", "edits": [{"oldText": "line 05", "newText": "x"}]}'.encode(encoding), "--commit"
    )
    assert said.status in {0, 3}


@pytest.mark.parametrize("flag", ["--commit", "--exact"])
def test_nothing_changes_when_one_file_of_many_is_refused(repo, flag):
    repo.commit({"f": LINES, "g": LINES})
    os.symlink("f", os.path.join(repo.path, "link"))
    for path, code in (
        ("link", "symlink"),
        ("nowhere", "missing-file"),
        ("../x", "path-outside"),
        (".git/config", "git-dir"),
    ):
        refuses(repo, code, [batch_for("f"), batch_for(path), batch_for("g")], flag)
    refuses(repo, "not-found", [batch_for("f"), batch_for("g", b"line 99")], flag)
    refuses(repo, "not-unique", [batch_for("f"), batch_for("g", b"line")], flag)
