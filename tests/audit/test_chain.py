"""Chains of blob ids, and the arithmetic that composes their regions."""

import time

import pytest

from gitedit.audit.chain import composed, order
from gitedit.edits.model import Region
from gitedit.record.compose import make_record
from gitedit.record.model import ChangedFile, FileClaim


def link(old, new):
    return FileClaim("p", "100644", "100644", old, new, ())


@pytest.mark.parametrize(
    ("links", "start", "end", "expected"),
    [
        ([], "a", "a", []),
        (["ab"], "a", "b", [0]),
        (["bc", "ab"], "a", "c", [1, 0]),
        (["ab", "ba"], "a", "a", [0, 1]),
        (["ab", "ba", "ab"], "a", "b", [0, 1, 2]),
        (["ab", "bc", "ca", "ad"], "a", "d", [0, 1, 2, 3]),
        (["ab"], "a", "c", None),
        (["ab"], "b", "a", None),
        (["ab", "cd"], "a", "b", None),
        (["ab", "cd"], "a", "d", None),
        (["ab", "cd", "dc"], "a", "b", None),
        ([], "a", "b", None),
    ],
)
def test_order_uses_every_link_once(links, start, end, expected):
    assert order([link(*pair) for pair in links], start, end) == expected


def test_order_is_linear_when_there_are_many_links():
    links = [link("x", "x")] * 20_000
    assert len(order(links, "x", "x")) == 20_000


def claim(old, *regions):
    new, spans, at = b"", [], 0
    for start, end, text in regions:
        new += old[at:start]
        spans.append(Region(start, end, len(new), len(new) + len(text), "exact"))
        new += text
        at = end
    new += old[at:]
    file = ChangedFile("p", "100644", "100644", "1" * 40, "2" * 40, old, new, tuple(spans))
    return new, make_record([file], mode="strict", batch_digest="0" * 64, tool="t").files[0]


def test_composed_maps_regions_across_a_step_that_shrinks_the_text():
    base = b"0123456789abcdefghij"
    middle, first = claim(base, (2, 9, b""))
    last, second = claim(middle, (0, 1, b"AAA"), (6, 8, b"B"))
    changes, regions = composed([first, second])
    assert regions == [(0, 0), (1, 0), (1, 1)]
    rebuilt, at = b"", 0
    for change in changes:
        rebuilt += base[at : change.old_start] + last[change.new_start : change.new_end]
        at = change.old_end
    assert rebuilt + base[at:] == last
    assert [change.edits for change in changes] == [(1,), (0,), (2,)]


def test_composed_joins_regions_that_overlap():
    base = b"0123456789"
    middle, first = claim(base, (2, 4, b"abcd"))
    _, second = claim(middle, (3, 7, b"X"))
    changes, _ = composed([first, second])
    assert [(c.old_start, c.old_end, c.new_start, c.new_end, sorted(c.edits)) for c in changes] == [
        (2, 5, 2, 4, [0, 1])
    ]


def test_composed_takes_no_time_when_there_are_many_links():
    base = b"0123456789"
    links, text = [], base
    for number in range(3000):
        text, one = claim(text, (number % 7, number % 7 + 1, b"%c" % (97 + number % 26)))
        links.append(one)
    begun = time.perf_counter()
    changes, regions = composed(links)
    assert len(regions) == 3000
    assert sorted(edit for change in changes for edit in change.edits) == list(range(3000))
    assert time.perf_counter() - begun < 2
