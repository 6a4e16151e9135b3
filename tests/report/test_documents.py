"""The JSON documents are a contract: names, order, one line, ASCII."""

import json

import pytest

from gitedit.edits.model import Outcome
from gitedit.errors import BatchError, MatchError, Problem
from gitedit.report.documents import applied, refused

from .results import committed, file_result, uncommitted, whole


def test_document_has_no_commit_when_none_was_made():
    said = json.loads(applied(uncommitted(mode="anchored", dry_run=True, warnings=("w",))))
    files = said.pop("files")
    assert said == {
        "ok": True,
        "mode": "anchored",
        "semantics": "original",
        "dryRun": True,
        "commit": None,
        "ref": None,
        "parent": None,
        "recordId": None,
        "warnings": ["w"],
    }
    assert len(files) == 1


def test_document_is_the_promised_one_when_a_commit_was_made():
    said = applied(committed())
    assert said.endswith("\n")
    assert said.count("\n") == 1
    assert list(json.loads(said)) == [
        "ok",
        "mode",
        "semantics",
        "dryRun",
        "commit",
        "ref",
        "parent",
        "recordId",
        "files",
        "warnings",
    ]
    assert json.loads(said)["files"] == [
        {
            "path": "src/mixed.txt",
            "edits": [{"matchedVia": "exact", "startLine": 2, "endLine": 2}],
            "added": 1,
            "removed": 1,
            "firstChangedLine": 2,
            "lineEndings": {"before": {"lf": 2, "crlf": 2, "cr": 1}, "after": {"lf": 2, "crlf": 2, "cr": 1}},
            "diff": " 1 one\r\n-2 two\n+2 2\n 3 three\rstill three\n 4 four\r\n",
            "patch": "diff --git a/src/mixed.txt b/src/mixed.txt\n--- a/src/mixed.txt\n+++ b/src/mixed.txt\n"
            "@@ -1,4 +1,4 @@\n one\r\n-two\n+2\n three\rstill three\n four\r\n",
        }
    ]


def test_edits_are_as_many_as_given_when_regions_merged():
    edits = tuple(Outcome("exact", line, line) for line in (3, 1, 2))
    said = json.loads(applied(uncommitted(file_result(edits=edits))))
    assert [edit["startLine"] for edit in said["files"][0]["edits"]] == [3, 1, 2]


def test_document_is_ascii_when_path_and_content_are_not_utf_8():
    said = applied(uncommitted(whole("caf\udce9\n", b"\xe9\n", b"\xff\xe2\x80\xa8\n")))
    assert said.isascii()
    assert r'"caf\udce9\n"' in said
    assert r"-1 \udce9\n+1 \udcff\u2028\n" in said
    file = json.loads(said)["files"][0]
    assert file["patch"].encode("utf-8", "surrogateescape").endswith(b"-\xe9\n+\xff\xe2\x80\xa8\n")


@pytest.mark.parametrize(
    ("old", "new", "diff"),
    [
        (b"a", b"b", "-1 a\n\\ No newline at end of file\n+1 b\n\\ No newline at end of file\n"),
        (b"x" * 3000, b"y\n", f"-1 {'x' * 1000}\u2026\n\\ No newline at end of file\n+1 y\n"),
        ("é".encode() * 600 + b"z", "xé".encode() * 500, None),
    ],
)
def test_display_is_short_when_lines_are_long_or_the_newline_is_missing(old, new, diff):
    said = json.loads(applied(uncommitted(whole("f", old, new))))["files"][0]["diff"]
    assert diff is None or said == diff
    assert not any(0xDC80 <= ord(char) <= 0xDCFF for char in said)
    assert len(said) < 3000


def test_display_ends_early_when_the_change_is_long():
    said = json.loads(applied(uncommitted(whole("f", b"a\n" * 300, b"b\n" * 300))))["files"][0]
    assert said["diff"].count("\n") == 201
    assert said["diff"].endswith("\n... 400 more lines\n")
    assert said["patch"].count("\n") == 604


def test_hunks_are_apart_when_changes_are():
    old = b"1\n" + b"=\n" * 10 + b"2\n"
    edits = [(0, 1), (22, 23)]
    regions = tuple(file_result().regions[0]._replace(old_start=a, old_end=b, new_start=a, new_end=b) for a, b in edits)
    said = json.loads(
        applied(uncommitted(file_result(old=old, new=old.replace(b"1", b"3").replace(b"2", b"4"), regions=regions)))
    )
    assert said["files"][0]["diff"] == ("- 1 1\n+ 1 3\n  2 =\n  3 =\n  4 =\n...\n  9 =\n 10 =\n 11 =\n-12 2\n+12 4\n")


def test_refusal_has_an_empty_list_when_it_has_no_problems():
    assert json.loads(refused(BatchError("bad-batch", "m"))) == {
        "ok": False,
        "error": {"code": "bad-batch", "message": "m", "hint": "", "problems": []},
    }


def test_refusal_lists_problems_when_there_are_some():
    problems = (Problem("a", 0, "not-found", "one"), Problem(None, None, "not-unique", "two", (3, 4)))
    said = refused(MatchError("not-found", "x\udcff", "h", problems))
    assert r"x\udcff" in said
    assert json.loads(said)["error"]["problems"] == [
        {"path": "a", "edit": 0, "code": "not-found", "message": "one", "lines": []},
        {"path": None, "edit": None, "code": "not-unique", "message": "two", "lines": [3, 4]},
    ]
