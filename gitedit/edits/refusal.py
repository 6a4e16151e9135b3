"""Refusals of the engine: one sentence that names the edit, never its text, and a hint that says what to do."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gitedit.errors import MatchError, Problem

LISTED = 5
"""Matches whose lines are named."""


class Failure(NamedTuple):
    """What is wrong with one edit."""

    code: str
    message: str
    hint: str = ""
    lines: tuple[int, ...] = ()
    """1-based lines of the text that the edit was matched against."""


def refusal(index: int, count: int, failure: Failure) -> MatchError:
    """Return the error for `failure` of edit `index` (0-based) of `count`."""
    return refusals([(index, failure)], count)


def refusals(failures: Sequence[tuple[int, Failure]], count: int) -> MatchError:
    """Return one error for several edits: the first gives code, message and hint."""
    problems = tuple(Problem(None, index, f.code, named(index, count, f.message), f.lines) for index, f in failures)
    message = problems[0].message
    if len(problems) > 1:
        message += f" ({len(problems) - 1} more of its edits failed too)"
    return MatchError(problems[0].code, message, failures[0][1].hint, problems)


def file_refusal(failure: Failure) -> MatchError:
    """Return the error for what is wrong with all edits together."""
    problem = Problem(None, None, failure.code, failure.message, failure.lines)
    return MatchError(failure.code, failure.message, failure.hint, (problem,))


def named(index: int, count: int, message: str) -> str:
    """Return `message` with the 1-based number of its edit in front, where there are several."""
    return f"edit {index + 1} of {count}: {message}" if count > 1 else message


def listed(lines: Iterable[int]) -> str:
    """Return `line 3` or `lines 3, 7 and 9`."""
    numbers = [str(line) for line in dict.fromkeys(lines)]
    if len(numbers) == 1:
        return f"line {numbers[0]}"
    return f"lines {', '.join(numbers[:-1])} and {numbers[-1]}"
