"""Flipped endings, on lines and hunks alone."""

import pytest

from gitedit.edits.flips import Flip, Hunk, compare, flips, may_be_flipped, restored, runs, split

L, C = b"\n", b"\r\n"


def found(old, new, *hunks):
    lines = split(new)
    return flips(lines, [compare(split(old), lines, [Hunk(*hunk) for hunk in hunks])])


@pytest.mark.parametrize("text", [b"", b"a", b"a\n", b"\n\n", b"a\r\nb", b"a\rb\n", b"\r\n"])
def test_lines_join_to_the_text_when_split(text):
    assert b"".join(split(text)) == text


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        (b"", b"a\n", [(0, 0, 0, 1)]),
        (b"a\nb\r\n", b"a\nb\r\n", []),
        (b"a\nb\r\n", b"x\r\nb\r\n", [(0, 1, 0, 1)]),  # the line is another one
        (b"a\nb\r\n", b"a\n", [(1, 2, 1, 1)]),
        (b"a", b"a\r\n", []),  # a newline at the end is new
        (b"a\r\n", b"a", []),  # or gone
    ],
)
def test_there_is_no_flip_when_only_whole_lines_change(old, new, hunks):
    assert found(old, new, *hunks) == []


def test_flip_is_found_when_the_text_stays():
    assert found(b"a\r\nb\n", b"a\nb\n") == [Flip(0, C, L)]


def test_flip_is_found_behind_other_changes_when_lines_move():
    assert found(b"a\nb\r\n", b"new\na\nb\n", (0, 0, 0, 1)) == [Flip(2, C, L)]


def test_inserted_twin_is_slid_to_where_the_endings_fit():
    """Git may take either `a` for the new one."""
    assert found(b"a\r\n", b"a\na\r\n", (1, 1, 1, 2)) == []
    assert found(b"a\r\n", b"a\r\na\n", (0, 0, 0, 1)) == []


def test_inserted_block_is_slid_over_several_lines_when_that_fits_best():
    old = b"}\r\n\r\nx\r\n"
    assert found(old, b"}\n\ny\n}\r\n\r\nx\r\n", (2, 2, 2, 5)) == []


def test_deleted_twin_is_slid_to_where_the_endings_fit():
    assert found(b"a\r\na\n", b"a\n", (1, 2, 1, 1)) == []
    assert found(b"a\na\r\n", b"a\n", (0, 1, 0, 0)) == []


def test_flip_is_not_ours_when_a_parent_has_the_ending():
    new = split(b"a\n")
    assert flips(new, [{0: C}, {0: L}]) == []
    assert flips(new, [{0: C}, {}]) == [Flip(0, C, L)]


def test_only_named_lines_get_endings_when_they_are_restored():
    lines = split(b"a\nb\r\nc")
    assert restored(lines, {0: C, 1: L}) == b"a\r\nb\nc"


def test_lines_in_a_row_are_one_run_when_they_flipped_alike():
    alike = [Flip(0, C, L), Flip(1, C, L), Flip(2, L, C), Flip(5, L, C)]
    assert [(a.line, b.line) for a, b in runs(alike)] == [(0, 1), (2, 2), (5, 5)]


def test_nothing_may_be_flipped_when_there_is_no_crlf_or_it_is_binary():
    assert not may_be_flipped(b"a\n", b"a\r")
    assert not may_be_flipped(b"a\r\n\0", b"a\n")
    assert may_be_flipped(b"a\r\n", b"a\n")
