"""`gitedit audit` as people, pipes and continuous integration run it."""

import csv
import json
import os
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest

from tests.audit.recorded import edit, line, text
from tests.audit.signing import rewrite, sign, with_key

from .command import WHOLE, at_terminal, run

FORMS = ("table", "json", "jsonl", "csv", "markdown", "sarif", "junit")
BATCH = '{"path": "a", "edits": [{"oldText": "line 2\\n", "newText": "two\\n"}]}'


@pytest.fixture
def work(repo):
    """One ordinary and one verified commit."""
    repo.commit({"a": text(5)})
    edit(repo, "a", (line(2), "two\n"), agent="A:b")
    return repo


@pytest.fixture
def broken(work):
    """One more, which holds more than its record says."""
    edit(work, "a", (line(4), "four\n"))
    work.write("extra", "x\n")
    work.git("add", "extra")
    work.git("commit", "-q", "--amend", "--no-edit")
    return work


def audit(repo, *arguments, **how):
    return run(repo.env, "audit", *arguments, **{"cwd": repo.path, **how})


def test_nothing_is_found_when_nothing_is_recorded(repo):
    repo.commit({"a": "1\n"})
    assert audit(repo) == (0, "1 commit: 1 no-record\n", "")
    assert audit(repo, "-q") == (0, "", "")


def test_status_is_zero_and_every_form_is_written_when_all_is_verified(work):
    for form in FORMS:
        said = audit(work, "--format", form)
        assert (said.status, said.err) == (0, ""), form
        assert said.out.endswith("\n")


def test_status_is_one_and_every_form_says_why_when_a_commit_is_modified(broken):
    found = {}
    for form in FORMS:
        said = audit(broken, "--format", form)
        assert (said.status, said.err) == (1, ""), form
        found[form] = said.out
    assert (
        "\n  error: extra-path: all 1 recorded regions are here; extra:1 is explained by no record\n" in found["table"]
    )
    document = json.loads(found["json"])
    assert list(document) == ["ok", "commits", "summary", "boundary"]
    assert [commit["status"] for commit in document["commits"]] == ["modified", "verified"]
    assert [json.loads(row).get("status") for row in found["jsonl"].splitlines()] == ["modified", "verified", None]
    assert [row["reason"] for row in csv.DictReader(found["csv"].split("\n"))] == ["extra-path", ""]
    assert "### gitedit audit: 1 of 3 commits fails" in found["markdown"]
    (result,) = json.loads(found["sarif"])["runs"][0]["results"]
    assert result["properties"]["commit"] == broken.oid()
    assert ET.fromstring(found["junit"]).get("failures") == "1"  # noqa: S314 - our own


def test_status_is_one_and_every_form_says_why_when_a_signature_is_bad(work, tmp_path):
    with_key(work, tmp_path)
    sign(work)
    rewrite(work, b"Edit a:", b"Edit A:")
    oid = work.oid()
    for form in FORMS:
        assert audit(work, "--format", form).status == 0, form
        said = audit(work, "--format", form, "--signatures")
        assert (said.status, said.err) == (1, ""), form
        assert f"git finds the signature bad: `git verify-commit {oid[:12]}` says more" in said.out, form
    assert "### gitedit audit: 1 of 2 commits fails" in audit(work, "--format", "markdown", "--signatures").out
    assert "verified" in audit(work, "--signatures").out
    shown = at_terminal(work, [*WHOLE, "audit", "--signatures"])[1]
    assert "\x1b[1;31m2 commits: 1 verified, 1 no-record" in shown


def test_json_is_the_same_when_asked_for_by_its_short_name(broken):
    assert (
        audit(broken, "--json")
        == audit(broken, "--format", "json")
        == run(broken.env, "--json", "-C", broken.path, "audit")
    )
    said = audit(broken, "--json", "--format", "csv")
    assert (said.status, said.err) == (
        2,
        "error: --json and --format csv exclude each other\nhint: leave one of them out\n",
    )


def test_range_is_as_for_git_log(broken):
    assert audit(broken, "HEAD~2..HEAD~1").out.endswith("\n1 commit: 1 verified\n")
    assert audit(broken, "HEAD", "^HEAD~1").out.endswith("\n1 commit: 1 modified\n")
    broken.git("branch", "side", "HEAD~1")
    broken.git("reset", "-q", "--hard", "HEAD~2")
    assert audit(broken).out == "1 commit: 1 no-record\n"
    assert audit(broken, "--", "--branches", "--not", "main").out.endswith("\n1 commit: 1 verified\n")


def test_ordinary_commits_are_listed_when_all_are_asked_for(work):
    said = audit(work, "--all", "--json")
    assert [commit["status"] for commit in json.loads(said.out)["commits"]] == ["verified", "no-record"]


