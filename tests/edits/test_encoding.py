import pytest
from edits.samples import attempt
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits.model import Region
from gitedit.errors import EditError


def test_bytes_stay_when_the_file_is_not_utf8():
    assert attempt(b"caf\xe9 1\n", [("1", "2")]).content == b"caf\xe9 2\n"
    assert attempt(b"  caf\xe9\n xx y\n", [("xx  y", "2")]).content == b"  caf\xe9\n2\n"


@pytest.mark.parametrize(
    ("source", "pair", "name"),
    [
        (b"caf\xe9 1\n", ("1", "\u00e9"), None),
        (b"caf\xe9 1\n", ("1", "\u20ac"), "latin-1"),
        (b"caf\xe9 1\n", ("1", "2"), "ascii"),
        (b"caf\xe9 1\n", ("1", "2"), "utf-8"),
        (b"1\n", ("1", "2"), "no such codec"),
        (b"1\n", ("1", "2"), "a\0b"),
        (b"31", ("1", "2"), "hex"),
        (b"1", ("1", "a..b"), "idna"),
        (b"+AOk- 1", ("1", "2"), "utf-7-but-not"),
        ("\ufeff1\n".encode("utf-16-be"), ("1", "2"), "utf-16"),  # would be written little-endian
        (b"\x1b$B$\x22\x1b(B\x1b(B 1\n", ("1", "2"), "iso2022_jp"),  # not what the codec writes itself
        ("\u3042\u3044\u3046\n".encode("iso2022_jp"), ("\u3044", "x"), "iso2022_jp"),  # shifts state around the span
    ],
)
def test_encoding_is_refused_when_bytes_would_change(source, pair, name):
    assert attempt(source, [pair], encoding=name).code == "encoding"


@pytest.mark.parametrize(
    ("name", "text", "regions"),
    [
        ("utf-8", "\u00e9 one\n", [Region(3, 6, 3, 5, "exact")]),
        ("latin-1", "\u00e9 one\n", [Region(2, 5, 2, 3, "exact")]),
        ("utf-16-le", "\u00e9 one\n", [Region(4, 10, 4, 6, "exact")]),
        ("utf-16", "\u00e9 one\n", [Region(6, 12, 6, 8, "exact")]),
        ("utf-16", "one\n", [Region(2, 8, 2, 4, "exact")]),
        ("utf-8-sig", "one\n", [Region(3, 6, 3, 5, "exact")]),
        ("cp932", "\u3042 one\n", None),
    ],
)
def test_regions_are_in_bytes_of_the_file_when_a_codec_is_named(name, text, regions):
    result = attempt(text.encode(name), [("one", "\u00e9")], encoding=name)
    if regions is None:  # no such character in the codec
        assert result.code == "encoding"
        return
    assert result.content == text.replace("one", "\u00e9").encode(name)
    assert list(result.regions) == regions


def test_every_edit_is_named_when_several_cannot_be_written():
    error = attempt(b"\xe9 1 2 3\n", [("1", "\u00e9"), ("2", "x"), ("3", "\u00e9")])
    assert [problem.edit for problem in error.problems] == [0, 2]


@settings(max_examples=200, deadline=None)
@given(
    st.text("ab\u00e9\u3042\n ", max_size=12),
    st.sampled_from(("latin-1", "utf-16-le", "utf-16", "utf-8-sig", "shift_jis", "iso2022_jp", "utf-7", "gb18030")),
    st.text("ab\u00e9\u3042\n", max_size=3),
    st.text("ab\u00e9\u3042\n", max_size=3),
)
def test_bytes_outside_regions_stay_when_a_codec_is_named(text, name, old, new):
    source = text.encode(name, "ignore")
    result = attempt(source, [(old, new)], encoding=name)
    if isinstance(result, EditError):
        return
    (region,) = result.regions
    assert source[: region.old_start] == result.content[: region.new_start]
    assert source[region.old_end :] == result.content[region.new_end :]
    assert result.content.decode(name).count(new) >= 1
