"""Numbers that add up, for verified commits only, and lines that are still there."""

import csv
import json

import pytest

from gitedit.commands.audit import AuditRequest
from gitedit.commands.log import log
from gitedit.commands.stats import stats
from gitedit.report.counted import stats_document, stats_lines, stats_rows
from gitedit.report.logged import log_document, log_json_lines, log_lines, log_rows
from tests.audit.recorded import edit, edits, environ, line, text


@pytest.fixture
def work(repo):
    """Two files of ten lines, three recorded commits by two agents, one by a person."""
    repo.commit({"a": text(10), "b": text(10), "bin": b"\0\n\n\n"})
    edit(repo, "a", (line(2), "two\nand\n"), agent="A:b")
    edits(repo, {"a": [(line(5), "")], "b": [(line(1), "one\n")]}, agent="C:d")
    repo.commit({"a": repo.read("a").replace(b"and\n", b"And\n")})
    edit(repo, "b", (line(9), "nine\n"))
    return repo


def counted(repo, *revisions):
    with environ(repo.env):
        return stats(AuditRequest(repo.path, revisions, cache=False))


def rows(table):
    return {row.key: (row.commits, row.edits, row.added, row.removed, row.lines, row.of) for row in table}


def test_there_is_nothing_when_nothing_is_recorded(repo):
    repo.commit({"a": text(3), "b": "no newline"})
    found = counted(repo)
    assert (found.lines, found.recorded, found.commits, found.agents, found.paths, found.months) == (
        4,
        0,
        0,
        (),
        (),
        (),
    )


def test_numbers_are_told_by_agent_path_and_month(work):
    found = counted(work)
    assert (found.head, found.lines, found.recorded, found.commits) == (work.oid(), 20, 3, 3)
    assert rows(found.agents) == {"A:b": (1, 1, 2, 1, 1, 20), "C:d": (1, 2, 1, 2, 1, 20), None: (1, 1, 1, 1, 1, 20)}
    assert rows(found.paths) == {"a": (2, 2, 2, 2, 1, 10), "b": (2, 2, 2, 2, 2, 10)}
    assert rows(found.months) == {"2023-11": (3, 4, 4, 4, 3, 20)}
    first = found.agents[0]
    assert (first.key, first.strategies) == ("C:d", {"exact": 2})
    assert found.verdicts == {"verified": 3}


def test_lines_are_counted_in_the_range_alone_when_there_is_one(work):
    found = counted(work, "HEAD~2..HEAD")
    assert (found.head, found.commits, found.recorded, found.lines) == (work.oid(), 1, 1, 20)
    assert counted(work, "HEAD~3").head == work.oid("HEAD~3")
    nothing = counted(work, "^HEAD")
    assert (nothing.head, nothing.lines, nothing.commits) == ("", 0, 0)


def test_edits_count_and_lines_do_not_when_the_commit_is_not_what_it_says(work):
    work.write("extra", "x\n")
    work.git("add", "extra")
    work.git("commit", "-q", "--amend", "--no-edit")
    found = counted(work)
    assert found.verdicts == {"modified": 1, "verified": 2}
    assert rows(found.agents)[None] == (1, 1, 0, 0, 0, 21)


def test_lines_are_found_when_files_were_renamed_twice(work):
    for old, new in (("a", "x y"), ("b", "c"), ("x y", "new\nline")):
        work.git("mv", old, new)
        work.commit()
    found = counted(work)
    assert found.recorded == 3
    assert rows(found.paths)["new\nline"] == (0, 0, 0, 0, 1, 10)
    assert rows(found.paths)["a"] == (2, 2, 2, 2, 0, 0)


def test_lines_are_counted_when_other_recorded_files_are_empty_or_gone(work):
    edit(work, "a", (line(7), "seven\n"), agent="A:b")
    work.git("rm", "-q", "a")
    work.commit({"b": ""})
    assert [row.lines for row in counted(work).paths] == [0, 0]
    work.git("checkout", "-q", "HEAD~1", "--", "b")
    work.commit()
    found = counted(work)
    assert (found.recorded, {row.key: row.lines for row in found.paths}) == (0, {"a": 0, "b": 0})


