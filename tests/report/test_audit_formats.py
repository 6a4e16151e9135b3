"""Every form of an audit: what it says, and that nothing which a commit says can break it."""

import csv
import json
import re
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitedit.report.audited import lines
from gitedit.report.junit import audit_junit
from gitedit.report.markdown import audit_markdown, code
from gitedit.report.richtable import audit_table
from gitedit.report.rows import AUDIT_COLUMNS, audit_rows
from gitedit.report.table import audit_lines

from .audits import HOSTILE, commit, finding, hostile, modified, ordinary, record, report

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
OID = f"{1:040x}"


def text(pieces):
    return "".join(pieces)


def harmless(said):
    return all(char.isprintable() for line in said.split("\n") for char in line)


# -- table


def test_table_is_the_sum_alone_when_nothing_is_recorded():
    assert text(audit_lines(report(read=3))) == "3 commits: 3 no-record\n"
    assert text(audit_lines(report())) == "0 commits\n"


def test_table_has_a_line_a_commit_and_its_findings_below():
    found = report(
        commit(1), modified(2), ordinary(3, signed=True), commit(4, signed=True, signature="G"), read=9, boundary=("b",)
    )
    assert text(audit_lines(found)).splitlines() == [
        "verified     000000000000 exact      2 edits in 1 file, A:b: Subject",
        "modified     000000000000 -          2 edits in 1 file, A:b: Subject",
        "  error: outside-region: m",
        "no-record    000000000000 -          signed: Subject",
        "verified     000000000000 exact      2 edits in 1 file, A:b, signature G: Subject",
        "boundary b: the history is cut off here, and what came before is not judged",
        "9 commits: 2 verified, 1 modified, 6 no-record",
    ]


def test_table_says_which_commits_record_the_batch_when_there_is_one():
    assert text(audit_lines(report(batch=()))) == "no commit records the batch\n"
    assert text(audit_lines(report(commit(), batch=(OID,)))).endswith("\n1 commit records the batch: 1 verified\n")
    assert "\nNo commit records the batch.\n" in text(audit_markdown(report(batch=())))


@pytest.mark.parametrize("value", HOSTILE)
def test_table_obeys_nothing_when_values_are_hostile(value):
    assert harmless(text(audit_lines(hostile(value))).replace("\t", " "))


@pytest.mark.parametrize("width", [20, 80, 200])
@pytest.mark.parametrize("value", HOSTILE)
def test_rich_table_obeys_nothing_and_fits_when_values_are_hostile(value, width):
    said = text(audit_table(hostile(value), width, colour=True))
    assert "\x1b[" in said
    assert harmless(COLOURS.sub("", said))
    assert "\x1b" not in text(audit_table(hostile(value), width, colour=False))
    assert max(map(len, text(audit_table(hostile(value), width, colour=False)).split("\n"))) <= width


def test_rich_table_is_plain_when_it_would_be_very_long():
    made = report(*(commit(number) for number in range(1001)))
    assert text(audit_table(made, 80, colour=True)) == text(audit_lines(made))


def test_rich_table_takes_no_markup_when_a_subject_looks_like_it():
    assert "[bold]x[/bold] :smile:" in text(
        audit_table(report(commit(subject="[bold]x[/bold] :smile:")), 100, colour=True)
    )


# -- json lines


def test_json_lines_end_with_the_sum():
    found = [json.loads(line) for line in text(lines(report(commit(1), modified(2), read=5))).splitlines()]
    assert [one.get("status") for one in found] == ["verified", "modified", None]
    assert list(found[-1]) == ["summary", "boundary"]
    assert found[-1]["summary"]["commits"] == 5


@pytest.mark.parametrize("value", HOSTILE)
def test_json_is_ascii_and_keeps_values_when_they_are_hostile(value):
    made = hostile(value)
    said = text(made.json_pieces())
    assert said.isascii()
    found = json.loads(said)
    assert list(found) == ["ok", "commits", "summary", "boundary"]
    assert found["commits"][0]["subject"] == value
    assert found["commits"][0]["records"][0]["agent"] == (value or None)
    first, _, _ = text(lines(made)).splitlines()
    assert json.loads(first) == found["commits"][0]


# -- csv


def rows(made):
    return list(csv.DictReader(text(audit_rows(made)).split("\n")))


def test_csv_is_a_header_alone_when_nothing_is_listed():
    assert text(audit_rows(report(read=3))) == ",".join(AUDIT_COLUMNS) + "\n"


def test_csv_has_a_row_a_finding_and_one_for_a_commit_without():
    found = rows(report(commit(1), modified(2, finding(), finding("mode", None, None))))
    assert [(row["status"], row["reason"], row["path"], row["line"]) for row in found] == [
        ("verified", "", "", ""),
        ("modified", "outside-region", "a.py", "3"),
        ("modified", "mode", "", ""),
    ]
    facts = {"edits": "2", "files": "1", "strategies": "exact 1; line-trimmed 1", "agents": "A:b", "signed": "no"}
    assert facts.items() <= found[0].items()


