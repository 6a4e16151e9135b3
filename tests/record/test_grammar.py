import pytest
from hypothesis import given

from gitedit.record.digests import delta_of, record_id
from gitedit.record.grammar import (
    EDIT_KEY,
    FILE_KEY,
    assemble,
    edit_tokens,
    file_tokens,
    line_tokens,
    lines_digest,
    lines_text,
    newer_version,
    parse_edit,
    parse_file,
    parse_lines_blob,
    parse_number,
    record_problem,
)
from gitedit.record.model import Record

from .facts import A, B, record_of, records

RECORD = record_of(A, B)
BARE = RECORD._replace(files=())
ROWS = line_tokens(RECORD.files)


def with_digest(files, record=RECORD):
    """A record whose `lines` and counts fit `files`, whatever they say."""
    values = {"lines": lines_digest(files), "files": len(files), "edits": sum(len(f.edits) for f in files)}
    keys = [token.partition("=")[0] for token in record.tokens]
    tokens = tuple(f"{k}={values[k]}" if k in values else t for k, t in zip(keys, record.tokens, strict=True))
    return Record(record_id(tokens), tokens, ())


def test_assemble_gives_back_what_was_taken_apart():
    assert assemble(BARE, ROWS) == (RECORD.files, 0, None, ("src/a.py", "src/b.py"))
    assert assemble(BARE, [*reversed(ROWS), *ROWS]).files == RECORD.files


@given(records())
def test_lines_round_trip(record):
    for index, claim in enumerate(record.files):
        assert parse_file(file_tokens(index, claim)) == (index, claim._replace(edits=()))
        for number, edit in enumerate(claim.edits):
            assert parse_edit(edit_tokens(index, number, edit)) == ((index, number), edit)
    assert parse_lines_blob(lines_text(record.files), record).files == record.files


def test_lines_text_is_the_lines_without_key_and_id():
    record = record_of(B)
    (edit,) = record.files[0].edits
    assert lines_text(record.files).decode() == (
        f"File 0 100644:100644 {B.old_oid} {B.new_oid} src/b.py\n"
        f"Edit 0.0 0+5:0+5~4 exact {edit.old_hash}:{edit.new_hash}\n"
    )


def test_blob_with_another_text_counts_as_lost():
    for data in (b"", lines_text(RECORD.files)[:-1], b"\xff"):
        assert parse_lines_blob(data, RECORD) == ((), 5, None, ())


@pytest.mark.parametrize("text", ["0", "1", "10", "9" * 18])
def test_number_parses(text):
    assert parse_number(text) == int(text)


@pytest.mark.parametrize("text", ["", "00", "01", "-1", "+1", "1_0", "1.0", " 1", "\u0661", "²", "9" * 19, "9" * 5000])
def test_number_refuses(text):
    assert parse_number(text) is None


@pytest.mark.parametrize(
    ("at", "token"),
    [
        (0, "x"),
        *((1, token) for token in ("100644", "100644:10064", "100644:10064x")),
        *((2, token) for token in ("1" * 39, "A" * 40)),
        (3, "2" * 64),
        *((4, token) for token in ("a%2fb", "Assisted-by:")),
    ],
)
def test_file_line_refuses(at, token):
    tokens = ["0", "100644:100644", "1" * 40, "2" * 40, "a"]
    assert parse_file(tokens)
    tokens[at] = token
    assert parse_file(tokens) is None
    assert parse_file(tokens[:4]) is None


@pytest.mark.parametrize(
    ("at", "token"),
    [
        *((0, token) for token in ("0", "0.", ".0", "0.0.0", "00.0", "-1.0")),
        *(
            (1, token)
            for token in ("1+2:3+4", "1+2:3+4~", "1+2~3", "1+2:3~5", "1+2:3+4+5~6", "1+2:3+4:5+6~7", "-1+2:3+4~5")
        ),
        *((2, token) for token in ("", "Exact", "a_b", "é")),
        *((3, token) for token in (":", "0" * 33, f"{'0' * 16}:{'0' * 15}", f"{'0' * 16}:{'G' * 16}")),
    ],
)
def test_edit_line_refuses(at, token):
    tokens = ["0.0", "1+2:3+4~5", "line-endings+exact", "0" * 16 + ":" + "f" * 16]
    assert parse_edit(tokens)
    tokens[at] = token
    assert parse_edit(tokens) is None
    assert parse_edit(tokens[:3]) is None


