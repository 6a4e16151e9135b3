"""A line is recorded where a verified record wrote it, and nowhere else."""

import json

import pytest

from gitedit.commands.blame import BlameRequest, blamed
from gitedit.errors import EditError
from gitedit.report.blamed import blame_document, blame_lines
from tests.audit.recorded import edit, environ, line, text


@pytest.fixture
def work(repo):
    """Five lines, the second and fourth of which a recorded commit wrote."""
    repo.commit({"a": text(5)})
    edit(repo, "a", (line(2), "two\n"), (line(4), "four\nand\n"), agent="A:b", session="s")
    return repo


def told(repo, path="a", revision="HEAD", **more):
    with environ(repo.env):
        return blamed(BlameRequest(path, revision, **{"directory": repo.path, "cache": False, **more}))


def recorded(repo, *args, **more):
    """Return the numbers of the recorded lines."""
    return [one.number for one in told(repo, *args, **more).lines if one.writers]


def test_no_line_is_recorded_when_no_commit_is(repo):
    repo.commit({"a": text(3)})
    found = told(repo)
    assert [(one.number, one.text, one.status, one.writers) for one in found.lines] == [
        (number, line(number).encode(), "no-record", ()) for number in (1, 2, 3)
    ]


def test_file_has_no_lines_when_it_is_empty(repo):
    repo.commit({"a": ""})
    assert told(repo).lines == ()


def test_lines_are_recorded_when_a_verified_record_wrote_them(work):
    found = told(work)
    assert recorded(work) == [2, 4, 5]
    (writer,) = found.lines[1].writers
    assert (writer.agent, writer.session, writer.strategy) == ("A:b", "s", "exact")
    assert (found.lines[1].commit, found.lines[1].status) == (work.oid(), "verified")


def test_lines_stay_recorded_when_others_are_added_before_them_and_the_file_is_renamed(work):
    work.commit({"a": b"new\n" + work.read("a")})
    work.git("mv", "a", "b")
    work.commit()
    assert recorded(work, "b") == [3, 5, 6]
    assert recorded(work, "a", "HEAD~1") == [3, 5, 6]


def test_lines_are_recorded_when_their_commit_was_picked_elsewhere(work):
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": "new\n" + text(5)})
    work.git("cherry-pick", "main")
    assert recorded(work) == [3, 5, 6]


def test_lines_are_recorded_when_their_commit_was_picked_over_a_rename(work):
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.git("mv", "a", "b")
    work.commit()
    work.git("cherry-pick", "main")
    assert recorded(work, "b") == [2, 4, 5]


def test_no_line_is_recorded_when_its_commit_was_amended(work):
    work.write("extra", "x\n")
    work.git("add", "extra")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert recorded(work) == []
    assert {one.status for one in told(work).lines} == {"no-record", "modified"}


def test_line_is_unrecorded_when_a_person_changed_it_again(work):
    work.commit({"a": work.read("a").replace(b"and\n", b"And\n")})
    assert recorded(work) == [2, 4]


def test_reindented_line_is_the_one_s_who_did_it(work):
    edit(work, "a", ("four\n", "    four\n"), agent="C:d")
    writers = [[writer.agent for writer in one.writers] for one in told(work).lines]
    assert writers == [[], ["A:b"], [], ["C:d"], ["A:b"], []]
    work.commit({"a": work.read("a").replace(b"    four", b"\tfour")})
    assert recorded(work) == [2, 5]


def test_nothing_is_guessed_when_commits_are_looked_through(work):
    work.commit({"a": work.read("a").replace(b"two\n", b"Two\n")})
    work.write("ignored", work.oid() + "\n")
    found = told(work, ignored="ignored").lines[1]
    assert (found.commit, found.writers) == (work.oid("HEAD~1"), ())
    assert recorded(work, ignored="ignored") == [4, 5]


def test_no_line_is_recorded_beyond_the_edge_of_a_shallow_clone(work, make_repo):
    other = make_repo("shallow")
    other.git("fetch", "-q", "--depth=1", f"file://{work.path}", "main")
    assert recorded(other, "a", "FETCH_HEAD") == []


def test_nothing_is_fetched_when_the_clone_is_partial(work, tmp_path):
    work.git("config", "uploadpack.allowFilter", "true")
    work.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{work.path}", str(tmp_path / "partial"))
    with pytest.raises(EditError, match=r"a: the blob \w+ is not here"):
        told(work, directory=str(tmp_path / "partial"))
    work.path = str(tmp_path / "partial")
    missing = work.git("rev-list", "--objects", "--all", "--missing=print")
    assert len([row for row in missing.splitlines() if row.startswith(b"?")]) == 2


def test_file_is_found_when_the_repository_is_bare_or_the_folder_is_deep(work, make_repo):
    bare = make_repo("bare.git", "--bare")
    bare.git("fetch", "-q", work.path, "main:main")
    assert recorded(bare, "a", "main") == [2, 4, 5]
    work.write("deep/x", "")
    assert told(work, "../a", directory=f"{work.path}/deep").path == "a"


@pytest.mark.parametrize(
    ("path", "revision", "code"),
    [
        ("b", "HEAD", "missing-file"),
        ("a/b", "HEAD", "missing-file"),
        (".", "HEAD", "not-regular"),
        ("deep", "HEAD", "not-regular"),
        ("../a", "HEAD", "path-outside"),
        ("a\0", "HEAD", "path-outside"),
        ("a", "nonsense", "bad-revision"),
        ("a", "HEAD~1..HEAD", "bad-revision"),
        ("a", "--contents=b", "bad-revision"),
    ],
)
def test_it_is_refused_when_there_is_no_such_file_or_revision(work, path, revision, code):
    work.commit({"deep/x": "x\n"})
    with pytest.raises(EditError) as refusal:
        told(work, path, revision)
    assert refusal.value.code == code


def test_words_show_agent_or_author_and_obey_nothing(work):
    work.commit({"a": work.read("a") + b"x\x1b[2J\xff\n"}, "x", "--author", "P\u202e <p@example.invalid>")
    said = "".join(blame_lines(told(work)))
    assert all(row.isprintable() for row in said.split("\n"))
    rows = said.splitlines()
    assert rows[1].endswith("2) two")
    assert " A:b " in rows[1]
    assert " exact " in rows[1]
    assert " T " in rows[0]
    assert " unrecorded " in rows[0]
    assert rows[-1].endswith(") x␛[2J<FF>")


def test_document_has_a_row_a_line(work):
    found = json.loads("".join(blame_document(told(work))))
    assert list(found) == ["ok", "path", "commit", "lines"]
    names = ["line", "commit", "path", "author", "date", "status", "recorded", "edits", "text"]
    assert [list(one) for one in found["lines"]] == [names] * 6
    assert [one["recorded"] for one in found["lines"]] == [False, True, False, True, True, False]
    assert found["lines"][0]["date"].startswith("2023-11-14T22:")
    assert list(found["lines"][1]["edits"][0]) == ["record", "agent", "session", "strategy"]
