"""The whole audit: ranges, notes, merges, records that are due, batches, signatures, exit statuses."""

import json
import os

import pytest

from gitedit.audit.model import report_from_json
from gitedit.commands.audit import AuditRequest, audit, exit_status
from gitedit.errors import EditError
from gitedit.record.grammar import lines_text
from gitedit.record.read import read_message
from tests.audit.recorded import audited, edit, edits, environ, head, line, message, text


@pytest.fixture
def work(repo):
    repo.commit({"a": text(), "b": text(word="row")})
    edit(repo, "a", (line(10), "ten\n"), agent="Claude:opus")
    return repo


def rules(report):
    return sorted(finding.rule for finding in report.findings)


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


def test_report_comes_back_from_its_json(work):
    prefix = b"first\nsecond\n"
    work.git("checkout", "-q", "-b", "other", "HEAD~1")
    work.commit({"a": prefix + work.read("a")})
    work.git("cherry-pick", "main")
    for report in audited(work, "HEAD", every_commit=True).commits:
        assert report_from_json(json.loads(report.json_text())) == report
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


# -- notes


def test_duplicate_is_noted_when_the_record_is_verified_again_on_a_descendant(repo):
    repo.commit({"a": "x\n" + text(5) + "x\n"})
    edit(repo, "a", ("x\n" + line(1), "y\n" + line(1)))
    body = message(repo)
    repo.commit({"a": b"x\nline 1\n" + repo.read("a")})
    repo.commit({"a": b"y\nline 1\n" + repo.read("a")[9:]}, body)
    reports = audited(repo, "HEAD").commits
    assert [(report.status, rules(report)) for report in reports] == [("verified", ["duplicate"]), ("verified", [])]


def test_duplicate_is_not_noted_when_it_was_taken_back_or_is_on_another_branch(work):
    recorded = work.oid()
    work.git("revert", "--no-edit", recorded)
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "HEAD").commits] == [[], ["reverts"], []]
    work.git("reset", "-q", "--hard", recorded)
    work.git("revert", "--no-commit", recorded)
    work.commit(None, "take it back by hand")
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "HEAD").commits] == [[], []]
    work.git("checkout", "-q", "-b", "side", "main~3")
    work.git("cherry-pick", recorded)
    assert [rules(report) for report in audited(work, "side", recorded).commits] == [[], []]


def test_reverts_is_noted_when_the_reverted_commit_is_outside_the_range(work):
    work.git("revert", "--no-edit", "HEAD")
    [report] = audited(work).commits
    assert (report.status, rules(report)) == ("no-record", ["reverts"])
    assert exit_status(audited(work), fail_on="note") == 1
    work.commit({"c": "c\n"}, "no revert\n\nThis reverts commit " + "1" * 40 + ".\n")
    assert audited(work).commits == ()


def test_reverts_is_noted_when_it_is_recorded_itself(work):
    edit(work, "a", ("ten\n", line(10)))
    newest, oldest = audited(work, "HEAD").commits
    assert (newest.status, rules(newest), rules(oldest)) == ("verified", ["reverts"], [])


def test_agent_mismatch_is_noted(work):
    work.commit(None, message(work).replace(b"Assisted-by: Claude:opus", b"Assisted-by: Other:model [tool]"), "--amend")
    assert head(work) == ("verified", "exact", ["agent-mismatch"])
    work.commit(None, message(work).replace(b"Other:model", b"Claude:opus"), "--amend")
    assert head(work) == ("verified", "exact", [])


def test_place_not_unique_is_noted_when_moved(repo):
    repo.commit({"a": "x\n" + text(5) + "x\n" + text(5, "row")})
    edit(repo, "a", ("x\n" + line(1), "y\n"), (line(3), "three\n"))
    recorded = repo.oid()
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit({"a": repo.read("a") + b"line 3\n" * 2})
    repo.git("cherry-pick", recorded)
    assert head(repo) == ("verified", "moved", ["place-not-unique"])


# -- merges


def merged(repo, message_text, *, extra=None):
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    edit(repo, "b", (line(2, "row"), "two\n"))
    side = message(repo)
    repo.git("checkout", "-q", "main")
    repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    for path, content in (extra or {}).items():
        repo.write(path, content)
        repo.git("add", path)
    repo.commit(None, message_text(side))
    return side


def test_merge_without_a_record_is_ordinary(work):
    merged(work, lambda _: "Merge side\n")
    assert head(work, revisions=("HEAD^!",), first_parent=True)[0] == "no-record"