def test_level_decides_when_there_is_only_a_note(work):
    work.commit({"b": "x\n"}, "Quote\n\n> Gitedit-Record: v1 id=0123456789abcdef\n\nMore.\n")
    work.git("revert", "--no-edit", "HEAD~1")
    assert audit(work).status == audit(work, "--fail-on", "warning").status == 0
    said = audit(work, "--fail-on", "note")
    assert said.status == 1
    assert "  note: reverts: takes back record " in said.out


def test_records_are_due_when_a_rule_says_so(work):
    assert audit(work, "--require", "agent:A:*").status == 0
    said = audit(work, "--require", "agent:A:*", "--require", "path:a")
    assert (said.status, "\n  error: missing: a record is due (path:a)" in said.out) == (1, True)
    wrong = audit(work, "--json", "--require", "nobody")
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.startswith("error: --require takes agent:GLOB")


def test_commits_of_a_batch_are_listed_when_one_is_given(work):
    work.write("batch.json", BATCH)
    edit(work, "a", (line(4), "four\n"))
    said = audit(work, "--batch", "batch.json")
    assert (said.status, said.out.count("\n")) == (0, 2)
    assert said.out.endswith("\n1 commit records the batch: 1 verified\n")
    other = audit(work, "--batch", "-", data=BATCH.replace("two", "2").encode())
    assert (other.status, other.out) == (1, "no commit records the batch\n")
    assert audit(work, "--batch", "-", data=b"{").status == 3
    assert audit(work, "--batch", "nothing").status == 74


def test_edge_of_a_shallow_clone_is_named_and_fails(work, make_repo):
    other = make_repo("shallow")
    other.git("fetch", "-q", "--depth=1", f"file://{work.path}", "main:cut")
    said = audit(other, "cut")
    assert (said.status, f"\nboundary {work.oid()}: the history is cut off here" in said.out) == (1, True)
    assert json.loads(audit(other, "cut", "--json").out)["boundary"] == [work.oid()]
    assert audit(other, "cut", "--allow-unverifiable").status == 0


@pytest.mark.parametrize(
    ("arguments", "status", "code"),
    [
        (["nonsense"], 2, "bad-revision"),
        (["--", "--output=x"], 2, "bad-revision"),
        (["-C", "/"], 5, "not-a-repository"),
    ],
)
def test_error_is_a_document_when_json_is_asked_for(work, arguments, status, code):
    for form in ("json", "jsonl"):
        said = audit(work, "--format", form, *arguments)
        assert (said.status, json.loads(said.out)["error"]["code"]) == (status, code)
    assert audit(work, *arguments).out == ""


def test_verdicts_are_kept_unless_that_is_refused(work):
    kept = os.path.join(work.path, ".git", "gitedit", "audit.sqlite3")
    first = audit(work, "--json", "--no-cache")
    assert not os.path.exists(kept)
    assert audit(work, "--json") == audit(work, "--json") == first
    assert os.path.exists(kept)


def test_pipe_may_close_when_it_has_read_enough(work):
    shell = f"{' '.join(WHOLE)} audit --all --format csv | head -n 0; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], cwd=work.path, env=work.env, capture_output=True, check=False)
    assert done.returncode in (0, 141)
    assert done.stderr == b""


def test_terminal_shows_a_table_in_colour_unless_that_is_refused(broken):
    status, said = at_terminal(broken, [*WHOLE, "audit"])
    assert status == 1
    assert "\x1b[1;31mmodified" in said
    assert "\x1b[32mverified" in said
    plain = at_terminal(broken, [*WHOLE, "audit"], NO_COLOR="1")[1]
    assert "\x1b" not in plain
    assert re.search(r"(?m)^ *verdict +commit +agent +edits +subject", plain)


BAR = """
import sys, time
from gitedit.cli import progress
progress._SECONDS = float(sys.argv[1])
with progress.Bar("reading commits", quiet=sys.argv[2] == "quiet") as bar:
    bar(1234)
    time.sleep(0.5)
    bar(5678)
    time.sleep(0.3)
"""


@pytest.mark.parametrize(
    ("seconds", "quiet", "term", "shown"),
    [("0", "", "xterm", True), ("9", "", "xterm", False), ("0", "quiet", "xterm", False), ("0", "", "dumb", False)],
)
def test_bar_is_shown_when_it_takes_long_at_a_terminal_and_taken_away(repo, seconds, quiet, term, shown):
    status, said = at_terminal(repo, [sys.executable, "-c", BAR, seconds, quiet], TERM=term)
    assert status == 0
    assert ("reading commits" in said, "5,678" in said) == (shown, shown)
    assert said == "" or said.endswith("\x1b[2K")


def test_bar_is_silent_when_standard_error_is_no_terminal(repo):
    done = subprocess.run([sys.executable, "-c", BAR, "0", ""], env=repo.env, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
