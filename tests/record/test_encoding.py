import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitedit.record.encoding import decode_path, decode_value, encode_path, encode_value, shown_path


@pytest.mark.parametrize("path", ["a", "src/a.py", "A-Z_0.9/+@=,~-"])
def test_encode_path_keeps_what_needs_nothing(path):
    assert encode_path(path) == path
    assert decode_path(path) == path


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a b", "a%20b"),
        ("a\nb", "a%0Ab"),
        ("100%", "100%25"),
        ("\udcff", "%FF"),
        ("é", "%C3%A9"),
        ("a:b*c", "a%3Ab%2Ac"),
        ("#|>", "%23%7C%3E"),
    ],
)
def test_encode_path_escapes_bytes(path, text):
    assert encode_path(path) == text
    assert decode_path(text) == path


@pytest.mark.parametrize("text", ["", "a%2fb", "%61", "%", "%4", "%zz", "a b", "é", "a:b", "%0a", "a%"])
def test_decode_path_refuses_a_second_spelling(text):
    assert decode_path(text) is None


@given(st.binary(min_size=1))
def test_paths_round_trip_from_any_bytes(raw):
    path = raw.decode("utf-8", "surrogateescape")
    assert decode_path(encode_path(path)) == path
    assert encode_path(path).isascii()
    assert not set(encode_path(path)) & set(" \n\r\t:*|>#")


@given(st.text(st.characters(codec="utf-8")))
def test_values_round_trip(value):
    assert decode_value(encode_value(value)) == value


def test_encode_value_keeps_the_colon():
    assert encode_value("Claude:claude-opus-4 x") == "Claude:claude-opus-4%20x"


def test_decode_value_keeps_what_is_no_escape():
    assert decode_value("50%-%zz%41") == "50%-%zzA"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("src/é x.py", "src/é x.py"),
        ("a\nb", "a%0Ab"),
        ("a\x1b[31m", "a%1B[31m"),
        ("\udcff", "%FF"),
        ("a\u202eb", "a%E2%80%AEb"),
        ("a\u2028b", "a%E2%80%A8b"),
    ],
)
def test_shown_path_prints_on_one_line(path, shown):
    assert shown_path(path) == shown
