import pytest
from edits import oracle
from edits.samples import answer, attempt, cases
from hypothesis import given, settings

from gitedit.edits.endings import census
from gitedit.edits.strict import _disproportionate
from gitedit.edits.tolerance import MAX_LINES, MAX_UNITS
from gitedit.errors import EditError

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("source", "pairs", "code"),
    [
        (b"a\n", [("a", "a")], "no-op-edit"),
        (b"a\n", [("", "b")], "empty-old-text"),
        (b"a\n", [("", "")], "empty-old-text"),
        (b"a\n", [("a", "b"), ("b", "a")], "no-changes"),
        (b"  foo();\n", [(" foo(); ", "  foo();")], "no-changes"),
        (b"a\n", [("a", "b"), ("a", "b")], "duplicate-edit"),
        (b"a\n", [("zz", "z"), ("a", "b"), ("a", "b")], "duplicate-edit"),
        (b"abab\n", [("ab", "x")], "not-unique"),
        (b"aaa\n", [("aa", "x")], "not-unique"),
        (b"a\nb\r\na\nb\r\n", [("a\r\nb", "x")], "ambiguous"),
        (b"  foo bar\n\tfoo bar\n", [("foo bar ", "x")], "ambiguous"),
        (b"foo bar\nfoo bar baz\n", [(" foo bar", "x")], "ambiguous"),
        (b"a\n", [("zebra", "x")], "not-found"),
        (b"", [("zebra", "x")], "not-found"),
        (b"foo bar", [("foo bar \n", "x")], "not-found"),
        (b"a\0\n", [("zebra", "x")], "binary"),
        (b"a\0\n", [("zeb", "x")], "too-short"),
        (b"a\r\nb\0", [("a\nb", "x")], "too-short"),
        (b"if a:\n" + b" " * 600 + b"foo\n", [("if a:\nfoo", "x")], "disproportionate"),
        (b"x" + b" " * 600 + b"y\nz\n", [("x y\nz", "x")], "disproportionate"),
    ],
)
def test_strict_refuses_when_nothing_would_be_right(source, pairs, code):
    assert answer(source, pairs) == code


@pytest.mark.parametrize(
    ("source", "pair", "result", "via"),
    [
        (b"a\n", ("a", ""), b"\n", "exact"),
        (b"a\\1b\n", ("a\\1b", "$& \\1 \\n"), b"$& \\1 \\n\n", "exact"),
        (b"foo" + b" " * 600 + b"y\n", ("foo  y", "z"), b"z\n", "whitespace"),  # one line is never disproportionate
        (b"x\x1cy foo\n", ("x\x1cy  foo", "z"), b"z\n", "whitespace"),
        (b"x\xc2\x85y foo\n", ("x\u0085y  foo", "z"), b"z\n", "whitespace"),
        (b"a\x0cb foo\n\x0c\n", (" a\x0cb foo", "z"), b"z\n\x0c\n", "line-trimmed"),
        (b"a\r\nb\nc\r\n", ("a\nb", "x\ny"), b"x\r\ny\nc\r\n", "line-endings"),  # mixed: the span's own kind
        (b"a\r\nb\nc\nd\r\n", ("a\nb\nc", "x\ny"), b"x\ny\nd\r\n", "line-endings"),
        (b"a\r\nb\r\n", ("\nb", "\nB"), b"a\r\nB\r\n", "exact"),
        (b"a\r\nb\n", ("\nb", "\r\nB"), b"a\r\nB\n", "exact"),
        (b"a\rb\n", ("b", "x\ny"), b"a\rx\ny\n", "exact"),
        (b"a\rb", ("b", "x\r\ny"), b"a\rx\r\ny", "exact"),
        (b"\tfoo bar\r\n", ("foo bar ", "x"), b"x\r\n", "line-trimmed"),
        (b"foo()\\nbar\n", ("foo()\\\\nbar", "x"), b"x\n", "escape"),
        (b"one\ntwo\n", ("one\\ntwo", "x"), b"x\n", "escape"),
        (b"one\r\ntwo\r\n", ("one\\ntwo", "x"), b"x\r\n", "escape"),
        (b"one \\\ntwo\\\n", ("one \ntwo\\\\", "x"), b"x\n", "escape"),
    ],
)
def test_strict_writes_only_the_span_when_it_is_found(source, pair, result, via):
    content, [(matched, _, _)] = answer(source, [pair])
    assert (content, matched) == (result, via)


