import pytest
from edits.samples import answer, attempt

from gitedit.edits.model import Edit

TEXT = b"one 1\ntwo 2\nthree 3\nfour 4\n"


def revised(source, *edits):
    return attempt(source, [Edit(*edit) for edit in edits], mode="anchored")


@pytest.mark.parametrize(
    ("edits", "code", "failing"),
    [
        ([("one[upto]2", "one 1\ntwo 2")], "no-changes", [None]),
        ([("one[upto]a[upto]2", "x")], "multiple-markers", [0]),
        ([("[upto]2", "x")], "blank-anchor", [0]),
        ([("one\n[upto]\n \n", "x")], "blank-anchor", [0]),
        ([("zwei[upto]2", "x")], "head-not-found", [0]),
        ([("o[upto]2", "x")], "head-not-unique", [0]),
        ([("two[upto]one", "x")], "tail-not-found", [0]),
        ([("one[upto]r", "x")], "tail-not-unique", [0]),
        ([("one[upto]2", "x"), ("zwei", "y")], "not-found", [1]),
        ([("one[upto]2", "x"), ("o", "y")], "not-unique", [1]),
        ([("one[upto]2", "x"), ("", "y")], "empty-old-text", [1]),
        # One phase at a time, every failing edit of it.
        ([("zwei", "y"), ("one[upto]2", "x"), ("o", "y")], "not-found", [0, 2]),
        ([("one[upto]2", "x"), ("two", "y"), ("four", "z")], "overlap", [0, 1]),
        ([("one[upto]4", "x"), ("two", "y"), ("four", "z")], "overlap", [0, 1, 2]),
    ],
)
def test_anchored_refuses_when_a_phase_fails(edits, code, failing):
    result = revised(TEXT, *edits)
    assert result.code == code
    assert [problem.edit for problem in result.problems] == failing


@pytest.mark.parametrize(
    ("source", "code"),
    [
        (b"'q' 1\nend\n\xe2\x80\x98q\xe2\x80\x99 1\nend\n", "ambiguous"),
        (b"'q' 1\nend \n\xe2\x80\x98q\xe2\x80\x99 1 \nend x\n", "ambiguous"),
        (b"'q' 1\nend\n\xe2\x80\x98q\xe2\x80\x99 2\nend\n", "tail-not-unique"),
    ],
)
def test_anchored_refuses_when_normalisation_makes_two_places(source, code):
    assert revised(source, ("'q' 1\n[upto]\nend", "x")).code in (code, "tail-not-unique")


@pytest.mark.parametrize(
    ("source", "edits", "result"),
    [
        (TEXT, [("one[upto]\n\ntwo", "x")], b"x 2\nthree 3\nfour 4\n"),
        (TEXT, [("one\n[upto]", "x", True), ("two", "2")], None),
        (b"use [upto] here\nend\n", [("[upto]", "m", True), ("end", "E")], b"use m here\nE\n"),
        (TEXT, [("four", "4"), ("one[upto]two", "x")], b"x 2\nthree 3\n4 4\n"),
        (b"a 1\r\nb 2\r\nc\r\n", [("a 1\n[upto]\nb 2\n", "x\ny\n")], b"x\r\ny\r\nc\r\n"),
        (b"a 1\r\nb 2\nc\r\n", [("a 1\n[upto]b", "x\ny")], b"x\r\ny 2\nc\r\n"),
        (b"a 1\r\nb 2\nc\r\n", [("a 1\n[upto]c", "x\ny")], b"x\ny\r\n"),  # both kinds in the span: verbatim
        (b"\xef\xbb\xbfa 1\nb 2\n", [("a[upto]1", "x")], b"\xef\xbb\xbfx\nb 2\n"),
        (b"a\r1\nb 2\n", [("a\r[upto]1", "x\r")], b"x\r\nb 2\n"),
    ],
)
def test_anchored_writes_only_the_ranges_when_they_are_found(source, edits, result):
    got = revised(source, *edits)
    assert got.code == "not-found" if result is None else got.content == result


def test_outcomes_are_in_input_order_and_original_lines_when_anchored():
    result = revised(TEXT, ("four", "4\n4"), ("one[upto]two", "x\ny\nz"))
    assert result.edits == (("exact", 4, 4), ("anchored", 1, 2))


def test_anchored_mode_is_strict_when_nothing_is_anchored():
    assert answer(b"  foo bar\n", [("foo  bar", "x")], mode="anchored") == (b"x\n", [("whitespace", 1, 1)])
    assert answer(b"a\n", [("a", "b"), ("b", "c")], mode="anchored") == (b"c\n", [("exact", 1, 1)] * 2)


def test_marker_is_plain_text_when_mode_is_strict():
    assert answer(b"a [upto] b\n", [("a [upto] b", "x")]) == (b"x\n", [("exact", 1, 1)])


@pytest.mark.parametrize(
    ("source", "edit", "words"),
    [
        (TEXT, ("one[upto]two", "x"), None),
        (TEXT, ("one[upto]2\n", "x\n"), None),
        (TEXT, ("one[upto]4\n", "x\nfour 4\n"), None),
        (TEXT, ("one[upto]two", "[upto]"), "[upto]"),
        (TEXT, ("one[upto]2\n", "x\nthree 3\n"), "line 3"),
        (TEXT, ("one[upto]2", "x\nthree 3"), "line 3"),
        (TEXT.replace(b"\n", b"\r\n"), ("one[upto]2\n", "x\nthree 3\n"), "line 3"),
    ],
)
def test_warning_is_given_when_new_text_looks_like_a_slip(source, edit, words):
    warnings = revised(source, edit).warnings
    assert len(warnings) == (words is not None)
    assert all(words in warning for warning in warnings)
