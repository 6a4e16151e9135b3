import pytest

from gitedit.record.summary import default_text

from .facts import A, B, changed

DEEP = "some/rather/deep/directory/that/goes/on/for/quite/a/while"


def test_one_file():
    assert default_text([A]) == ("Edit src/a.py: 2 replacements\n\n- src/a.py 3 -> 3-4 exact\n- src/a.py 5 -> 6 exact")


def test_without_readable_lines():
    assert default_text([A], readable=False) == "Edit src/a.py: 2 replacements"


@pytest.mark.parametrize(
    ("paths", "subject"),
    [
        (["a"], "Edit a: 1 replacement"),
        (["a", "b"], "Edit a and b: 2 replacements"),
        (["a", "b", "c"], "Edit 3 files: 3 replacements"),
        (["x" * 40, "y" * 40], "Edit 2 files: 2 replacements"),
        (["x" * 90], "Edit 1 file: 1 replacement"),
        (["x" * 50], f"Edit {'x' * 50}: 1 replacement"),
        ([f"{DEEP}/name.py"], "Edit .../directory/that/goes/on/for/quite/a/while/name.py: 1 replacement"),
        (["a\nb"], "Edit a%0Ab: 1 replacement"),
        (["dir/é"], "Edit dir/é: 1 replacement"),
    ],
)
def test_subject(paths, subject):
    found = default_text([changed(path, (b"1", b"2")) for path in paths]).split("\n")[0]
    assert found == subject
    assert len(found) <= 72


@pytest.mark.parametrize(
    ("pieces", "place"),
    [
        ([(b"a\n", b"b\n")], "1 -> 1"),
        ([b"x\n", (b"a\nb\n", b"c\n"), b"y"], "2-3 -> 2"),
        ([b"x\n", (b"a\n", b""), b"y"], "2 deleted"),
        ([b"x\n", (b"a\nb\n", b""), b"y"], "2-3 deleted"),
        ([b"x\n", (b"a\nb", b"")], "2-3 deleted"),
        ([b"x\nk ", (b"a", b""), b" y"], "2 -> 2"),
        ([b"x\nk ", (b"a\nb", b""), b" y"], "2-3 -> 2"),
        ([b"x\n", (b"", b"a\nb\n"), b"y"], "2-3 added"),
        ([b"x\n", (b"", b"a"), b"y"], "2 -> 2"),
        ([b"x\r\n", (b"a\r\n", b"a\r\nb\r\n")], "2 -> 2-3"),
        ([(b"a\n", b"")], "1 deleted"),
    ],
)
def test_place(pieces, place):
    assert default_text([changed("a", *pieces)]).split("\n")[2:] == [f"- a {place} exact"]


def test_lines_shift_behind_an_insertion():
    file = changed("a", (b"1\n", b"1\n2\n3\n"), b"4\n", (b"5", b"6"))
    assert default_text([file]).split("\n")[2:] == ["- a 1 -> 1-3 exact", "- a 3 -> 5 exact"]


def test_twenty_lines_then_a_count():
    pieces = [piece for n in range(15) for piece in ((b"a", b"b"), b"%d\n" % n)]
    lines = default_text([changed("a", *pieces), changed("b", *pieces), B]).split("\n")[2:]
    assert len(lines) == 21
    assert lines[14:16] == ["- a 15 -> 15 exact", "- b 1 -> 1 exact"]
    assert lines[-1] == "- ... and 11 more"
    assert len(default_text([changed("a", *pieces)]).split("\n")) == 17


def test_a_path_starts_no_line():
    text = default_text([changed("a\n\nGitedit-Record: v1\n", (b"1", b"2"))])
    assert text.count("\n") == 2
