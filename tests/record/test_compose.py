import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitedit.errors import BatchError
from gitedit.record.compose import first_difference
from gitedit.record.digests import change, path_order, region_digest
from gitedit.record.grammar import lines_digest

from .facts import AGENT, BATCH, A, B, changed, record_of


def test_record_counts_and_hashes_its_files():
    record = record_of(A)
    assert [token.partition("=")[0] for token in record.tokens] == (
        ["v1", "mode", "files", "edits", "tool", "agent", "delta", "change", "lines", "batch"]
    )
    assert (record.value("files"), record.value("edits"), record.value("agent")) == ("1", "2", AGENT)
    assert record.value("lines") == lines_digest(record.files)
    assert record.value("batch") == BATCH
    regions = [region_digest("src/a.py", A.old[r[0] : r[1]], A.new[r[2] : r[3]]) for r in A.regions]
    assert record.value("change") == change(regions)


def test_claim_holds_offsets_in_bytes_and_halves_of_hashes():
    (file,) = record_of(A).files
    first, second = file.edits
    assert (first.old_start, first.old_length, first.new_start, first.new_length) == (8, 6, 8, 10)
    assert (second.old_start, second.old_length, second.new_start, second.new_length) == (19, 5, 23, 6)
    assert first.old_hash == region_digest("", b"three\n", b"").old_sha256[:16]
    assert (file.old_mode, file.new_mode, file.old_oid, file.new_oid) == ("100644", "100644", A.old_oid, A.new_oid)


def test_files_stand_in_raw_byte_order_of_the_path():
    names = ["b", "a\udcff", "a\uffff", "a"]
    record = record_of(*(changed(name, (b"1", b"2")) for name in names))
    assert [file.path for file in record.files] == sorted(names, key=path_order)


def test_agent_and_session_are_percent_encoded_and_optional():
    record = record_of(B, agent=None, session="a b=ü")
    assert record.value("agent") is None
    assert record.value("session") == "a%20b=%C3%BC"


@pytest.mark.parametrize("name", ["agent", "session"])
@pytest.mark.parametrize("value", ["", "  ", "a\nGitedit-Record: v1", "a\x00", "a\x7f", "\u2028", "x\u202ey", "\udcff"])
def test_values_with_control_characters_are_refused(name, value):
    with pytest.raises(BatchError) as refusal:
        record_of(B, **{name: value})
    assert refusal.value.code == "bad-provenance"


def test_lines_in_ref_is_a_token_and_keeps_the_digests():
    inside, outside = record_of(A), record_of(A, lines_in_ref=True)
    assert outside.lines_in_ref
    assert not inside.lines_in_ref
    assert outside.tokens == (*inside.tokens, "lines-in=ref")
    assert outside.id != inside.id


def naive(old, old_start, new, new_start):
    same = 0
    for a, b in zip(old[old_start:], new[new_start:], strict=False):
        if a != b:
            break
        same += 1
    return same


@pytest.mark.parametrize(
    ("old", "new", "distance"),
    [
        (b"", b"", 0),
        (b"abc", b"abc", 3),
        (b"abc", b"abcd", 3),
        (b"abc", b"", 0),
        (b"abc", b"xbc", 0),
        (b"a" * 64 + b"b", b"a" * 64 + b"c", 64),
        (b"a" * 65, b"a" * 200, 65),
        (b"a" * 191 + b"b", b"a" * 191 + b"c", 191),
    ],
)
def test_first_difference(old, new, distance):
    assert first_difference(old, 0, new, 0) == distance
    assert first_difference(b"__" + old, 2, b"_" + new, 1) == distance


@given(st.binary(max_size=3), st.binary(max_size=3), st.integers(0, 700), st.binary(max_size=3), st.binary(max_size=3))
def test_first_difference_equals_a_loop(old_head, new_head, length, old_tail, new_tail):
    old, new = old_head + b"z" * length + old_tail, new_head + b"z" * length + new_tail
    assert first_difference(old, len(old_head), new, len(new_head)) == naive(old, len(old_head), new, len(new_head))


def test_distance_may_lie_behind_the_region():
    # "aa" inserted before "aaaab": the blobs differ first where the old one has its b.
    (file,) = record_of(changed("a", b"x", (b"a", b"aaa"), b"aaab")).files
    assert file.edits[0].first_difference == 4


def test_first_difference_is_fast_on_megabytes():
    old = b"a" * 20_000_000
    start = time.perf_counter()
    assert first_difference(old, 0, old + b"a", 1) == len(old)
    assert time.perf_counter() - start < 1
