"""Several records of one path, squashed: if blob ids chain from parent to child, arithmetic says where each region is.

The blobs in between need not exist any more. Regions that meet become one span, of which only the chain can speak.
"""

from collections.abc import Sequence

from gitedit.edits.regions import Change, compose
from gitedit.record.model import FileClaim


def order(claims: Sequence[FileClaim], start: str, end: str) -> list[int] | None:
    """Return the indices of all claims in an order in which each begins at the blob where the one before ended.

    The first begins at blob `start`, the last ends at `end`; None where there is no such order. Linear (Hierholzer).
    """
    leaving: dict[str, list[int]] = {}
    for index in range(len(claims) - 1, -1, -1):
        leaving.setdefault(claims[index].old_oid, []).append(index)
    trail: list[int] = []
    stack: list[tuple[str, int | None]] = [(start, None)]
    while stack:
        blob, arrived_by = stack[-1]
        if leaving.get(blob):
            index = leaving[blob].pop()
            stack.append((claims[index].new_oid, index))
            continue
        stack.pop()
        if arrived_by is not None:
            trail.append(arrived_by)
    trail.reverse()
    if len(trail) != len(claims):
        return None
    blobs = [start, *(claims[index].new_oid for index in trail)]
    linked = all(claims[index].old_oid == blob for index, blob in zip(trail, blobs, strict=False))
    return trail if linked and blobs[-1] == end else None


def composed(claims: Sequence[FileClaim]) -> tuple[list[Change], list[tuple[int, int]]]:
    """Return what claims in chain order replace together, and what its `edits` count: (claim, region), both from 0."""
    regions: list[tuple[int, int]] = []
    steps: list[list[Change]] = []
    for index, claim in enumerate(claims):
        step: list[Change] = []
        for number, edit in enumerate(claim.edits):
            old_end, new_end = edit.old_start + edit.old_length, edit.new_start + edit.new_length
            step.append(Change(edit.old_start, old_end, edit.new_start, new_end, (len(regions),)))
            regions.append((index, number))
        steps.append(step)
    # In pairs, so that n claims take n log n.
    while len(steps) > 1:
        pairs = [compose(steps[k], steps[k + 1]) for k in range(0, len(steps) - 1, 2)]
        steps = pairs + steps[len(pairs) * 2 :]
    return (steps[0] if steps else []), regions
