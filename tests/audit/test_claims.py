"""Claims and quotations: which records of a message speak of the commit."""

import time

import pytest

from gitedit.audit.claims import claims_in
from gitedit.record.model import FoundRecord, Reading, Record


def found(position, *paths, own="1" * 16, **more):
    return FoundRecord(Record(own, ("v1",), ()), position, 1, paths=paths, forged="not judged here", **more)


def told_apart(records, touched):
    claims = claims_in(Reading(tuple(records), (), (), nul=False), touched, None, lambda _: None)
    return [record.paths for record in claims.records]


def test_nothing_is_claimed_when_there_is_no_record():
    assert claims_in(Reading((), (), (), nul=False), frozenset("a"), None, lambda _: None) == ((), (), (), ())


@pytest.mark.parametrize(
    ("records", "touched", "claimed"),
    [
        ([found("body", "a")], "a", [("a",)]),
        ([found("body", "a")], "b", []),
        ([found("body", "a", "b")], "b", [("a", "b")]),
        ([found("trailer", "a")], "b", [("a",)]),
        ([found("trailer", "a")], "", [("a",)]),
        ([found("body", "b"), found("body", "c"), found("trailer", "b")], "a", [("b",), ("b",)]),
        (
            [found("body", "c", "d"), found("body", "b", "c"), found("trailer", "b")],
            "a",
            [("c", "d"), ("b", "c"), ("b",)],
        ),
        ([found("body")], "a", []),
    ],
)
def test_a_record_is_a_claim_when_the_commit_or_another_claim_touches_its_paths(records, touched, claimed):
    assert told_apart(records, frozenset(touched)) == claimed


def test_every_record_is_a_claim_when_the_diff_is_not_known():
    assert told_apart([found("body", "a"), found("body")], None) == [("a",), ()]


def test_claims_take_no_time_when_there_are_many():
    records = [found("body", f"p{n}", f"p{n + 1}") for n in range(20_000)]
    begun = time.perf_counter()
    assert len(told_apart(records, frozenset(["p20000"]))) == 20_000
    assert time.perf_counter() - begun < 2
