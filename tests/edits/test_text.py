import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits import text as module
from gitedit.edits.endings import Census, Folded, adapt, census, fold
from gitedit.edits.text import BOM, Text
from gitedit.edits.tolerance import trimmed, words

PIECES = st.lists(st.sampled_from((b"a", b" b", b"\n", b"\r", b"\r\n", b"\xc3\xa9", b"\xff", BOM)), max_size=12).map(
    b"".join
)


@pytest.mark.parametrize(
    ("data", "result", "uniform"),
    [
        (b"", Census(0, 0, 0, final_newline=False), None),
        (b"a\rb", Census(0, 0, 1, final_newline=False), None),
        (b"a\n", Census(1, 0, 0, final_newline=True), b"\n"),
        (b"a\r\nb", Census(0, 1, 0, final_newline=False), b"\r\n"),
        (b"a\r\r\nb\rc\n", Census(1, 1, 2, final_newline=True), None),
    ],
)
def test_census_counts_endings_when_they_are_mixed(data, result, uniform):
    assert census(data) == result
    assert result.uniform == uniform


@pytest.mark.parametrize(
    ("new", "whole", "span", "result"),
    [
        (b"x\r\ny\n", b"no newline", b"", b"x\r\ny\n"),
        (b"x\r\ny\n", b"a\r\nb\n", b"", b"x\r\ny\n"),
        (b"x\r\ny\n", b"a\n", b"", b"x\ny\n"),
        (b"x\r\ny\n", b"a\r\n", b"", b"x\r\ny\r\n"),
        (b"x\r\ny\n", b"a\r\nb\n", b"a\r\n", b"x\r\ny\r\n"),
        (b"x\r\ny\n", b"a\r\nb\n", b"b\n", b"x\ny\n"),
        (b"x\r\ny\n", b"a\r\nb\n", b"a\r\nb\n", b"x\r\ny\n"),
        (b"x\ry\n", b"a\r\n", b"", b"x\ry\r\n"),
    ],
)
def test_new_text_adapts_when_its_place_is_uniform(new, whole, span, result):
    assert adapt(new, census(whole), span) == result


@given(PIECES)
def test_offsets_lead_back_when_a_text_is_folded(data):
    folded = Folded(data)
    assert folded.text == fold(data)
    assert [folded.original(at) for at in (0, len(folded.text))] == [0, len(data)]
    for at in range(len(folded.text)):
        piece = data[folded.original(at) : folded.original(at + 1)]
        assert fold(piece) == folded.text[at : at + 1]


@settings(max_examples=300)
@given(
    st.lists(st.sampled_from((b"a", b"ab", b"aab", b"b" * 9)), max_size=30).map(b"".join),
    st.lists(st.sampled_from((b"a", b"ab", b"aab", b"b" * 9)), min_size=1, max_size=8).map(b"".join),
    st.integers(0, 9),
    st.integers(1, 6),
)
def test_every_place_is_found_when_needles_are_long_and_overlap(source, needle, start, limit):
    probe, module.PROBE = module.PROBE, 1
    tries, module.PROBES = module.PROBES, 3
    try:
        found = Text(source).find(needle, limit, start)
    finally:
        module.PROBE, module.PROBES = probe, tries
    places = [at for at in range(start, len(source)) if source.startswith(needle, at)]
    assert found == places[:limit]


@settings(max_examples=300, deadline=None)
@given(st.data(), PIECES, st.integers(1, 6))
def test_everything_kept_equals_everything_fresh_when_text_is_spliced(data, source, block):
    whole, module.BLOCK = module.BLOCK, block
    try:
        text = Text(source)
        for _ in range(data.draw(st.integers(1, 5))):
            if data.draw(st.booleans()):  # what is kept must have been asked for
                text.keys(trimmed), text.keys(words), text.line_count(), text.census
            low, high = sorted((data.draw(st.integers(0, len(text.data))), data.draw(st.integers(0, len(text.data)))))
            new = data.draw(PIECES)
            expected = bytes(text.data[:low]) + new + bytes(text.data[high:])
            text.splice(low, high, new)
            fresh = Text(expected)
            assert text.data == fresh.data
            assert text.census == census(expected)
            assert text.lines() == fresh.lines()
            assert text.keys(trimmed) == fresh.keys(trimmed)
            assert text.keys(words) == fresh.keys(words)
            for line in range(1, text.line_count() + 1):
                start = text.line_start(line)
                assert expected.count(b"\n", 0, start) == line - 1
                assert start == 0 or expected[start - 1 : start] == b"\n"
                assert expected[start : text.line_end(line)] == expected.split(b"\n")[line - 1]
            assert [text.line_at(at) for at in range(len(expected))] == [
                expected.count(b"\n", 0, at) + 1 for at in range(len(expected))
            ]
    finally:
        module.BLOCK = whole
