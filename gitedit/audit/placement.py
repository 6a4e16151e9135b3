"""Find moved regions again: on another base a region lies elsewhere, but the bytes between the regions never change.

So the first difference in what is left of the two blobs lies at the distance from the next region that its line gives.
Where that distance is longer than the region it hung on what followed, and the places before it are tried, too. Pure.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gitedit.record.compose import first_difference
from gitedit.record.model import EditClaim

_HASHING = 16
"""How often both blobs may be hashed in all."""
_SMALL = 64 * 1024
"""Bytes that may be hashed besides, so that small files can be searched whole."""
_ONE_HASH = 64
"""Bytes that a hash counts at least: sha256 works on blocks of 64, and a call costs as much."""
_COMPARING = 16
"""Bytes compared that count as one byte hashed (memcmp against sha256)."""


class Place(NamedTuple):
    """Where one region lies."""

    queue: int
    """0-based index of the list of regions that it belongs to."""
    number: int
    """0-based index in that list."""
    old_start: int
    """Byte offset in the parent's blob."""
    new_start: int
    """Byte offset in the child's blob."""


class Placement(NamedTuple):
    """How far placing came. Success: `fits`, and `places` holds every region."""

    fits: bool
    places: tuple[Place, ...]
    """In offset order; without `fits` those of the attempt that came farthest."""
    costly: bool
    """The attempt was given up."""
    old_at: int
    """Byte offset in the parent's blob of the first difference that the places do not explain, or its end."""
    new_at: int
    """The same in the child's blob."""


class _State(NamedTuple):
    """Everything before these offsets is explained."""

    old_at: int
    new_at: int
    same: int
    """Bytes that follow and are equal in both blobs."""
    heads: tuple[int, ...]
    """Of each queue, the index of the region to be placed next."""


class _Search:
    """One search, and what it may still cost."""

    def __init__(self, queues: Sequence[Sequence[EditClaim]], old: bytes, new: bytes) -> None:
        self.queues = queues
        self.old = old
        self.new = new
        self.views = memoryview(old), memoryview(new)
        self.budget = _HASHING * (len(old) + len(new)) + _SMALL

    def state(self, old_at: int, new_at: int, heads: tuple[int, ...]) -> _State:
        same = first_difference(self.old, old_at, self.new, new_at)
        self.budget -= same // _COMPARING + len(heads)
        return _State(old_at, new_at, same, heads)

    def is_goal(self, state: _State) -> bool:
        if any(head < len(queue) for head, queue in zip(state.heads, self.queues, strict=True)):
            return False
        ends = state.old_at + state.same, state.new_at + state.same
        return ends == (len(self.old), len(self.new))

    def steps(self, state: _State) -> Iterator[tuple[Place, _State]]:
        """Yield the ways to place one more region: at the recorded distances first, then nearest to the difference."""
        pending = [
            (n, q[head]) for n, (head, q) in enumerate(zip(state.heads, self.queues, strict=True)) if head < len(q)
        ]
        for n, edit in pending:
            if self._holds(state, edit, state.same - edit.first_difference):
                yield self._step(state, n, edit, state.same - edit.first_difference)
        for n, edit in pending:
            shorter = min(edit.old_length, edit.new_length)
            if edit.first_difference < shorter:
                continue
            last = min(
                state.same - shorter,
                len(self.old) - state.old_at - edit.old_length,
                len(self.new) - state.new_at - edit.new_length,
            )
            for gap in range(last, -1, -1):
                if self.budget < 0:
                    return
                if gap != state.same - edit.first_difference and self._holds(state, edit, gap):
                    yield self._step(state, n, edit, gap)

    def _holds(self, state: _State, edit: EditClaim, gap: int) -> bool:
        old_start, new_start = state.old_at + gap, state.new_at + gap
        old_end, new_end = old_start + edit.old_length, new_start + edit.new_length
        if gap < 0 or old_end > len(self.old) or new_end > len(self.new):
            return False
        old, new = self.views
        return self._fits(edit.new_hash, new[new_start:new_end]) and self._fits(edit.old_hash, old[old_start:old_end])

    def _fits(self, digits: str, data: memoryview) -> bool:
        self.budget -= max(len(data), _ONE_HASH)
        return self.budget >= 0 and hashlib.sha256(data).hexdigest().startswith(digits)

    def _step(self, state: _State, queue: int, edit: EditClaim, gap: int) -> tuple[Place, _State]:
        heads = list(state.heads)
        place = Place(queue, heads[queue], state.old_at + gap, state.new_at + gap)
        heads[queue] += 1
        after = self.state(place.old_start + edit.old_length, place.new_start + edit.new_length, tuple(heads))
        return place, after


def place(queues: Sequence[Sequence[EditClaim]], old: bytes, new: bytes) -> Placement:
    """Place every region of every queue between `old` and `new` so that everything else is identical.

    The order inside a queue is fixed; queues may interleave as they like. Cost is linear in the blobs, or `costly`.
    """
    search = _Search(queues, old, new)
    first = search.state(0, 0, (0,) * len(queues))
    path: list[Place] = []
    stack = [(first, search.steps(first))]
    best = first
    best_path: tuple[Place, ...] = ()
    while stack:
        state, steps = stack[-1]
        if search.is_goal(state):
            return Placement(True, tuple(path), False, len(old), len(new))
        step = next(steps, None)
        if step is None:
            if (len(path), state.new_at + state.same) > (len(best_path), best.new_at + best.same):
                best, best_path = state, tuple(path)
            stack.pop()
            if path:
                path.pop()
            continue
        path.append(step[0])
        stack.append((step[1], search.steps(step[1])))
    return Placement(False, best_path, search.budget < 0, best.old_at + best.same, best.new_at + best.same)
