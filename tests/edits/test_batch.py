import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits.batch import MAX_BYTES, MAX_NESTING, joined, parse_edits, prepare_arguments, read_batch
from gitedit.edits.model import Batch, Edit, FileEdits
from gitedit.errors import BatchError

EDIT = {"oldText": "a", "newText": "b"}
FILE = {"path": "f", "edits": [EDIT]}
READ = FileEdits("f", (Edit("a", "b"),))


def refused(data):
    with pytest.raises(BatchError) as caught:
        read_batch(data if isinstance(data, bytes) else json.dumps(data).encode())
    return caught.value


def nested(depth):
    """Return a batch with a value that is `depth` deep inside it."""
    return (
        b'{"path": "f", "edits": [{"oldText": "a[", "newText": "\\\\\\"{"}], "x": ' + b"[" * depth + b"]" * depth + b"}"
    )


@pytest.mark.parametrize(
    ("raw", "files"),
    [
        (FILE, (READ,)),
        ([FILE], (READ,)),
        ({"files": [FILE]}, (READ,)),
        ([FILE, {**FILE, "path": "g"}], (READ, READ._replace(path="g"))),
        ({"files": [FILE, FILE]}, (READ, READ)),  # joined once the paths are resolved
        ({"path": "f", "edits": EDIT}, (READ,)),
        ({"path": "f", "edits": json.dumps([EDIT])}, (READ,)),
        ({"path": "f", **EDIT}, (READ,)),
        ({"path": "f", "edits": "broken", **EDIT}, (READ,)),
        ({**FILE, "note": 1, "edits": [{**EDIT, "id": 7}]}, (READ,)),
        ({**FILE, "expect": "sha256:00"}, (READ._replace(expect="sha256:00"),)),
        ({**FILE, "expect": None}, (READ,)),
        ({"path": "f", "edits": [{**EDIT, "literal": True}]}, (FileEdits("f", (Edit("a", "b", literal=True),)),)),
        ({"path": "f", "edits": [{**EDIT, "literal": None}]}, (READ,)),
        ({"path": "a\0b", "edits": [EDIT]}, (READ._replace(path="a\0b"),)),
        ({"path": "a\udcff", "edits": [EDIT]}, (READ._replace(path="a\udcff"),)),
        (
            {"path": "f", "edits": [{"oldText": "\U0001f600", "newText": ""}]},
            (FileEdits("f", (Edit("\U0001f600", ""),)),),
        ),
    ],
)
def test_batch_is_read_when_its_shape_is_known(raw, files):
    assert read_batch(json.dumps(raw).encode()) == Batch(files)


def test_settings_are_read_when_all_that_give_them_agree():
    settings_ = {"mode": "anchored", "message": "m\nn", "agent": "a:b", "session": "s"}
    expected = Batch((READ,), **settings_)
    assert read_batch(json.dumps({**FILE, **settings_}).encode()) == expected
    assert read_batch(json.dumps({"files": [FILE], **settings_}).encode()) == expected
    both = read_batch(json.dumps([{**FILE, **settings_}, FILE, {**FILE, "agent": "a:b", "mode": None}]).encode())
    assert both == Batch((READ, READ, READ), **settings_)


def test_bom_is_skipped_when_it_stands_in_front():
    assert read_batch(b"\xef\xbb\xbf" + json.dumps(FILE).encode()) == Batch((READ,))


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ([], "no-edits"),
        ({"files": []}, "no-edits"),
        ({}, "missing-path"),
        ([{}], "missing-path"),
        ({"files": [7]}, "missing-path"),
        (7, "missing-path"),
        (None, "missing-path"),
        ({"path": "", "edits": []}, "missing-path"),
        ({"path": 7, "edits": [EDIT]}, "missing-path"),
        ({"path": "f"}, "no-edits"),
        ({"path": "f", "edits": []}, "no-edits"),
        ({"path": "f", "edits": None}, "no-edits"),
        ({"path": "f", "edits": 7}, "no-edits"),
        ({"path": "f", "edits": "[{bad"}, "no-edits"),
        ({"path": "f", "edits": '"[]"'}, "no-edits"),
        ({"path": "f", "edits": "[NaN]"}, "bad-batch"),
        ({"path": "f", "edits": '[{"oldText": "a", "oldText": "b"}]'}, "bad-batch"),
        ({"path": "f", "edits": "[" * 65 + "]" * 65}, "bad-batch"),
        ({"path": "f", "edits": [{}]}, "invalid-edit"),
        ({"path": "f", "edits": [{"oldText": "a"}]}, "invalid-edit"),
        ({"path": "f", "edits": [{"oldText": "a", "newText": 2}]}, "invalid-edit"),
        ({"path": "f", "edits": [{"oldText": "\ud800", "newText": ""}]}, "invalid-edit"),
        ({"path": "f", "edits": [{"oldText": "a", "newText": "\udc80"}]}, "invalid-edit"),
        ({"path": "f", "edits": [{**EDIT, "literal": "yes"}]}, "invalid-edit"),
        ({"path": "a\ud800", "edits": [EDIT]}, "bad-batch"),
        ({**FILE, "mode": "fuzzy"}, "bad-batch"),
        ({**FILE, "mode": 1}, "bad-batch"),
        ({**FILE, "message": ["m"]}, "bad-batch"),
        ({**FILE, "agent": 1}, "bad-batch"),
        ({**FILE, "session": "\ud800"}, "bad-batch"),
        ({**FILE, "expect": 1}, "bad-batch"),
        ({"files": {"path": "f"}}, "bad-batch"),
        ({"files": [FILE], "path": "f"}, "bad-batch"),
        ({"files": [FILE], "expect": "sha256:00"}, "bad-batch"),
        ([{**FILE, "mode": "strict"}, {**FILE, "mode": "anchored"}], "bad-batch"),
        ([{**FILE, "message": "m"}, {**FILE, "message": "n"}], "bad-batch"),
        ([{**FILE, "agent": "m"}, {**FILE, "agent": "n"}], "bad-batch"),
        ([{**FILE, "session": "m"}, {**FILE, "session": "n"}], "bad-batch"),
        (b"", "bad-batch"),
        (b"{", "bad-batch"),
        (b"{} {}", "bad-batch"),
        (b"\xff", "bad-batch"),
        (b'{"path": "\xff"}', "bad-batch"),
        (b"\xff\xfe{\0}\0", "bad-batch"),
        (b'{"path": "a\nb"}', "bad-batch"),
        (b'{"path": "a", "path": "b"}', "bad-batch"),
        (b'{"path": "a", "x": {"y": 1, "y": 1}}', "bad-batch"),
        (b'{"path": "a", "x": NaN}', "bad-batch"),
        (b'{"path": "a", "x": -Infinity}', "bad-batch"),
        (b'{"path": "a", "x": ' + b"1" * 5000 + b"}", "bad-batch"),
        (b"[" * 200_000, "bad-batch"),
        (b"[" * 200_000 + b"]" * 200_000, "bad-batch"),
        (b'{"a":' * 200_000, "bad-batch"),
    ],
)
def test_batch_is_refused_when_it_is_wrong(raw, code):
    assert refused(raw).code == code


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"path": "f", "edit": [EDIT]}, ('"edits" is missing', '"edit"')),
        ({"path": "f", "edits": "[{bad json"}, ("string", "line 1 column 3")),
        ({"path": "f", "edits": [{"oldText": "a", "newText": 2}]}, ("newText is a number",)),
        ({"path": "f", "edits": [{"oldText": "a"}]}, ("newText is missing",)),
        ([FILE, {"path": "f", "edits": [EDIT, {"oldText": "a"}]}], ("file 2", "edit 2")),
        (b'{"path": "a", "path": "b", "x": 1, "x": 2}', ('"path"', '"x"')),
        (b'{"path": "\xff"}', ("offset 10",)),
    ],
)
def test_message_names_the_fault_when_a_batch_is_wrong(raw, words):
    message = refused(raw).message
    assert all(word in message for word in words)
    assert message.isascii()


