"""The whole audit: its report, ranges, lines that a ref keeps, exit statuses."""

import json
import os

import pytest

from gitedit.commands.audit import AuditRequest, audit, exit_status
from gitedit.errors import EditError
from gitedit.record.grammar import lines_text
from gitedit.record.read import read_message
from tests.audit.recorded import audited, edit, edits, environ, head, line, message, text

# -- the report


def test_report_counts_every_commit_and_lists_recorded_ones(work):
    work.commit({"c": "c\n"})
    report = audited(work, "HEAD")
    assert [commit.commit for commit in report.commits] == [work.oid("HEAD~1")]
    assert (report.summary["verified"], report.summary["no-record"], report.summary["commits"]) == (1, 2, 3)
    assert exit_status(report) == 0
    everything = audited(work, "HEAD", every_commit=True)
    assert [commit.status for commit in everything.commits] == ["no-record", "verified", "no-record"]


def test_report_is_as_the_interface_says(work):
    [commit] = json.loads(json.dumps(audited(work).to_json()))["commits"]
    record = commit.pop("records")[0]
    file = record.pop("files")[0]
    [facts] = file.pop("edits")
    assert commit == {
        "commit": work.oid(), "parents": [work.oid("HEAD~1")], "status": "verified", "detail": "exact",
        "subject": "Edit a: 1 replacement", "author": {"name": "T", "email": "t@example.invalid"},
        "date": "2023-11-14T22:22:20+00:00", "signed": False, "signature": None, "findings": [],
    }  # fmt: skip
    assert (record["position"], record["mode"], record["agent"], record["session"]) == (
        "trailer",
        "strict",
        "Claude:opus",
        None,
    )
    blobs = {"oldBlob": work.oid("HEAD~1:a"), "newBlob": work.oid("HEAD:a")}
    assert file == {"path": "a", "oldMode": "100644", "newMode": "100644", **blobs}
    start = text().index(line(10))
    assert facts == {
        "strategy": "exact", "old": {"start": start, "length": 8}, "new": {"start": start, "length": 4},
        "placed": {"old": start, "new": start, "line": 10},
    }  # fmt: skip


def test_report_says_where_regions_lie_when_they_were_moved(work):
    prefix = b"first\nsecond\n"
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": prefix + work.read("a")})
    work.git("cherry-pick", "main")
    [report] = audited(work).commits
    start = text().index(line(10))
    placed = report.records[0].files[0].edits[0].placed
    assert (placed.old, placed.new, placed.line) == (start + len(prefix), start + len(prefix), 12)


def test_progress_is_told(work):
    said = []
    with environ(work.env):
        audit(AuditRequest(work.path), said.append)
    assert said == [2]


@pytest.mark.parametrize(
    "revision",
    [
        "nothing",
        "--output=x",
        "-n1",
        "--not-an-option",
        "",
        "HEAD^{tree}",
        "a..b",
        "HEAD:a",
        "a\0b",
        "0" * 40,
        "--glob=x",
        "-",
        "--exec=x",
        "\udcff",
    ],
)
def test_bad_revisions_are_refused(work, revision):
    with pytest.raises(EditError) as caught:
        audited(work, revision)
    assert (caught.value.code, caught.value.exit_status) == ("bad-revision", 2)
    assert not os.path.exists(os.path.join(work.path, "x"))


def test_unborn_branch_is_a_bad_revision(make_repo):
    with pytest.raises(EditError, match="HEAD"):
        audited(make_repo("empty"), "HEAD")
    assert audited(make_repo("empty"), "--all").commits == ()


def test_revisions_are_those_of_git_log(work):
    work.git("tag", "-m", "tag", "v1")
    work.git("branch", "side", "HEAD~1")
    blob = work.git("hash-object", "-w", "--stdin", data=b"x").decode()
    work.git("update-ref", "refs/gitedit/records/0000000000000000", blob)
    oid = work.oid()
    for revisions, expected in (
        (("v1",), 1), (("--all",), 1), (("--branches", "--not", "side"), 1), (("side..v1",), 1), (("^side", "main"), 1),
        (("side...main",), 1), (("main", "--not", "--all"), 0), (("side",), 0), ((oid[:8],), 1), ((":/Edit",), 1),
        (("--tags=v*",), 1), (("--remotes=x",), 0), (("HEAD^!",), 1), (("HEAD^@",), 0),
    ):  # fmt: skip
        assert len(audited(work, *revisions).commits) == expected, revisions


def test_first_parent_leaves_merged_commits_out(work):
    work.git("checkout", "-q", "-b", "side", "HEAD~1")
    edit(work, "b", (line(2, "row"), "two\n"))
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
    assert len(audited(work, "HEAD").commits) == 2
    assert len(audited(work, "HEAD", first_parent=True).commits) == 1


# -- records whose lines are in a ref


def over_budget(repo):
    repo.commit({"a": text(300)})
    edit(repo, "a", *((line(number), f"new {number}\n") for number in range(100, 190, 2)), lines_in_ref=True)
    return read_message(message(repo)).records[0].record


def test_lines_kept_in_a_ref_are_read(repo, monkeypatch):
    from tests.audit import recorded  # noqa: PLC0415

    kept = []
    make = recorded.make_record
    monkeypatch.setattr(recorded, "make_record", lambda *args, **more: kept.append(make(*args, **more)) or kept[-1])
    record = over_budget(repo)
    assert head(repo) == ("incomplete", None, ["incomplete"])
    assert audited(repo).commits[0].findings[0].level == "warning"
    blob = repo.git("hash-object", "-w", "--stdin", data=lines_text(kept[0].files)).decode()
    assert head(repo, record_refs={record.id: blob}) == ("verified", "exact", [])
    repo.git("update-ref", f"refs/gitedit/records/{record.id}", blob)
    assert head(repo) == ("verified", "exact", [])
    other = repo.git("hash-object", "-w", "--stdin", data=b"File 0\n").decode()
    repo.git("update-ref", f"refs/gitedit/records/{record.id}", other)
    assert head(repo)[0] == "incomplete"


# -- exit statuses


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("note", 1)])
def test_exit_status_depends_on_fail_on(work, fail_on, status):
    edits(work, {"a": [(line(20), "twenty\n")]})
    body = message(work).partition(b"Gitedit-Edit")[0]
    work.commit(None, body, "--amend")
    report = audited(work)
    assert report.commits[0].status == "incomplete"
    assert exit_status(report, fail_on=fail_on) == status
