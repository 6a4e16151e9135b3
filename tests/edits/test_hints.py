from unittest import mock

import pytest
from edits.samples import anchored, attempt, cases
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits import hints
from gitedit.edits.model import Edit
from gitedit.edits.text import Text
from gitedit.errors import EditError

PHRASE = "correct horse battery staple"


def refused(source, pairs, **options):
    error = attempt(source, pairs, **options)
    assert isinstance(error, EditError)
    return error


@pytest.mark.parametrize(
    ("source", "old", "lines"),
    [
        (b"a\nb\na\n", "a", (1, 3)),
        (b"a\n" * 9, "a", (1, 2, 3, 4, 5)),
        (b"aaa\n", "aa", (1, 1)),
        (b"a\nb\r\na\nb\r\n", "a\r\nb", (1, 3)),
        (b" foo bar\n\n\tfoo bar\n", "foo bar ", (1, 3)),
        (b"foo bar\nfoo bar baz\n", " foo bar", (1, 2)),
    ],
)
def test_lines_are_listed_when_there_are_several_matches(source, old, lines):
    error = refused(source, [(old, "x")])
    assert error.problems[0].lines == lines
    assert str(lines[-1]) in error.message
    assert error.hint


@pytest.mark.parametrize(
    ("source", "old", "words", "line"),
    [
        ("def f():\n    return foo(1)\n", "def f():\n    return foo(2)", "line 2, column 16", 2),
        ("call\u200b_api(1)\n", "call_api(1)", "column 5: the file has U+200B", 1),
        ("one two\nalpha beta\n", "alpha  beta gamma", 'line 2, column 7: the file has "b", oldText a blank', 2),
        ("alpha\tbeta\n", "alpha beta gamma", "the file has a tab, oldText a blank", 1),
        ("alpha beta\n", "alpha beta gamma", "the file has the end of the line, oldText a blank", 1),
        ("one one\ntwo two\n", "two two\nthree", "the file ends at line 2", 2),
        ("one one\n", "zebra", "no line of the file is like it", None),
        ("return foo", "return foo\n", "ends without a newline", 1),
        ("x\r\nreturn foo\r\nfoo", "return foo\nfoo\n", "ends without a newline", 3),
        ("  return foo", "return foo\n", "ends without a newline", 1),
        ("foo", "foo\n", "ends without a newline", None),
        ("alpha [up to] b\n", "alpha [upto] b", "anchored mode only", 1),
        ("  x = call(one,  two)\n", "call(one, two)", 'column 17: the file has a blank, oldText "t"', 1),
        ("  x = call(one)\n  y = 2\n", "call(one)\n  y = 3", 'line 2, column 7: the file has "2", oldText "3"', 2),
        ("x = call(one)\n  y = 2 * z\n", " call(one)\n y = 2", "line 2, column 2: the file has a blank", 2),
    ],
)
def test_hint_names_the_closest_place_when_nothing_matches(source, old, words, line):
    error = refused(source.encode(), [(old, "x")])
    assert words in error.hint
    assert error.problems[0].lines == (() if line is None else (line,))


def test_hint_speaks_of_bytes_when_the_file_is_not_utf8():
    assert "the byte 0xe9" in refused(b"caf\xe9 one\n", [("cafe one", "x")]).hint


def test_hint_speaks_of_line_ends_when_nothing_else_differs():
    hint = refused(b"foo\r\nbar\nx\0", [("foo\nbar", "x")], exact=True).hint
    assert "line 1, whose lines differ in their ends only" in hint


def test_hint_is_cheap_but_there_when_the_file_is_too_large():
    error = refused(b"one\n" + b"x\n" * 60_000 + b"alpha beta\n", [("alpha beta\ngamma", "x")])
    assert error.code == "too-large"
    assert "line 60002" in error.hint