def test_merge_that_repeats_the_record_of_what_it_merges_is_verified(work):
    merged(work, lambda side: b"Merge side\n\n" + side)
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert (report.status, report.detail) == ("verified", "merge")


def test_merge_that_repeats_one_of_several_records_is_a_quotation(work):
    work.git("checkout", "-q", "-b", "more", "HEAD~1")
    edit(work, "b", (line(2, "row"), "two\n"))
    first = message(work)
    edit(work, "b", (line(9, "row"), "nine\n"))
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "--no-ff", "-m", "x", "more")
    work.commit(None, b"Merge more\n\n" + first, "--amend")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert (report.status, rules(report)) == ("no-record", ["quotation"])


def test_merge_with_somebody_elses_record_is_modified(work):
    own = message(work)
    merged(work, lambda _: b"Merge side\n\n" + own)
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True).commits
    assert report.status == "modified"


def test_merge_owes_a_record_only_for_what_it_changes_itself(work):
    merged(work, lambda _: "Merge side\n")
    require = ("author:*example.invalid*", "path:*")
    report = audited(work, "HEAD^1..HEAD", first_parent=True, require=require)
    assert report.commits == ()
    work.write("c", "evil\n")
    work.git("add", "c")
    work.git("commit", "-q", "--amend", "--no-edit")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True, require=("path:c",)).commits
    assert report.status == "missing"
    assert audited(work, "HEAD^1..HEAD", first_parent=True, require=("path:b",)).commits == ()


@pytest.mark.parametrize("rule", ["author:*", "path:c"])
def test_octopus_owes_a_record_for_what_it_changes_itself(work, rule):
    for name in ("x", "y"):
        work.git("checkout", "-q", "-b", name, "HEAD~1")
        edit(work, "b", (line(2 if name == "x" else 20, "row"), "changed\n"))
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "-m", "octopus", "x", "y")
    assert audited(work, "HEAD^1..HEAD", first_parent=True, require=(rule,)).commits == ()
    work.commit({"c": "evil\n"}, "octopus", "--amend")
    [report] = audited(work, "HEAD^1..HEAD", first_parent=True, require=(rule,)).commits
    assert report.status == "missing"


# -- records that are due


@pytest.mark.parametrize(
    ("rule", "due"),
    [
        ("author:T", True), ("author:t@example.*", True), ("author:T <t@*", True), ("author:X", False),
        ("path:c", True), ("path:d/*", True), ("path:e", False),
        ("agent:Claude*", True), ("agent:Bot", True), ("agent:Other*", False),
    ],
)  # fmt: skip
def test_missing_is_found_when_a_record_is_due(work, rule, due):
    trailers = "Assisted-by: Claude:opus [tool]\nCo-Authored-By: Bot <bot@example.invalid>\n"
    work.commit({"c": "c\n", "d/x": "x\n"}, "by hand\n\n" + trailers)
    report = audited(work, "HEAD", require=(rule,))
    found = [commit.status for commit in report.commits if commit.commit == work.oid()]
    assert found == ["missing"] * due
    assert report.commits[-1].status in ("verified", "missing")
    assert exit_status(audited(work, require=(rule,))) == due


def test_missing_is_added_when_the_record_is_not_verified(work):
    work.write("c", "c\n")
    work.git("add", "c")
    work.git("commit", "-q", "--amend", "--no-edit")
    assert head(work, require=("agent:Claude*",)) == ("modified", None, ["extra-path", "missing"])


def test_commit_is_unverifiable_when_a_path_rule_cannot_see_its_paths(work, make_repo):
    work.commit({"c": "c\n"}, "by hand\n")
    work.git("config", "uploadpack.allowFilter", "true")
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", "file://" + work.path)
    clone.git("fetch", "-q", "--filter=tree:0", "origin", "main")
    report = audited(clone, "origin/main", require=("path:c",))
    assert [commit.status for commit in report.commits] == ["unverifiable"] * 3
    assert exit_status(report) == 1
    allowed = audited(clone, "origin/main", require=("path:c",), allow_unverifiable=True)
    assert exit_status(allowed, allow_unverifiable=True) == 0


@pytest.mark.parametrize("rule", ["", "agent", "agent:", "who:x", ":x", "AGENT:x"])
def test_require_refuses_other_rules(work, rule):
    with pytest.raises(EditError) as caught:
        audited(work, require=(rule,))
    assert caught.value.exit_status == 2


# -- batches


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
