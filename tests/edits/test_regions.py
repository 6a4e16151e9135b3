from itertools import pairwise

import pytest
from edits.samples import anchored, attempt, cases
from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.edits.model import Edit, Region
from gitedit.edits.regions import Change, composed
from gitedit.errors import EditError


def test_nothing_is_composed_when_there_is_nothing():
    assert composed([]) == []


@pytest.mark.parametrize(
    ("source", "pairs", "regions"),
    [
        # An edit that is undone leaves no region, wherever another one is.
        (b"one two six\n", [("one", "1"), ("1", "one"), ("six", "6")], [Region(8, 11, 8, 9, "exact")]),
        # The whole span is the region, common ends included.
        (b"one two\n", [("one two", "one 2")], [Region(0, 7, 0, 5, "exact")]),
        (b"one two\n", [("one", "1"), ("two", "2")], [Region(0, 3, 0, 1, "exact"), Region(4, 7, 2, 3, "exact")]),
        (b"onetwo\n", [("one", "1"), ("two", "2")], [Region(0, 6, 0, 2, "exact")]),
        (b"onetwo\n", [("two", "2"), ("one", "1")], [Region(0, 6, 0, 2, "exact")]),
        (b"one two\n", [("one", "1"), ("1 t", "T")], [Region(0, 5, 0, 1, "exact")]),
        # Two deletions that come to touch: the byte between them went too.
        (b"a-b-c\n", [("a", ""), ("b", ""), ("--", "=")], [Region(0, 4, 0, 1, "exact")]),
        (b"one\n  two x\n", [("one", "1"), ("1\n two x ", "2")], [Region(0, 11, 0, 1, "exact+line-trimmed")]),
        (b"\xef\xbb\xbf one two\n", [("  one two", "1")], [Region(3, 11, 3, 4, "line-trimmed")]),
        (b"\xff\xc3\xa9 one\n", [("one", "1")], [Region(4, 7, 4, 5, "exact")]),
    ],
)
def test_regions_are_maximal_when_edits_meet(source, pairs, regions):
    assert list(attempt(source, pairs).regions) == regions


def test_regions_touch_as_one_when_mode_is_anchored():
    result = attempt(b"a1\nb2\nc3\n", [Edit("a[upto]1\n", "A\n"), Edit("b2\n", "B\n")], mode="anchored")
    assert result.regions == (Region(0, 6, 0, 4, "anchored+exact"),)


def test_regions_name_strategies_in_edit_order_when_mode_is_anchored():
    result = attempt(b"b2\na1\nc3\n", [Edit("a[upto]1\n", "A\n"), Edit("b2\n", "B\n")], mode="anchored")
    assert result.regions == (Region(0, 6, 0, 4, "anchored+exact"),)


def test_regions_skip_an_edit_that_only_asserts_when_mode_is_anchored():
    result = attempt(b"a1\nb2\nc3\n", [Edit("a[upto]1", "A"), Edit("c3", "c3")], mode="anchored")
    assert result.regions == (Region(0, 2, 0, 1, "anchored"),)


@settings(max_examples=300, deadline=None)
@given(cases(), st.sampled_from(("strict", "anchored")))
def test_regions_prove_the_result_when_text_is_arbitrary(case, mode):
    source, pairs = case
    result = attempt(source, anchored(pairs) if mode == "anchored" else pairs, mode=mode)
    if isinstance(result, EditError):
        return
    pieces = []
    at = grown = 0
    for index, region in enumerate(result.regions):
        assert region.old_start > at or index == 0
        assert region.new_start - region.old_start == grown
        old, new = source[region.old_start : region.old_end], result.content[region.new_start : region.new_end]
        assert old != new
        pieces += source[at : region.old_start], new
        grown += len(new) - len(old)
        at = region.old_end
        assert set(region.strategy.split("+")) <= {o.matched_via for o in result.edits}
    assert result.regions
    assert b"".join((*pieces, source[at:])) == result.content


@settings(max_examples=200, deadline=None)
@given(cases())
def test_inverse_restores_the_source_when_built_from_regions(case):
    source, pairs = case
    result = attempt(source, pairs)
    if isinstance(result, EditError):
        return
    back = bytearray(result.content)
    for region in reversed(result.regions):
        back[region.new_start : region.new_end] = source[region.old_start : region.old_end]
    assert bytes(back) == source


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_composition_equals_byte_provenance_when_spans_are_arbitrary(data):
    size = data.draw(st.integers(0, 20))
    text = list(range(size))  # each byte is its offset in the source; None: written by an edit
    changes = []
    for index in range(data.draw(st.integers(1, 8))):
        low, high = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
        length = data.draw(st.integers(0, 4))
        text[low:high] = [None] * length
        changes.append(Change(low, high, low, low + length, (index,)))
    got = composed(changes)
    assert sorted(index for change in got for index in change.edits) == list(range(len(changes)))
    kept_old = set(range(size)) - {at for c in got for at in range(c.old_start, c.old_end)}
    kept_new = set(range(len(text))) - {at for c in got for at in range(c.new_start, c.new_end)}
    assert [text[at] for at in sorted(kept_new)] == sorted(kept_old)
    assert {at for at in text if at is not None} == kept_old
    for one, two in pairwise(got):
        assert one.old_end < two.old_start
        assert one.new_end < two.new_start