@pytest.mark.parametrize(
    ("source", "pair", "result"),
    [
        (BOM + b"foo bar\n", ("foo bar", "x"), BOM + b"x\n"),
        (BOM + b" foo bar\n", ("foo bar ", "x"), BOM + b"x\n"),
        (BOM + b"\xe2\x80\x9cfoo\xe2\x80\x9d bar\n", ('"foo" bar', "x"), BOM + b"x\n"),
        (BOM + b"foo  bar\n", ("foo bar", "x"), BOM + b"x\n"),
        (BOM + b"foo\tbar\n", ("foo\\tbar", "x"), BOM + b"x\n"),
        (BOM + b'foo \\"bar\\"\n', ('foo "bar"', "x"), BOM + b"x\n"),
        (BOM + b"foo bar\n", ("\ufefffoo bar", "x"), b"x\n"),
        (BOM + b"foo bar\n", ("\ufefffoo bar ", "x"), b"x\n"),
        (BOM + b"foo\r\nbar\r\n", ("foo\nbar", "x"), BOM + b"x\r\n"),
    ],
)
def test_bom_stays_when_old_text_does_not_name_it(source, pair, result):
    assert answer(source, [pair])[0] == result


def test_bom_counts_anew_when_an_edit_has_taken_or_written_it():
    pairs = [("\ufefffoo bar", "foo bar"), (" foo bar", "\ufeffbaz qux"), (" baz qux", "x")]
    assert answer(BOM + b"foo bar\n", pairs)[0] == BOM + b"x\n"


@pytest.mark.parametrize(
    ("old", "code"),
    [("abcd  ", "too-short"), ("abcde  ", None), ("\U0001f600ab  ", "too-short"), ("\U0001f600abc  ", None)],
)
def test_five_units_are_the_least_when_a_match_is_tolerant(old, code):
    got = answer(b"abcde\n\xf0\x9f\x98\x80abc\n", [(old, "x")])
    assert got == code if code else got[1][0][0] == "line-trimmed"


@pytest.mark.parametrize(
    ("filler", "code"),
    [
        ("x" * (MAX_UNITS - 9), None),
        ("x" * (MAX_UNITS - 8), "too-large"),
        ("\u20ac" * (MAX_UNITS - 9), None),
        ("\u20ac" * (MAX_UNITS - 8), "too-large"),
        ("\U0001f600" * (MAX_UNITS // 2 - 5) + "x", None),
        ("\U0001f600" * (MAX_UNITS // 2 - 5) + "xx", "too-large"),
        ("\n" * (MAX_LINES - 3), None),
        ("\n" * (MAX_LINES - 2), "too-large"),
    ],
)
def test_size_is_limited_when_a_match_is_tolerant(filler, code):
    source = f"foo bar\n{filler}\n".encode()
    got = answer(source, [("foo bar ", "x")])
    assert got == code if code else got[1] == [("line-trimmed", 1, 1)]
    assert answer(source, [("foo bar", "x")])[1] == [("exact", 1, 1)]


@pytest.mark.parametrize(
    ("candidate", "needle", "refused"),
    [
        ("a\nb\nc", "a", False),
        ("a\nb\nc\nd", "a", True),
        ("a\n" * 6 + "a", "a\n" * 3 + "a", False),
        ("a\n" * 7 + "a", "a\n" * 3 + "a", True),
        ("x" * 505, "a\n345", False),
        ("x" * 506, "a\n345", True),
        (" " * 999 + "x" * 505 + " ", "a\n345 ", False),
        ("x" * 800, "a\n" + "x" * 198, False),
        ("x" * 801, "a\n" + "x" * 198, True),
        ("x" * 9999, "a", False),
    ],
)
def test_a_span_is_out_of_proportion_when_much_larger(candidate, needle, refused):
    assert _disproportionate(candidate, needle) is refused


@pytest.mark.parametrize(
    ("source", "pair", "result"),
    [
        (b"  foo bar\n", ("foo bar ", "x"), "not-found"),
        (b"a\r\nb\r\n", ("zz", "x"), "not-found"),  # no gate speaks where none is needed
        (b"a\r\nb\r\n", ("a\nb", "x"), [("line-endings", 1, 2)]),
    ],
)
def test_exact_stops_behind_line_endings_when_set(source, pair, result):
    got = answer(source, [pair], exact=True)
    assert (got if isinstance(got, str) else got[1]) == result


@settings(max_examples=500, deadline=None)
@given(cases())
def test_strict_agrees_with_the_oracle_when_text_is_arbitrary(case):
    source, pairs = case
    try:
        expected = oracle.apply(source, pairs)
    except oracle.Refused as refused:
        expected = str(refused)
    if b"\xff" in source and not all(new.isascii() for _, new in pairs):
        expected = "encoding"
    assert answer(source, pairs) == expected


@settings(max_examples=200, deadline=None)
@given(cases(most=1))
def test_endings_outside_the_span_stay_when_an_edit_applies(case):
    source, pairs = case
    result = attempt(source, pairs)
    if isinstance(result, EditError):
        return
    (region,) = result.regions
    assert census(source[: region.old_start]) == census(result.content[: region.new_start])
    assert census(source[region.old_end :]) == census(result.content[region.new_end :])
    if b"\r\r\n" not in source and "\r" not in pairs[0][1].replace("\r\n", "\n"):
        assert b"\r\r\n" not in result.content
