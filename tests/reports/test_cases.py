"""Faults that people reported elsewhere, replayed against the real command."""

import pytest

from .judge import build, cases, check

CASES = cases(auto=True)


@pytest.mark.parametrize("case", CASES, ids=[f"{case['id']}-{case['area']}" for case in CASES])
def test_fault_does_not_come_back_when_it_was_reported_elsewhere(case, tmp_path, environment):
    # The setups name their person themselves, or are about having none.
    env = {name: value for name, value in environment.items() if not name.endswith(("_NAME", "_EMAIL"))}
    check(case, build(case, tmp_path, env))