@pytest.mark.parametrize(
    ("pairs", "code", "words"),
    [
        ([("one", "1"), ("one", "uno")], "too-short", "edit 1 of this batch changed that text"),
        (
            [("six", "6"), ("one two", "1 2"), ("one two ", "uno")],
            "not-found",
            "edit 2 of this batch changed that text",
        ),
        ([("one", "two"), ("two", "2")], "not-unique", "an earlier edit of this batch made it match more than once"),
        ([("one two", "one 2"), ("seven", "7")], "not-found", None),
        (
            [("e two s", "e seven s"), ("seven", "7"), ("seven", "8")],
            "not-found",
            "edit 1 of this batch wrote that text",
        ),
    ],
)
def test_message_says_so_when_an_earlier_edit_is_the_cause(pairs, code, words):
    error = refused(b"one two six\n", pairs)
    assert error.code == code
    assert f"edit {len(pairs)} of {len(pairs)}: " in error.message
    assert (words in error.message) if words else "batch" not in error.message


def test_hint_points_before_the_head_when_the_tail_is_there():
    error = refused(b"one\ntwo\nthree\n", [("three[upto]one", "x")], mode="anchored")
    assert "line 1" in error.hint
    assert "line 3" in error.message


def test_strategies_are_named_when_nothing_matches():
    assert "exact, line-endings, line-trimmed, unicode, whitespace, escape" in refused(b"", [("zebra", "x")]).message
    assert "(tried exact, line-endings)" in refused(b"", [("zebra", "x")], exact=True).message


@pytest.mark.parametrize(
    "source",
    [b"", b"x\n", f"{PHRASE}!\n{PHRASE}?\n".encode(), f"  {PHRASE}\n\t{PHRASE}\n".encode(), b"\0", b"battery staple\n"],
)
@pytest.mark.parametrize("old", [PHRASE, f" {PHRASE} ", f"{PHRASE}\n", f"{PHRASE}[upto]{PHRASE}", f"x[upto]{PHRASE}"])
@pytest.mark.parametrize("mode", ["strict", "anchored"])
def test_message_never_echoes_old_text_when_it_refuses(source, old, mode):
    error = attempt(source, [Edit(old, "n"), Edit("x", "y")], mode=mode)
    shown = [error.message, error.hint, *(p.message for p in error.problems)] if isinstance(error, EditError) else []
    assert not any(word in text for text in shown for word in PHRASE.split())


@settings(max_examples=150, deadline=None)
@given(cases(most=12), st.sampled_from(("strict", "anchored")))
def test_refusal_is_short_and_plain_when_text_is_arbitrary(case, mode):
    source, pairs = case
    error = attempt(source, anchored(pairs) if mode == "anchored" else pairs, mode=mode)
    if not isinstance(error, EditError):
        return
    assert error.problems[0].code == error.code
    assert error.problems[0].message
    for text in (error.message, error.hint, *(problem.message for problem in error.problems)):
        assert len(text) < 2000
        assert text.isascii()


def test_message_says_so_when_earlier_edits_left_none_of_several_places():
    error = refused(b"one two\none two\n", [("one two\none two", "x"), ("one two", "y")])
    assert error.code == "not-found"
    assert "edits before it in this batch changed that text wherever it was" in error.message


KINDS = ("alpha", " gamma\t", "delta", "beta = 1", "beta = 2 ", "\u00e9", "}", "", "\ufeff", "gamma\r")
LINES = st.lists(st.sampled_from(KINDS), max_size=9) | st.lists(st.sampled_from(KINDS), max_size=5, unique=True)


@settings(max_examples=600, deadline=None)
@given(LINES, LINES, st.sampled_from(("", "\n", "\ufeff")), st.booleans(), st.sampled_from((1, 3, 8)))
def test_hint_is_the_same_when_every_line_has_a_vote(theirs, wanted, edge, final, least):
    text, old = edge + "\n".join(theirs) + "\n" * final, "\n".join(wanted) + edge
    with mock.patch.object(hints, "_PLACES_OF_A_LINE", least):
        hint = hints.closest(Text(text.encode()), old)
    with mock.patch.object(hints, "_proven", return_value=None):
        assert hints.closest(Text(text.encode()), old) == hint


@given(
    st.lists(st.text(st.characters(max_codepoint=0x7F, exclude_characters="\n") | st.sampled_from("a_1 ")), min_size=1)
)
def test_words_are_those_of_the_pattern_when_lines_are_ascii(keys):
    assert list(hints._words(keys)) == list(map(hints._WORD.findall, keys))
