"""What `show` finds out about a commit, whatever its repository would rather show."""

import json

import pytest

from gitedit.commands.show import show
from gitedit.errors import EditError
from gitedit.report.record import shown_document, words

MIXED = b"one\r\ntwo\nthree\rx\nfour\r\n"


@pytest.fixture
def recorded(repo, monkeypatch):
    """A repository whose HEAD is a recorded commit of two files."""
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, repo.env[name])
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "T")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "t@example.invalid")
    import gitedit  # noqa: PLC0415

    repo.commit({"mixed.txt": MIXED, "b c\x1b": "1\n2\n3\n"})
    edits = [{"path": "mixed.txt", "edits": [{"oldText": "two", "newText": "2"}, {"oldText": "four", "newText": ""}]}]
    edits.append({"path": "b c\x1b", "edits": [{"oldText": "1\n2\n", "newText": "\n"}]})
    gitedit.apply(edits, repo=repo.path, commit=True, agent="A:b", session="s 1")
    return repo


def amended(repo, change):
    """Replace HEAD by one with another message."""
    message = change(repo.git("log", "-1", "--format=%B"))
    repo.git("commit", "-q", "--amend", "--cleanup=verbatim", "-F", "-", data=message)


def test_there_are_no_records_when_the_commit_is_ordinary(repo):
    repo.commit({"f": "1\n"})
    found = show(repo.path, "HEAD")
    assert (tuple(found.report.records), found.quotations, found.changes) == ((), (), {})
    assert (found.report.commit, found.report.subject, found.report.status) == (repo.oid(), "change", "no-record")


def test_record_is_verified_when_it_is_untouched(recorded):
    found = show(recorded.path, "HEAD")
    assert (found.report.status, found.report.detail) == ("verified", "exact")
    (record,) = found.report.records
    assert [file.path for file in record.files] == ["b c\x1b", "mixed.txt"]
    assert [[edit.placed.line for edit in file.edits] for file in record.files] == [[1], [2, 4]]


def test_each_region_shows_the_lines_that_it_changed_when_it_was_found(recorded):
    changes = show(recorded.path, "HEAD").changes
    assert {place: (change.removed, change.added) for place, change in changes.items()} == {
        (0, 0, 0): ((b"1\n", b"2\n"), (b"\n",)),
        (0, 1, 0): ((b"two\n",), (b"2\n",)),
        (0, 1, 1): ((b"four\r\n",), (b"\r\n",)),
    }
    assert [change.new_line for change in changes.values()] == [0, 1, 3]


def test_regions_are_shown_where_they_are_when_the_commit_was_picked_elsewhere(recorded):
    recorded.git("checkout", "-q", "-b", "other", "HEAD~1")
    recorded.commit({"mixed.txt": b"new\n" + MIXED}, "upstream")
    recorded.git("cherry-pick", "main")
    found = show(recorded.path, "HEAD")
    assert (found.report.status, found.report.detail) == ("verified", "moved")
    assert [change.new_line for change in found.changes.values()] == [0, 2, 4]
    assert "line 3, byte 9, recorded at byte 5: 3 bytes became 1 (exact)" in words(found)


def test_verdict_is_the_same_when_configuration_and_attributes_bend_git(recorded):
    recorded.write(".git/info/attributes", "* -diff binary diff=x\n")
    recorded.write(".gitattributes", "* -diff\n")
    for key, value in {"diff.external": "false", "diff.noprefix": "true", "diff.x.textconv": "false"}.items():
        recorded.git("config", key, value)
    recorded.git("replace", recorded.oid(), recorded.oid("HEAD~"))
    assert show(recorded.path, "HEAD").report.status == "verified"


def test_region_is_named_when_it_is_not_there(recorded):
    recorded.write("mixed.txt", MIXED.replace(b"four", b"five"))
    recorded.git("add", "mixed.txt")
    amended(recorded, bytes)
    said = words(show(recorded.path, "HEAD"))
    assert "\n    recorded at byte 5: 3 bytes became 1 (exact); not found in this commit\n" in said


def test_commit_is_modified_when_it_holds_more(recorded):
    recorded.write("more", "x")
    recorded.git("add", "more")
    amended(recorded, bytes)
    found = show(recorded.path, "HEAD")
    assert [finding.reason for finding in found.report.findings] == ["extra-path"]
    assert "not found" not in words(found)
    assert "\nmodified: the commit is not what its record says\n  error: extra-path: all 3 " in words(found)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (lambda text: text.replace(b"mode=strict", b"mode=anchored"), "malformed"),
        (lambda text: b"\n".join(line for line in text.split(b"\n") if b"mixed.txt" not in line[-9:]), "incomplete"),
        (lambda text: text.replace(b"+3:5+1~", b"+3:5+2~"), "forged"),
    ],
)
def test_record_is_not_verified_when_its_message_was_changed(recorded, change, status):
    amended(recorded, change)
    assert show(recorded.path, "HEAD").report.status == status
    assert "holds" not in words(show(recorded.path, "HEAD"))


def test_commit_cannot_be_verified_when_its_parents_were_cut_off(recorded, make_repo):
    other = make_repo("shallow")
    other.git("fetch", "-q", "--depth=1", f"file://{recorded.path}", "main")
    found = show(other.path, "FETCH_HEAD")
    assert (found.report.status, found.changes) == ("unverifiable", {})


def test_commit_is_found_when_the_repository_is_bare(recorded, make_repo):
    other = make_repo("bare.git", "--bare")
    other.git("fetch", "-q", recorded.path, "main:main")
    assert show(other.path, "main").report.status == "verified"


@pytest.mark.parametrize("revision", ["nonsense", "HEAD HEAD", "HEAD~1..HEAD", "^HEAD", "--all", "--output=x", ""])
def test_revision_is_bad_when_it_names_not_one_commit(recorded, revision):
    with pytest.raises(EditError) as refusal:
        show(recorded.path, revision)
    assert (refusal.value.code, refusal.value.exit_status) == ("bad-revision", 2)


def test_words_obey_nothing_when_the_commit_is_hostile(recorded):
    amended(recorded, lambda text: b"S\x1b[2J\xe2\x80\xae\r\n\n" + text.partition(b"\n\n")[2])
    said = words(show(recorded.path, "HEAD"))
    assert all(line.isprintable() for line in said.split("\n"))
    assert "session s 1" in said
    assert '\n  "b c\\033"\n    line 1, byte 0: 4 bytes became 1 (exact)\n      -1 1\n' in said


def test_document_has_the_names_of_the_audit_when_asked_for_json(recorded):
    said = shown_document(show(recorded.path, "HEAD"))
    facts = json.loads(said)
    assert said.isascii()
    names = ["commit", "parents", "status", "detail", "subject", "author", "date", "signed", "signature"]
    assert list(facts) == ["ok", *names, "records", "findings", "quotations"]
    (record,) = facts["records"]
    assert list(record) == ["id", "position", "mode", "tool", "agent", "session", "batch", "files"]
    assert (record["agent"], record["session"], facts["status"]) == ("A:b", "s 1", "verified")
    assert list(record["files"][0]) == ["path", "oldMode", "newMode", "oldBlob", "newBlob", "edits"]
    assert record["files"][0]["edits"] == [
        {
            "strategy": "exact",
            "old": {"start": 0, "length": 4},
            "new": {"start": 0, "length": 1},
            "placed": {"old": 0, "new": 0, "line": 1},
            "diff": "-1 1\n-2 2\n+1 \n",
        }
    ]
