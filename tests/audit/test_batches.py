"""The commits that record a batch, and whether they are its result."""

import json
import os

import pytest

from gitedit.commands.audit import exit_status
from gitedit.errors import EditError
from gitedit.record.read import read_message
from tests.audit.recorded import audited, edit, head, line, message, text


def batch(*files, **keys):
    return json.dumps(
        {"files": [{"path": p, "edits": [{"oldText": o, "newText": n} for o, n in e]} for p, *e in files], **keys}
    ).encode()


def test_batch_lists_the_commits_that_record_it(work):
    work.commit({"c": "c\n"})
    given = batch(("a", (line(10), "ten\n")))
    report = audited(work, "HEAD", batch=given)
    assert report.batch_commits == (work.oid("HEAD~1"),)
    assert [commit.status for commit in report.commits] == ["verified"]
    assert exit_status(report) == 0
    work.path = os.path.join(work.path, "sub")
    os.mkdir(work.path)
    assert audited(work, "HEAD", batch=batch(("../a", (line(10), "ten\n")))).batch_commits
    other = audited(work, "HEAD", batch=given)
    assert other.batch_commits == ()
    assert exit_status(other) == 1


def test_batch_is_found_after_a_cherry_pick(work):
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": "first\n" + text()})
    work.git("cherry-pick", "main")
    report = audited(work, batch=batch(("a", (line(10), "ten\n"))))
    assert [(commit.status, commit.detail) for commit in report.commits] == [("verified", "moved")]


def test_batch_that_gives_other_bytes_is_modified(repo):
    repo.commit({"a": text()})
    edit(repo, "a", (line(10), "ten\n"))
    honest = message(repo)
    claimed = read_message(honest).records[0].record
    repo.git("reset", "-q", "--hard", "HEAD~1")
    other = edit(repo, "a", (line(11), "eleven\n"))
    lying = read_message(message(repo)).records[0].record
    tokens = tuple(f"batch={claimed.value('batch')}" if t.startswith("batch=") else t for t in lying.tokens)
    from gitedit.record.digests import record_id  # noqa: PLC0415
    from gitedit.record.message import render  # noqa: PLC0415

    repo.commit(None, render("x", lying._replace(tokens=tokens, id=record_id(tokens))), "--amend")
    assert repo.oid() != other
    assert head(repo)[0] == "verified"
    [report] = audited(repo, batch=batch(("a", (line(10), "ten\n")))).commits
    assert report.status == "modified"
    assert "other bytes" in report.findings[0].message


def test_batch_that_is_none_is_refused(work):
    with pytest.raises(EditError) as caught:
        audited(work, batch=b"no json")
    assert caught.value.exit_status == 3