def test_every_file_is_counted_when_there_are_many(repo):
    names = [f"f{number}" for number in range(20)]
    repo.commit({name: text(4) for name in names})
    edits(repo, {name: [(line(2), "two\n")] for name in names})
    assert {row.key: row.lines for row in counted(repo).paths} == dict.fromkeys(names, 1)


def test_agents_are_told_together_when_they_wrote_one_file_of_a_squash(work):
    work.git("checkout", "-q", "-b", "squashed", "HEAD~4")
    work.git("merge", "-q", "--squash", "main~2")
    work.git("commit", "-q", "--no-edit")
    found = counted(work)
    assert found.verdicts == {"verified": 1}
    assert rows(found.agents) == {
        "A:b": (1, 1, 0, 0, 2, 20),
        "C:d": (1, 2, 1, 1, 1, 20),
        "A:b + C:d": (0, 0, 2, 2, 0, 20),
    }


def test_document_and_rows_say_the_same(work):
    found = counted(work)
    facts = json.loads(stats_document(found))
    names = ["ok", "head", "lines", "recordedLines", "share", "commits", "verdicts", "agents", "paths", "months"]
    assert list(facts) == names
    assert (facts["share"], facts["paths"][0]["share"]) == (0.15, 0.2)
    table = list(csv.DictReader("".join(stats_rows(found)).split("\n")))
    by_key = {(row["by"], row["key"]): row for row in table}
    assert len(table) == len(by_key) == 6
    for name in ("agent", "path", "month"):
        for one in facts[f"{name}s"]:
            row = by_key[name, one[name] or ""]
            assert (int(row["lines"]), int(row["edits"]), float(row["share"])) == (
                one["lines"],
                one["edits"],
                one["share"],
            )


def test_words_obey_nothing_when_agent_and_path_are_hostile(repo):
    repo.commit({"=a\x1b\n": text(3)})
    edit(repo, "=a\x1b\n", (line(2), "two\n"), agent="=A|x:b")
    found = counted(repo)
    for said in ("".join(stats_lines(found)), "".join(stats_rows(found))):
        assert all(row.isprintable() for row in said.split("\n"))
    assert "'=A|x:b" in "".join(stats_rows(found))
    with environ(repo.env):
        entries = log(AuditRequest(repo.path, cache=False))
    for said in ("".join(log_lines(entries)), "".join(log_rows(entries))):
        assert all(row.isprintable() for row in said.split("\n"))


def test_table_says_what_it_leaves_out_when_there_are_many_paths(repo):
    repo.commit({f"f{n}": text(2) for n in range(25)})
    edits(repo, {f"f{n}": [(line(1), "1\n")] for n in range(25)})
    said = "".join(stats_lines(counted(repo)))
    assert "\n... and 5 more; --format json lists all\n" in said


def test_log_lists_recorded_commits_alone_newest_first(work):
    with environ(work.env):
        entries = log(AuditRequest(work.path, cache=False))
    assert [entry.commit for entry in entries] == [work.oid(), work.oid("HEAD~2"), work.oid("HEAD~3")]
    assert [(entry.agents, entry.files, entry.edits) for entry in entries] == [
        ((), 1, 1),
        (("C:d",), 2, 2),
        (("A:b",), 1, 1),
    ]
    first, *_ = "".join(log_lines(entries)).splitlines()
    assert first.startswith(
        f"{work.oid()[:12]} 2023-11-14 verified exact       (no agent): 1 edit in 1 file (exact 1): Edit b"
    )


def test_log_says_the_same_in_every_form(work):
    with environ(work.env):
        entries = log(AuditRequest(work.path, cache=False))
    facts = json.loads("".join(log_document(entries)))["commits"]
    assert [json.loads(row) for row in "".join(log_json_lines(entries)).splitlines()] == facts
    table = list(csv.DictReader("".join(log_rows(entries)).split("\n")))
    assert [row["commit"] for row in table] == [one["commit"] for one in facts]
    assert table[1]["strategies"] == "exact 2"
    names = ["commit", "date", "agents", "records", "files", "edits", "strategies", "status", "detail", "subject"]
    assert [*facts[0]] == [*table[0]] == names
