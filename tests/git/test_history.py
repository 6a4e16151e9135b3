"""History as it is stored: raw commits in `git log` order, whatever stands in them."""

import os

import pytest

from gitedit.errors import OperationError
from gitedit.git import history, process, repository, walk
from gitedit.git.commits import decoded, parse_commit


def read(repo, *revisions, **more):
    found = repository.find(process.Git(repo.path, repo.env), bare_allowed=True)
    with history.open_room(found) as room:
        return list(walk.commits(room.git, history.resolve(found, room, revisions), **more))


def test_commits_is_empty_when_nothing_is_asked_for(repo):
    repo.commit({"a": "a\n"})
    assert read(repo, "HEAD", "^HEAD") == []
    assert read(repo, "^HEAD") == []


def test_commits_come_in_the_order_of_git_log(repo):
    repo.commit({"a": "a\n"})
    for n in range(5):
        repo.git("checkout", "-q", "-B", "side")
        repo.commit({f"s{n}": "s\n"})
        repo.git("checkout", "-q", "main")
        repo.commit({f"m{n}": "m\n"})
        repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    for options in ((), ("--first-parent",)):
        wanted = repo.git("log", "--format=%H", *options).decode().split()
        assert [raw.oid for raw in read(repo, first_parent=bool(options))] == wanted
    assert next(iter(read(repo))).body == repo.git("cat-file", "commit", "HEAD") + b"\n"


def test_commits_are_whole_when_they_are_large(repo):
    for size in (0, 1, 2**16, 2**20, 3 * 2**20 + 7):
        repo.commit(None, b"x\n" * (size // 2) + b"end\n")
    for raw in read(repo):
        assert raw.body == repo.git("cat-file", "commit", raw.oid) + b"\n"


def test_commits_raise_when_one_is_missing(repo):
    repo.commit({"a": "a\n"})
    repo.commit({"a": "b\n"})
    oid = repo.oid("HEAD~1")
    os.unlink(os.path.join(repo.path, ".git", "objects", oid[:2], oid[2:]))
    with pytest.raises(OperationError) as caught:
        read(repo)
    assert caught.value.exit_status == 74


def test_commits_may_be_left_half_read(repo):
    for n in range(50):
        repo.commit(None, f"{n}\n" + "x" * 50_000)
    found = repository.find(process.Git(repo.path, repo.env))
    with history.open_room(found) as room:
        reading = walk.commits(room.git, history.resolve(found, room, []))
        assert next(reading).oid == repo.oid()
        reading.close()


def test_room_is_gone_afterwards(repo):
    repo.commit({"a": "a\n"})
    found = repository.find(process.Git(repo.path, repo.env))
    with history.open_room(found) as room:
        assert os.path.isdir(room.git.directory)
    assert not os.path.exists(room.git.directory)


@pytest.mark.parametrize(
    ("given", "folders"),
    [
        ("", []),
        ("/a:/b", ["/a", "/b"]),
        ('"/a:b":/c', ["/a:b", "/c"]),
        ('"/a\\"b":"/c\\\\d"', ['/a"b', "/c\\d"]),
        ('"/\\303\\251\\n"', ["/é\n"]),
        ('"/unclosed', ["/unclosed"]),
        ('"\\', ["\\"]),
        ("::", []),
    ],
)
def test_object_directories_are_split_as_git_does(given, folders):
    assert history._split_directories(given) == [folder for folder in folders if folder]


def test_merge_changes_are_those_of_the_merge_itself(repo):
    repo.commit({"a": "1\n2\n3\n4\n5\n6\n", "b": "b\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"a": "1\n2\n3\n4\n5\nsix\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a": "one\n2\n3\n4\n5\n6\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "side")
    found = repository.find(process.Git(repo.path, repo.env))
    with history.open_room(found) as room:
        assert history.merge_changes(room, stored(repo)) == []
        repo.commit({"b": "evil\n"}, "merge", "--amend")
        assert [entry.path for entry in history.merge_changes(room, stored(repo))] == ["b"]


def test_merge_changes_are_those_of_an_octopus_itself(repo):
    repo.commit({"a": "1\n2\n3\n4\n5\n6\n", "b": "b\n", "c/d": "d\n"})
    for name, a in (("x", "1\n2\n3\n4\n5\nsix\n"), ("y", "1\n2\nthree\n4\n5\n6\n"), ("z", "1\n2\n3\n4\n5\n6\n")):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit({"a": a, name: "new\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"a": "one\n2\n3\n4\n5\n6\n", "b": "ours\n"})
    repo.git("merge", "-q", "-m", "merge", "x", "y", "z")
    found = repository.find(process.Git(repo.path, repo.env))
    with history.open_room(found) as room:
        merge = stored(repo)
        assert (len(merge.parents), history.merge_changes(room, merge)) == (4, [])
        repo.commit({"b": "b\n"}, "merge", "--amend")
        assert [entry.path for entry in history.merge_changes(room, stored(repo))] == ["b"]
        assert history.merge_changes(room, merge._replace(parents=(*merge.parents, "1" * 40))) is None


def stored(repo):
    """Return HEAD, taken apart."""
    return parse_commit(repo.oid(), repo.git("cat-file", "commit", "HEAD"))


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        (b"A B <a@b> 1700000000 +0100", ("A B", "a@b", "2023-11-14T23:13:20+01:00")),
        (b"A B <a@b> 0 -0730", ("A B", "a@b", "1969-12-31T16:30:00-07:30")),
        (b"<> 5 +0000", ("", "", "1970-01-01T00:00:05+00:00")),
        (b"A <a@b", ("", "", "1970-01-01T00:00:00+00:00")),
        (b"A <a@b> x +0000", ("A", "a@b", "1970-01-01T00:00:00+00:00")),
        (b"A <a@b> 99999999999999999999 +0000", ("A", "a@b", "1970-01-01T00:00:00+00:00")),
        (b"A <a@b> 5 +9999", ("A", "a@b", "1970-01-01T00:00:00+00:00")),
        (b"", ("", "", "1970-01-01T00:00:00+00:00")),
    ],
)
def test_parse_commit_reads_odd_authors(author, expected):
    commit = parse_commit("1" * 40, b"tree x\nauthor " + author + b"\n\nsubject\ngoes on\n\nbody\n")
    assert (commit.author_name, commit.author_email, commit.date) == expected
    assert (commit.subject, commit.tree, commit.parents, commit.signed) == ("subject goes on", "x", (), False)


def test_parse_commit_takes_nothing_for_granted():
    assert parse_commit("1", b"") == ("1", "", (), "", "", "1970-01-01T00:00:00+00:00", False, "")
    assert parse_commit("1", b"tree a\nparent b\nparent c\ngpgsig -----\n more\n\nm").parents == ("b", "c")
    assert parse_commit("1", b"tree A\nparent B\nauthor x\nparent c\n\nm")[1:3] == ("a", ("b",))
    assert parse_commit("1", b"gpgsig-sha256 x\n\n").signed


@pytest.mark.parametrize(
    ("raw", "encoding", "text"),
    [
        (b"\xe9", b"", "\udce9"),
        (b"\xe9", b"latin-1", "é"),
        (b"\xc3\xa9", b"UTF-8", "é"),
        (b"\xe9", b"UTF-8", "\udce9"),
        (b"\\n", b"unicode_escape", "\\n"),
        (b"abc", b"rot13", "abc"),
        (b"abc", b"\xff", "abc"),
        (b"abc", b"x" * 10_000, "abc"),
    ],
)
def test_decoded_is_what_git_shows(raw, encoding, text):
    assert decoded(raw, encoding) == text
