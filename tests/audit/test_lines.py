"""Which lines recorded edits wrote: each byte of a region counts, and nothing that the audit has not found."""

import pytest

from gitedit.audit.lines import written
from gitedit.audit.model import CommitReport, EditFacts, FileFacts, Finding, Placed, RecordFacts

BLOB = b"one\ntwo\r\nthree\n\nfive"


def report(*regions, status="verified", path="a", findings=(), agents=("A:b",)):
    """A report whose records each have the regions (offset, length) in BLOB; None is a region that was not found."""
    edits = tuple(
        EditFacts("exact", 0, 0, 0, region[1] if region else 9, Placed(0, region[0], 1) if region else None)
        for region in regions
    )
    file = FileFacts(path, "100644", "100644", "1" * 40, "2" * 40, edits)
    records = tuple(RecordFacts(agent, "trailer", None, None, agent, None, None, (file,)) for agent in agents)
    return CommitReport("c", (), status, None, "", "", "", "", False, None, records, findings)


def lines(*regions, **facts):
    return sorted(written(report(*regions, **facts), "a", BLOB))


@pytest.mark.parametrize("status", ["modified", "unverifiable", "incomplete", "forged", "no-record", "missing"])
def test_no_line_is_recorded_when_the_commit_is_not_verified(status):
    assert lines((0, 20), status=status) == []


def test_no_line_is_recorded_when_the_region_was_not_found_or_is_in_another_file():
    assert lines(None) == []
    assert lines((0, 3), path="b") == []
    assert lines() == []


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ((0, 1), [1]),
        ((0, 4), [1]),
        ((0, 5), [1, 2]),
        ((3, 1), [1]),
        ((4, 5), [2]),
        ((7, 1), [2]),
        ((8, 1), [2]),
        ((9, 7), [3, 4]),
        ((15, 1), [4]),
        ((16, 4), [5]),
        ((0, 20), [1, 2, 3, 4, 5]),
    ],
)
def test_lines_are_those_that_hold_a_byte_of_the_region(region, expected):
    assert lines(region) == expected


@pytest.mark.parametrize(("offset", "expected"), [(0, [1]), (2, [1]), (4, [2]), (16, [5]), (20, [5])])
def test_line_is_the_one_from_which_bytes_are_gone_when_the_region_is_empty(offset, expected):
    assert lines((offset, 0)) == expected


def test_no_line_is_recorded_behind_the_last_newline():
    assert sorted(written(report((4, 0)), "a", b"one\n")) == []
    assert sorted(written(report((0, 0)), "a", b"")) == []


def test_all_writers_are_told_when_two_records_wrote_in_a_line():
    found = written(report((0, 2), agents=("A:b", "C:d")), "a", BLOB)
    assert [writer.agent for writer in found[1]] == ["A:b", "C:d"]


def test_path_is_the_renamed_one_when_the_audit_says_so():
    note = Finding("renamed", "note", "b is a here", None, "a")
    assert lines((0, 1), path="b", findings=(note,)) == [1]
    assert lines((0, 1), path="c", findings=(note,)) == []
