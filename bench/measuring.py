"""Two commands in turn, many rounds: medians, and how far the ratio moves from round to round.

What a shared machine does to one of them it does to the other a moment later, so the ratio of one round means something
where a time alone means nothing. Who goes first changes with each round.
"""

import os
import statistics
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple


class Row(NamedTuple):
    """One line of the table."""

    name: str
    against: str
    """What ours is divided by."""
    ours: float
    """Median; seconds unless `unit` says otherwise."""
    theirs: float
    ratio: float
    """Of the medians."""
    low: float
    """First quartile of the ratios of each round."""
    high: float
    """Third quartile."""
    limit: float | None = None
    """What the ratio may be at most; None: only told."""
    note: str = ""
    unit: str = "s"

    @property
    def holds(self) -> bool:
        return self.limit is None or self.ratio <= self.limit


class Skipped(NamedTuple):
    """A line of the table that could not be measured."""

    name: str
    against: str
    why: str


Action = Callable[[int], float | None]
"""Takes the number of the round; returns the seconds to count, or None to have the call itself timed."""


def interleaved(actions: Mapping[str, Action], rounds: int, *, warm: int = 1) -> dict[str, list[float]]:
    """Return the seconds of each action in each round; the first `warm` rounds are not counted."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    names = list(actions)
    for number in range(rounds + warm):
        turn = number % len(names)
        for name in names[turn:] + names[:turn]:
            started = time.perf_counter()
            told = actions[name](number)
            passed = time.perf_counter() - started if told is None else told
            if number >= warm:
                times[name].append(passed)
    return times


def row(name: str, against: str, ours: list[float], theirs: list[float], **facts: object) -> Row:
    """Make a line of the table from the seconds of two actions, round by round."""
    ratios = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    low, _, high = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else (ratios[0],) * 3
    mine, other = statistics.median(ours), statistics.median(theirs)
    return Row(name, against, mine, other, mine / other, low, high, **facts)


def load() -> str:
    """Return the load of the machine, as `uptime` says it."""
    return " ".join(f"{value:.1f}" for value in os.getloadavg())