@pytest.mark.parametrize("value", HOSTILE)
def test_csv_holds_no_formula_and_no_control_when_values_are_hostile(value):
    said = text(audit_rows(hostile(value)))
    assert harmless(said.replace("\t", " "))
    found = rows(hostile(value))
    assert len(found) == 4
    for row in found:
        assert None not in row
        assert not [cell for cell in row.values() if cell.lstrip().startswith(tuple("=+-@|%\uff1d\uff0b\uff0d\uff20"))]


# -- markdown


def test_markdown_says_so_when_nothing_fails():
    said = text(audit_markdown(report(commit(1), read=3)))
    assert said.startswith("### gitedit audit: none of 3 commits fail\n\n| status | commits |\n")
    assert said.endswith("- **verified (exact)** `000000000000` `Subject` (2 edits in 1 file, `A:b`)\n")


def test_markdown_has_the_worst_first():
    said = text(audit_markdown(report(commit(1), modified(2), boundary=("b",))))
    assert said.startswith("### gitedit audit: 1 of 2 commits fails\n")
    assert said.index("**modified**") < said.index("**verified (exact)**")
    assert "  - error, outside-region at `a.py:3`: `m`\n" in said
    assert "- boundary b: " in said


def spans(line):
    """Return the text of a line outside its code spans, as CommonMark reads them."""
    outside, at = "", 0
    while opening := re.compile("`+").search(line, at):
        outside += line[at : opening.start()]
        closing = next((run for run in re.finditer("`+", line[opening.end() :]) if run[0] == opening[0]), None)
        assert closing, f"an unclosed code span: {line}"
        at = opening.end() + closing.end()
    return outside + line[at:]


@pytest.mark.parametrize("value", HOSTILE)
def test_markdown_has_every_value_in_a_code_span_when_they_are_hostile(value):
    said = text(audit_markdown(hostile(value)))
    assert harmless(said)
    for line in said.splitlines()[7:]:
        rest = re.sub(r"\*\*(modified|no-record)\*\*|\(empty\)", "", spans(line))
        assert re.fullmatch(r"( *- |[a-z0-9,:() -]+)+", rest), rest


@pytest.mark.parametrize("value", HOSTILE)
def test_code_span_reads_back_when_the_value_is_hostile(value):
    span = code(value)
    if value.strip():
        assert spans(span) == ""
    assert "\n" not in span
    assert len(span) < 600


def test_markdown_fits_into_a_comment_when_there_are_many_commits():
    said = text(audit_markdown(report(*(modified(n, subject="`" * 400) for n in range(1000)))))
    assert 50_000 < len(said) < 65_536
    assert re.search(r"\n… and \d+ more commits; `gitedit audit` lists them all\.\n$", said)


# -- junit


def suite(made, **options):
    root = ET.fromstring(text(audit_junit(made, **options)).encode("utf-8"))  # noqa: S314 - made here
    return root.find("testsuite")


def test_junit_has_no_failure_when_nothing_fails():
    found = suite(report(commit(1), ordinary(2)))
    assert (found.get("tests"), found.get("failures"), found.get("skipped")) == ("2", "0", "1")
    assert [[child.tag for child in case] for case in found] == [["system-out"], ["skipped", "system-out"]]


@pytest.mark.parametrize(("fail_on", "failures"), [("error", 1), ("warning", 2), ("note", 3)])
def test_junit_fails_from_the_level_that_was_asked_for(fail_on, failures):
    made = modified(1, finding(), finding(level="warning", rule="incomplete"), finding(level="note", rule="renamed"))
    (case,) = suite(report(made), fail_on=fail_on)
    assert len(case.findall("failure")) == failures


def test_junit_fails_when_history_is_cut_off_or_no_commit_records_the_batch():
    found = suite(report(boundary=("b",), batch=()))
    assert [case.get("name") for case in found] == ["batch", "history"]
    assert found.get("failures") == "2"
    assert len(suite(report(boundary=("b",)), allow_unverifiable=True)) == 0


@pytest.mark.parametrize("value", HOSTILE)
def test_junit_is_well_formed_when_values_are_hostile(value):
    case, _ = suite(hostile(value))
    assert [failure.get("type") for failure in case.findall("failure")] == ["outside-region", "mode"]
    messages = {failure.get("message") for failure in case.findall("failure")}
    if value.isprintable():
        assert messages == {value}
    assert all(harmless(message) for message in messages)


@given(st.text(st.characters(exclude_characters="\ud800"), max_size=30) | st.text("`|\\\\ <&\"'=\n", max_size=12))
def test_every_form_is_sound_when_values_are_random(value):
    made = hostile(value.replace("\0", "").encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"))
    assert len(suite(made)) == 2
    assert len(rows(made)) == 4
    for said in (text(audit_markdown(made)), text(audit_lines(made)), text(audit_rows(made))):
        assert harmless(said.replace("\t", " "))
    for row in text(audit_markdown(made)).splitlines()[7:]:
        spans(row)


def test_agents_are_listed_once_when_records_share_them():
    made = commit(records=(record("A:b"), record("C:d"), record("A:b"), record(None)))
    assert "8 edits in 1 file, A:b, C:d: Subject" in text(audit_lines(report(made)))
