"""Lines by number against a plain split."""

from hypothesis import given
from hypothesis import strategies as st

from gitedit.edits import lines as module
from gitedit.edits.lines import Lines

CONTENT = st.lists(st.sampled_from([b"", b"a", b"\r", b"x" * 5000, b"yy\r"]), max_size=12).map(b"\n".join)


def split(content):
    parts = content.split(b"\n")
    last = parts.pop()
    return [part + b"\n" for part in parts] + ([last] if last else [])


@given(CONTENT)
def test_lines_are_those_of_a_split_when_asked_by_number(content):
    expected = split(content)
    lines = Lines(content)
    assert lines.count == len(expected)
    assert [lines.line(number) for number in range(len(expected))] == expected
    starts = [sum(map(len, expected[:number])) for number in range(len(expected) + 1)]
    assert [lines.offset(number) for number in range(len(expected) + 1)] == starts


@given(CONTENT, st.integers(0, 30_000))
def test_newlines_are_counted_when_asked_by_offset(content, offset):
    offset = min(offset, len(content))
    assert Lines(content).before(offset) == content.count(b"\n", 0, offset)


def test_offset_is_right_when_a_newline_stands_at_the_edge_of_a_step():
    for length in range(module._STEP - 2, module._STEP + 3):
        content = b"x" * length + b"\n" + b"y" * module._STEP + b"\nz"
        lines = Lines(content)
        assert [lines.offset(n) for n in range(4)] == [0, length + 1, length + module._STEP + 2, len(content)]