def test_record_line_is_sound():
    assert record_problem(RECORD.tokens, RECORD.id) is None
    tokens = (*RECORD.tokens, "later-key=%zz=1")
    assert record_problem(tokens, record_id(tokens)) is None


def without(key):
    return tuple(token for token in RECORD.tokens if not token.startswith(key))


@pytest.mark.parametrize(
    "tokens",
    [
        (),
        ("v0", *RECORD.tokens[1:]),
        RECORD.tokens[1:],
        (*RECORD.tokens, "mode=strict"),
        (*RECORD.tokens, "flag"),
        (*RECORD.tokens, "=x"),
        (*RECORD.tokens, "x="),
        (*RECORD.tokens, "X=1"),
        (*RECORD.tokens, "x=é"),
        (*RECORD.tokens, "lines-in=notes"),
        (*without("files="), "files=01"),
        (*without("delta="), "delta=" + "A" * 64),
        *(without(key + "=") for key in ("mode", "files", "edits", "delta", "change", "lines", "batch")),
    ],
)
def test_record_line_refuses_bad_grammar_under_a_good_checksum(tokens):
    assert record_problem(tokens, record_id(tokens))


def test_record_line_refuses_a_bad_checksum():
    assert "checksum" in record_problem(RECORD.tokens, "0" * 16)
    assert "no id=" in record_problem(RECORD.tokens, None)


@pytest.mark.parametrize(
    ("first", "newer"),
    [("v1", None), ("v0", None), ("v2", "v2"), ("v10", "v10"), ("v", None), ("v02", None), ("x2", None)],
)
def test_newer_version(first, newer):
    assert newer_version([first]) == newer
    assert newer_version([]) is None


def test_assemble_counts_lost_lines():
    assert assemble(BARE, []) == ((), 5, None, ())
    assert assemble(BARE, ROWS[:-1]) == ((), 1, None, ("src/a.py", "src/b.py"))
    assert assemble(BARE, [row for row in ROWS if row[0] == EDIT_KEY]) == ((), 2, None, ())
    garbled = [*ROWS[:-1], (EDIT_KEY, ROWS[-1][1][:3])]
    assert assemble(BARE, garbled).lost == 1


def test_assemble_sees_contradictions():
    path = (FILE_KEY, (*ROWS[0][1][:4], "src/c.py"))
    for rows in (
        [*ROWS, path],
        [*ROWS, (FILE_KEY, ("2", *ROWS[0][1][1:]))],
        [(FILE_KEY, ("7", *ROWS[0][1][1:])), *ROWS[1:]],
        [path, *ROWS[1:]],
        [*ROWS[:3], *((key, (tokens[0].replace("1", "7", 1), *tokens[1:])) for key, tokens in ROWS[3:])],
        [*ROWS[:-1], (EDIT_KEY, ("1.1", *ROWS[-1][1][1:]))],
        [*ROWS[:-1], (EDIT_KEY, ("9.0", *ROWS[-1][1][1:]))],
        [*ROWS[:-1], (EDIT_KEY, (*ROWS[-1][1][:2], "unicode", ROWS[-1][1][3]))],
    ):
        found = assemble(BARE, rows)
        assert found.forged, rows
        assert found.files == ()


@pytest.mark.parametrize(
    ("first", "second", "sound"),
    [
        ({}, {"old_start": 18, "new_start": 22}, True),
        ({}, {"old_start": 14, "new_start": 18}, True),
        ({}, {"old_start": 13, "new_start": 17}, False),
        ({}, {"old_start": 20}, False),
        ({}, {"new_start": 24}, False),
        ({"old_length": 30}, {}, False),
        ({"old_start": 9}, {}, False),
    ],
)
def test_assemble_sees_regions_that_cannot_be(first, second, sound):
    edits = RECORD.files[0].edits
    files = (RECORD.files[0]._replace(edits=(edits[0]._replace(**first), edits[1]._replace(**second))), RECORD.files[1])
    assert (assemble(with_digest(files), line_tokens(files)).forged is None) == sound


def test_assemble_sees_other_files_under_the_right_lines():
    files = (RECORD.files[0]._replace(new_oid="3" * 40), *RECORD.files[1:])
    assert "delta" in assemble(with_digest(files), line_tokens(files)).forged


def test_assemble_sees_one_path_twice():
    twin = (RECORD.files[1], RECORD.files[1])
    tokens = tuple(f"delta={delta_of(twin)}" if t.startswith("delta=") else t for t in with_digest(twin).tokens)
    assert "one path" in assemble(Record(record_id(tokens), tokens, ()), line_tokens(twin)).forged