def test_every_invalid_edit_is_a_problem_when_there_are_several():
    error = refused({"path": "f", "edits": [EDIT, {}, EDIT, 7]})
    assert [(p.edit, p.code) for p in error.problems] == [(1, "invalid-edit"), (3, "invalid-edit")]


def test_nesting_is_limited_when_brackets_are_structure():
    assert read_batch(nested(MAX_NESTING - 1)).files[0].path == "f"
    assert refused(nested(MAX_NESTING)).code == "bad-batch"
    assert refused(nested(900)).code == "bad-batch"


def test_size_is_limited_when_a_batch_is_huge():
    batch = json.dumps(FILE).encode()
    assert read_batch(batch.ljust(MAX_BYTES)) == Batch((READ,))
    assert refused(batch.ljust(MAX_BYTES + 1)).code == "bad-batch"
    assert "64 MiB" in refused(b" " * 100_000_000).message


@pytest.mark.parametrize(
    ("files", "result"),
    [
        ((), ()),
        ((READ,), (READ,)),
        ((READ, READ), (FileEdits("f", READ.edits * 2),)),
        ((READ, READ._replace(path="g"), READ), (FileEdits("f", READ.edits * 2), READ._replace(path="g"))),
        ((READ, READ._replace(expect="x")), (FileEdits("f", READ.edits * 2, "x"),)),
        ((READ._replace(expect="x"), READ), (FileEdits("f", READ.edits * 2, "x"),)),
    ],
)
def test_entries_are_joined_in_order_when_paths_are_equal(files, result):
    assert joined(files) == result


def test_entries_are_refused_when_they_expect_different_versions():
    with pytest.raises(BatchError) as caught:
        joined((READ._replace(expect="x"), READ._replace(expect="y")))
    assert caught.value.code == "bad-batch"
    assert caught.value.problems[0].path == "f"


KEYS = (
    "path",
    "file_path",
    "edits",
    "files",
    "oldText",
    "old_str",
    "newText",
    "literal",
    "mode",
    "expect",
    "message",
    "x",
)
TEXTS = st.text(max_size=4) | st.sampled_from(
    ("strict", "[]", "{}", "[{}]", '[{"oldText":"a","newText":"b"}]', "\ud800")
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=12,
)


@settings(max_examples=400, deadline=None)
@given(
    JSON.map(lambda value: json.dumps(value).encode())
    | st.binary(max_size=30)
    | st.text('[]{}",:\\a1 ').map(str.encode)
)
def test_read_batch_refuses_cleanly_when_given_anything(data):
    try:
        batch = read_batch(data)
    except BatchError as error:
        assert error.exit_status == 3  # noqa: PT017
        assert len(error.message) < 2000  # noqa: PT017
    else:
        assert all(file.path and file.edits for file in batch.files)
        assert joined(batch.files)


@settings(max_examples=400, deadline=None)
@given(JSON)
def test_prepare_arguments_is_idempotent_when_given_anything(raw):
    once = prepare_arguments(raw)
    assert set(once) == {"path", "edits"}
    assert isinstance(once["edits"], list)
    assert repr(prepare_arguments(once)) == repr(once)


def test_problems_are_bounded_when_every_edit_is_wrong():
    with pytest.raises(BatchError) as caught:
        parse_edits([{}] * 5000)
    assert len(caught.value.problems) == 1000
    assert "4999 more" in caught.value.message
