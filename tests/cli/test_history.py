"""`gitedit log`, `show`, `blame` and `stats` as people and programs run them."""

import csv
import json

import pytest

from tests.audit.recorded import edit, line, text

from .command import WHOLE, at_terminal, run


@pytest.fixture
def work(repo):
    """One ordinary and one verified commit."""
    repo.commit({"a": text(3)})
    edit(repo, "a", (line(2), "two\n"), agent="A:b")
    return repo


def said(repo, *arguments):
    return run(repo.env, *arguments, cwd=repo.path)


def test_log_and_stats_say_so_when_nothing_is_recorded(repo):
    repo.commit({"a": "1\n"})
    assert said(repo, "log") == said(repo, "-q", "stats") == said(repo, "blame", "-q", "a") == (0, "", "")
    assert said(repo, "stats").out.endswith(": recorded edits wrote 0 of 1 lines (0.0%); 0 recorded commits\n")


def test_log_lists_commits_in_every_form(work):
    assert said(work, "log").out.endswith(" A:b: 1 edit in 1 file (exact 1): Edit a: 1 replacement\n")
    assert json.loads(said(work, "log", "--json").out)["commits"][0]["agents"] == ["A:b"]
    assert json.loads(said(work, "log", "--format", "jsonl").out)["commit"] == work.oid()
    (row,) = csv.DictReader(said(work, "log", "--format", "csv", "HEAD~1..").out.split("\n"))
    assert (row["commit"], row["status"]) == (work.oid(), "verified")


def test_show_says_whether_a_moved_record_holds(work):
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": "new\n" + text(3)})
    work.git("cherry-pick", "main")
    found = said(work, "show", "HEAD")
    assert found.out.endswith(
        "      -3 line 2\n      +3 two\nholds: the recorded edits, on another base, and nothing else\n"
    )
    facts = json.loads(said(work, "show", "--json", "HEAD").out)
    assert (facts["detail"], facts["records"][0]["files"][0]["edits"][0]["diff"]) == ("moved", "-3 line 2\n+3 two\n")


def test_blame_tells_recorded_lines_from_others(work):
    rows = said(work, "blame", "a").out.splitlines()
    assert [row.split()[1:3] for row in rows] == [["T", "unrecorded"], ["A:b", "exact"], ["T", "unrecorded"]]
    facts = json.loads(said(work, "blame", "--json", "a", "HEAD~1").out)
    assert [one["recorded"] for one in facts["lines"]] == [False, False, False]


def test_stats_count_in_every_form(work):
    assert ": recorded edits wrote 1 of 3 lines (33.3%); 1 recorded commit (1 verified)\n" in said(work, "stats").out
    assert json.loads(said(work, "stats", "--json").out)["agents"][0]["agent"] == "A:b"
    rows = csv.DictReader(said(work, "stats", "--format", "csv").out.split("\n"))
    assert [(row["by"], row["key"], row["lines"]) for row in rows] == [
        ("agent", "A:b", "1"),
        ("path", "a", "1"),
        ("month", "2023-11", "1"),
    ]


def test_terminal_shows_tables(work):
    status, shown = at_terminal(work, [*WHOLE, "log"])
    assert (status, "\x1b[32mverified" in shown) == (0, True)
    status, shown = at_terminal(work, [*WHOLE, "stats"], NO_COLOR="1")
    assert (status, "33.3%" in shown, "\x1b" in shown) == (0, True, False)


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["log", "nonsense"], 2, "bad-revision"),
        (["stats", "nonsense"], 2, "bad-revision"),
        (["blame", "nothing"], 5, "missing-file"),
        (["blame", "a", "--", "--contents=a"], 2, "bad-revision"),
    ],
)
def test_error_is_a_document_when_json_is_asked_for(work, arguments, status, code):
    found = said(work, "--json", *arguments)
    assert (found.status, json.loads(found.out)["error"]["code"]) == (status, code)
