import sys
from unicodedata import normalize
from unittest import mock

import pytest
from edits.samples import attempt
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits import hints, tolerance
from gitedit.edits.model import Edit
from gitedit.edits.text import Text
from gitedit.edits.tolerance import WHITE, hopeless, split, trimmed, trimmed_keys, unescape
from gitedit.errors import EditError

# What strategies take away or write, what they only seem to, and what normalises to, or composes with, ASCII.
PIECES = (
    *(
        "alpha",
        "beta",
        "int",
        "run\n",
        "trn",
        "x",
        "e",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "\v",
        "\x1c",
        "\x85",
    ),
    *(
        "\u00a0",
        "\u2003",
        "\u2028",
        "\u3000",
        "\ufeff",
        "\u180e",
        "'",
        '"',
        "-",
        "`",
        "$",
        "\u2018",
        "\u201d",
        "\u2014",
    ),
    *("\\", "\\\\", "\\n", "\\t", "\\r", "\\'", '\\"', "\\`", "\\$", "\\\n", "\\\r\n", "\\x"),
    *(
        "\ufb01",
        "\u2026",
        "\u00bd",
        "\u00b4",
        "\uff41",
        "\u212b",
        "\u2011",
        "\u00e9",
        "\u0301",
        "\u0316",
        "\u1100\u1161",
    ),
    *("\u0301\u0316" * 40, "\u2126", "\U0001f600", "\u4e2d"),
)
DISTORTIONS = (
    lambda text: text.replace("\r\n", "\n"),
    lambda text: text.replace("\n", "\r\n"),
    lambda text: text.replace("\n", "\\n").replace("\t", "\\t"),
    lambda text: text.replace("\\", "\\\\").replace('"', '\\"'),
    lambda text: "\n".join(f"\t{line.strip()} " for line in text.split("\n")),
    lambda text: text.replace(" ", "\n"),
    lambda text: text.replace(" ", " \u2003"),
    lambda text: text.replace("'", "\u2019").replace("-", "\u2010").replace('"', "\u201f"),
    lambda text: text.replace("fi", "\ufb01").replace("a", "\uff41"),
    lambda text: normalize("NFD", text),
    lambda text: normalize("NFKC", text),
    unescape,
    lambda text: text.replace("e", "f", 1),
    lambda text: text + "zebra",
)


LINES = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)


@st.composite
def cases(draw):
    """Draw a file, and old text that is mostly a distorted part of it."""
    lines = draw(st.lists(LINES, min_size=1, max_size=6))
    text = draw(st.sampled_from(("\n", "\n", "\r\n"))).join(lines)
    low, high = sorted((draw(st.integers(0, len(lines))), draw(st.integers(0, len(lines)))))
    old = "\n".join(lines[low:high]) or draw(LINES)
    for distorted in draw(st.lists(st.sampled_from(DISTORTIONS), max_size=2)):
        old = distorted(old)
    return text.encode() + draw(st.sampled_from((b"", b"\n", b"\xff\xc3", b"\r\n"))), old


def complete(source, edits):
    """Return all that the engine says."""
    result = attempt(source, edits)
    if isinstance(result, EditError):
        return result.code, result.message, result.hint, result.problems
    return result


@settings(max_examples=1000, deadline=None)
@given(cases(), st.booleans())
def test_nothing_is_found_or_said_otherwise_when_short_cuts_are_off(case, second):
    source, old = case
    edits = [Edit(old, "new")]
    if second:  # then the lines of the text may be known already
        edits.insert(0, Edit(" alpha\t", "beta\nalpha"))
    short = complete(source, edits)
    with (
        mock.patch.object(tolerance, "hopeless", return_value=False),
        mock.patch.object(hints, "_proven", return_value=None),
    ):
        assert complete(source, edits) == short


@settings(max_examples=1000, deadline=None)
@given(cases())
def test_no_strategy_finds_anything_when_a_text_is_hopeless(case):
    source, old = case
    if old and hopeless(Text(source), old):
        assert not any(list(strategy(Text(source), old)) for strategy in tolerance.STRATEGIES.values())


@pytest.mark.parametrize(
    ("source", "old", "expected"),
    [
        (b"foo(1)\n", "bar(1)", True),
        (b"  foo ( 1 )\n", "foo(1)", False),
        (b"foo\\tbar\n", "foo\tbar", False),
        (b"foo\rbar\n", "foo\\rbar", False),
        (b"foo\nbar\n", "foo\\nbar", False),
        (b"foo = bar\n", "foo \\= bar", False),
        ("it\u2019s one\n".encode(), "it's one", False),
        ("say \u201cit\u201d\n".encode(), 'say "it"', False),
        ("one \u2014 two\n".encode(), "one - two", False),
        ("\ufb01x = 1\n".encode(), "fix = 1", False),
        ("\u00e9 = 1\n".encode(), "\u00e9 = 2", True),
        ("\u00e9 = '1'\n".encode(), "\u00e9 = \u20181\u2019", False),
        (b"e = 1\n", "e\u0301 = 2", False),
        (b"caf\xe9 one\n", "cafe two", True),
    ],
)
def test_a_text_is_hopeless_only_when_it_lacks_what_all_strategies_keep(source, old, expected):
    assert hopeless(Text(source), old) is expected


def test_lines_are_trimmed_alike_when_white_space_is_pythons_alone():
    everything = [chr(code) for code in range(sys.maxunicode + 1)]
    both = {char for char in everything if not char.strip()} ^ set(WHITE)
    assert both == set(tolerance._NOT_SHARED)
    for char in (*WHITE.replace("\n", ""), *both):
        text = f"{char}a {char}\n b{char}"
        lines = text.split("\n")
        assert split(text) == (lines, list(map(trimmed, lines)))
        assert trimmed_keys(Text(text.encode())) == list(map(trimmed, lines))
