import hashlib

import pytest

from gitedit.edits.model import Edit, FileEdits
from gitedit.errors import BatchError
from gitedit.record.digests import (
    batch_digest,
    change,
    delta,
    delta_of,
    path_order,
    record_id,
    region_digest,
)

from .facts import A, record_of


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def entry(path, old="1" * 40, new="2" * 40):
    return "100644", "100755", old, new, path


def test_delta_of_nothing_is_the_hash_of_nothing():
    assert delta([]) == sha("")


def test_delta_hashes_a_line_a_path():
    assert delta([entry("a b")]) == sha(f"100644 100755 {'1' * 40} {'2' * 40} a%20b\n")


def test_delta_sorts_by_raw_bytes_not_by_code_points():
    # As text, U+DCFF sorts below U+FFFF; as bytes FF sorts above EF BF BF. Encoded, `%` sorts below `a`.
    low, high = "a\uffff", "a\udcff"
    assert low > high
    assert path_order(low) < path_order(high)
    parts = [f"100644 100755 {'1' * 40} {'2' * 40} {p}\n" for p in ("a%EF%BF%BF", "a%FF")]
    assert delta([entry(high), entry(low)]) == sha("".join(parts))
    parts = [f"100644 100755 {'1' * 40} {'2' * 40} {p}\n" for p in ("a", "%7F")]
    assert delta([entry("\x7f"), entry("a")]) == sha("".join(parts))


def test_delta_of_one_path_with_a_newline_differs_from_two_paths():
    line = f"a\n100644 100755 {'1' * 40} {'2' * 40} b"
    assert delta([entry(line)]) != delta([entry("a"), entry("b")])


def test_delta_of_claims_is_that_of_their_entries():
    assert delta_of(record_of().files) == delta([("100644", "100644", A.old_oid, A.new_oid, "src/a.py")])


def test_change_hashes_lengths_and_bytes_but_no_offset():
    regions = [region_digest("a\n", b"old", b""), region_digest("b", b"", b"new!")]
    text = f"a%0A\0{3}\0{sha('old')}\0{0}\0{sha('')}\n" + f"b\0{0}\0{sha('')}\0{4}\0{sha('new!')}\n"
    assert change(regions) == sha(text)
    assert change(reversed(regions)) != change(regions)


def test_change_takes_views_without_copying():
    assert region_digest("a", memoryview(b"xay")[1:2], b"b") == region_digest("a", b"a", b"b")


def test_record_id_is_the_checksum_of_the_unfolded_value():
    assert record_id(["v1", "mode=strict"]) == sha("v1 mode=strict")[:16]


def test_batch_digest_is_canonical_json():
    files = [FileEdits("b/ü", (Edit('q"\\\n', "\u2028é\x7f\x1f"), Edit("a", "😀", literal=True))), FileEdits("a", ())]
    text = (
        '{"exact":false,"files":[{"edits":[{"newText":"\u2028é\x7f\\u001f","oldText":"q\\"\\\\\\n"},'
        '{"literal":true,"newText":"😀","oldText":"a"}],"path":"b/%C3%BC"},{"edits":[],"path":"a"}],"mode":"strict"}'
    )
    assert batch_digest(files, "strict", exact=False) == sha(text)


def test_batch_digest_leaves_expect_out_and_keeps_the_order():
    one, two = FileEdits("a", (Edit("x", "y"),)), FileEdits("b", ())
    plain = batch_digest([one, two], "anchored", exact=True)
    assert batch_digest([one._replace(expect="sha256:0"), two], "anchored", exact=True) == plain
    assert batch_digest([two, one], "anchored", exact=True) != plain
    assert batch_digest([one, two], "anchored", exact=False) != plain


def test_batch_digest_takes_a_path_that_is_not_utf8():
    assert len(batch_digest([FileEdits("\udcff", ())], "strict", exact=False)) == 64


def test_batch_digest_refuses_a_lone_surrogate():
    with pytest.raises(BatchError) as refusal:
        batch_digest([FileEdits("a", (Edit("\ud800", ""),))], "strict", exact=False)
    assert refusal.value.code == "invalid-edit"
