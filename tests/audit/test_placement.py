"""Placement: moved regions are found again, and nothing that is not really the recorded change ever fits."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from gitedit.audit.exact import region_digests
from gitedit.audit.placement import place
from gitedit.edits.model import Region
from gitedit.record.compose import make_record
from gitedit.record.digests import change, region_digest
from gitedit.record.model import ChangedFile

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"}\n", b"long line of text\n", b"a\r\n", b"x"]), max_size=12)


def record(old, regions, path="p"):
    """Return new blob and record of `regions`: (start, end, replacement) in `old`, ascending and apart."""
    new, spans, at = b"", [], 0
    for start, end, text in regions:
        new += old[at:start]
        spans.append(Region(start, end, len(new), len(new) + len(text), "exact"))
        new += text
        at = end
    new += old[at:]
    file = ChangedFile(path, "100644", "100644", "1" * 40, "2" * 40, old, new, tuple(spans))
    return new, make_record([file], mode="strict", batch_digest="0" * 64, tool="t")


def change_of(made, places, old, new):
    edits = made.files[0].edits
    return change(
        region_digest(
            "p",
            old[p.old_start : p.old_start + edits[p.number].old_length],
            new[p.new_start : p.new_start + edits[p.number].new_length],
        )
        for p in places
    )


@st.composite
def edited(draw):
    """Return (old, regions): a text of lines, some of them replaced."""
    pieces = draw(LINES)
    old = b"".join(pieces)
    cuts = sorted(draw(st.sets(st.integers(0, len(old)), max_size=8)))
    regions = []
    for start, end in zip(cuts[::2], cuts[1::2], strict=False):
        text = b"".join(draw(st.lists(st.sampled_from([b"a\n", b"new\n", b"", b"}\n", b"x"]), max_size=2)))
        if old[start:end] != text and (not regions or start > regions[-1][1]):
            regions.append((start, end, text))
    return old, regions


def test_place_fits_when_there_is_nothing_to_place():
    assert place([[]], b"same", b"same").fits
    assert not place([[]], b"same", b"sane").fits
    assert place([], b"", b"").fits


@settings(max_examples=300, deadline=None)
@given(edited())
def test_place_fits_on_the_same_base(sample):
    old, regions = sample
    new, made = record(old, regions)
    if not regions:
        return
    found = place([made.files[0].edits], old, new)
    assert found.fits
    assert change_of(made, found.places, old, new) == made.value("change")
    assert len(region_digests(made.files[0], old, new)) == len(regions)


@settings(max_examples=300, deadline=None)
@given(edited(), LINES, LINES, st.lists(st.tuples(st.integers(0, 200), LINES), max_size=2))
def test_place_fits_on_another_base(sample, before, after, between):
    old, regions = sample
    if not regions:
        return
    _, made = record(old, regions)
    # Upstream changes bytes outside the regions only: in front, behind, and where two regions are apart.
    other, moved, at = b"".join(before), [], 0
    for number, (start, end, text) in enumerate(regions):
        gap = old[at:start]
        for where, lines in between:
            if number == where % len(regions):
                gap = gap[: len(gap) // 2] + b"".join(lines) + gap[len(gap) // 2 :]
        other += gap
        moved.append((len(other), len(other) + end - start, text))
        other += old[start:end]
        at = end
    other += old[at:] + b"".join(after)
    # Regions that now touch were never recorded so: at least one byte lies between two.
    new, _ = record(other, moved)
    found = place([made.files[0].edits], other, new)
    assert found.costly or found.fits
    if found.fits:
        assert change_of(made, found.places, other, new) == made.value("change")


@settings(max_examples=400, deadline=None)
@given(edited(), st.data())
def test_place_never_fits_when_a_byte_is_tampered_with(sample, data):
    old, regions = sample
    new, made = record(old, regions)
    if not regions or not new:
        return
    at = data.draw(st.integers(0, len(new) - 1))
    kind = data.draw(st.sampled_from(["flip", "drop", "add"]))
    tampered = {
        "flip": new[:at] + bytes([new[at] ^ 1]) + new[at + 1 :],
        "drop": new[:at] + new[at + 1 :],
        "add": new[:at] + b"!" + new[at:],
    }[kind]
    found = place([made.files[0].edits], old, tampered)
    if found.fits:
        # Then the tampered text really is the old one with exactly the recorded changes, made elsewhere.
        assert change_of(made, found.places, old, tampered) == made.value("change")
        rebuilt, end = b"", 0
        for p in found.places:
            edit = made.files[0].edits[p.number]
            rebuilt += old[end : p.old_start] + tampered[p.new_start : p.new_start + edit.new_length]
            end = p.old_start + edit.old_length
        assert rebuilt + old[end:] == tampered


@settings(max_examples=200, deadline=None)
@given(edited(), st.randoms(use_true_random=False))
def test_place_fits_when_the_regions_are_those_of_several_records(sample, random):
    old, regions = sample
    new, made = record(old, regions)
    queues = [[], [], []]
    for edit in made.files[0].edits if regions else ():
        queues[random.randrange(3)].append(edit)
    found = place(queues, old, new)
    assert found.costly or found.fits or not regions


def test_place_tries_other_starts_when_the_distance_hung_on_what_followed():
    # The blank line that goes is the last of three in the old base and the last of two in the new one.
    _, made = record(b"a\n\n\n\nb\n", [(2, 3, b"")])
    assert made.files[0].edits[0].first_difference > 0
    found = place([made.files[0].edits], b"z\na\n\n\nc\n", b"z\na\n\nc\n")
    assert found.fits
    inserted = record(b"x\n" * 5, [(4, 4, b"x\n")])[1]
    assert place([inserted.files[0].edits], b"y\nx\n", b"y\nx\nx\n").fits


def test_place_takes_a_choice_back_when_it_leads_nowhere():
    old = b"k\nk\nk\nm\nk\nk\n"
    new, made = record(old, [(4, 6, b""), (10, 12, b"")])
    shifted = b"k\n" + old
    assert place([made.files[0].edits], shifted, b"k\n" + new).fits


def test_place_takes_under_a_second_when_200_kb_are_moved_and_tampered_with():
    body = b"".join(b"line %d of many\n" % n for n in range(11_000))
    swapped = body.replace(b"many", b"more")
    for old_text, new_text in ((body, swapped), (b"", swapped), (body, b""), (b"a" * 200_000, b"a" * 200_001)):
        old = b"head\n" * 100 + old_text + b"tail\n" * 100
        start = len(b"head\n" * 100)
        new, made = record(old, [(start, start + len(old_text), new_text)])
        edits = made.files[0].edits
        for at in {0, start - 1, start, min(start + 1000, len(new) - 1), len(new) // 2, len(new) - 600, len(new) - 1}:
            bad = new[:at] + bytes([new[at] ^ 1]) + new[at + 1 :]
            begun = time.perf_counter()
            assert place([edits], b"more\n" * 50 + old, b"more\n" * 50 + new).fits
            assert not place([edits], b"more\n" * 50 + old, b"more\n" * 50 + bad).fits
            assert time.perf_counter() - begun < 1


def test_place_gives_up_when_it_would_cost_too_much():
    old = b"a" * 50_000
    new, made = record(old, [(25_000, 25_000, b"a" * 1000)])
    lie = made.files[0].edits[0]._replace(new_hash="0" * 16, first_difference=10**17)
    begun = time.perf_counter()
    found = place([[lie] * 50], old, new)
    assert found.costly
    assert not found.fits
    assert time.perf_counter() - begun < 1
