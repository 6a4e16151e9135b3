"""The cache makes an audit faster, or not; it never changes what the audit says."""

import json
import os
import sqlite3

import pytest

from gitedit.audit.cache import NAME, Cache, _checksum
from tests.audit.recorded import audited, edit, line, message, text


@pytest.fixture
def work(repo):
    repo.commit({"a": text()})
    edit(repo, "a", (line(10), "ten\n"))
    edit(repo, "a", (line(12), "twelve\n"))
    repo.commit({"b": "b\n"}, message(repo))
    repo.git("revert", "--no-edit", "HEAD~1")
    repo.commit({"c": "c\n"}, message(repo, "HEAD~2").partition(b"Gitedit-Edit")[0])
    return repo


def path(repo):
    return os.path.join(repo.path, ".git", "gitedit", NAME)


def rows(repo):
    base = sqlite3.connect(path(repo))
    found = base.execute("SELECT count(*) FROM verdict").fetchone()[0]
    base.close()
    return found


def test_cache_is_not_touched_when_it_is_off(work):
    audited(work, "HEAD", cache=False)
    assert not os.path.exists(os.path.dirname(path(work)))


def test_cache_holds_finished_verdicts_only(work):
    plain = audited(work, "HEAD")
    assert [report.status for report in plain.commits] == [
        "incomplete",
        "no-record",
        "modified",
        "verified",
        "verified",
    ]
    for _ in range(3):
        assert audited(work, "HEAD", cache=True) == plain
        assert rows(work) == 4
    assert audited(work, "HEAD", cache=True, require=("path:*",)) == audited(work, "HEAD", require=("path:*",))


def test_cache_is_read(work):
    audited(work, "HEAD", cache=True)
    base = sqlite3.connect(path(work))
    for row in base.execute("SELECT * FROM verdict").fetchall():
        commit, rules, facts, count, records, _ = row
        told = (commit, rules, facts.replace("Edit a: 1 replacement", "From the cache"), count, records)
        base.execute("REPLACE INTO verdict VALUES (?, ?, ?, ?, ?, ?)", (*told, _checksum(*told)))
    base.commit()
    base.close()
    report = audited(work, "HEAD", cache=True)
    assert "From the cache" in {commit.subject for commit in report.commits}
    assert json.loads("".join(report.json_pieces())) == report.to_json()


def test_cache_is_shared_by_worktrees(work, tmp_path):
    work.git("worktree", "add", "-q", str(tmp_path / "tree"))
    top = work.path
    work.path = str(tmp_path / "tree")
    audited(work, "HEAD", cache=True)
    work.path = top
    assert rows(work) == 4


@pytest.mark.parametrize(
    "content",
    [b"", b"not a database" * 1000, b"SQLite format 3\0" + b"x" * 5000],
)
def test_cache_is_made_anew_when_it_is_broken(work, content):
    plain = audited(work, "HEAD")
    work.write(f".git/gitedit/{NAME}", content)
    for _ in range(2):
        assert audited(work, "HEAD", cache=True) == plain
    assert rows(work) == 4


def test_cache_is_made_anew_when_its_middle_is_broken(work):
    plain = audited(work, "HEAD", cache=True)
    content = work.read(f".git/gitedit/{NAME}")
    work.write(f".git/gitedit/{NAME}", content[:4096] + b"\xff" * (len(content) - 4096))
    for _ in range(3):
        assert audited(work, "HEAD", cache=True) == plain


@pytest.mark.parametrize(
    "facts", ["", "null", "[]", "[1,2,3,4]", '[{"commit": 1}, [], "", ""]', "[" * 100_000, '[{}, [], "", ""]']
)
def test_cache_rows_that_are_no_facts_are_passed_over(work, facts):
    plain = audited(work, "HEAD", cache=True)
    base = sqlite3.connect(path(work))
    base.execute("UPDATE verdict SET facts = ?", (facts,))
    base.commit()
    base.close()
    assert audited(work, "HEAD", cache=True) == plain


def test_cache_is_passed_over_when_it_is_locked(work):
    plain = audited(work, "HEAD", cache=True)
    base = sqlite3.connect(path(work))
    base.execute("BEGIN EXCLUSIVE")
    assert audited(work, "HEAD", cache=True) == plain
    base.close()


def test_cache_is_passed_over_when_it_is_another_table_or_a_folder(work):
    plain = audited(work, "HEAD")
    os.makedirs(path(work))
    assert audited(work, "HEAD", cache=True) == plain
    os.rmdir(path(work))
    base = sqlite3.connect(path(work))
    base.execute("CREATE TABLE verdict (other TEXT)")
    base.commit()
    base.close()
    assert audited(work, "HEAD", cache=True) == plain


def test_cache_is_silent_when_its_folder_cannot_be_made(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = Cache(str(tmp_path / "file" / "gitedit"))
    assert cache.get(["0" * 40]) == {}
    cache.put([])
    cache.close()


def test_cache_folder_has_the_mode_of_the_git_directory(work):
    os.chmod(os.path.join(work.path, ".git"), 0o750)  # noqa: S103 - a repository shared by a group
    audited(work, "HEAD", cache=True)
    assert os.stat(os.path.dirname(path(work))).st_mode & 0o777 == 0o750
