"""Templates of scenes, made once a session and copied for each test."""

import itertools

import pytest
from conftest import hermetic

from . import scene as scenes

KINDS = {
    "commit": {},
    "hook": {"hook": True},
    "stage": {"options": ("--stage",)},
    "plain": {"options": ()},
    "split": {"split": True},
    "detached": {"detached": True},
    "linked": {"linked": True},
}


@pytest.fixture(scope="session")
def templates(tmp_path_factory):
    """Return a function that gives the template of a kind, with the state after the batch."""
    made = {}

    def get(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(kind)
            home = folder / "home"
            home.mkdir()
            (folder / "a").mkdir()
            template = scenes.template(str(folder / "a"), hermetic(home), **KINDS[kind])
            done = scenes.copy(template, str(folder / "done"))
            said = done.apply()
            assert said.status == 0, said
            template.after = done.state()
            assert template.after != template.before
            made[kind] = template
        return made[kind]

    return get


@pytest.fixture
def scene(templates, tmp_path):
    """Return a function that gives a fresh scene of a kind."""
    count = itertools.count()
    return lambda kind="commit": scenes.copy(templates(kind), str(tmp_path / f"{kind}{next(count)}"))
