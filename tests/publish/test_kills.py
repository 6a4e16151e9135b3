"""A run that is killed at any step: after the next run it has happened wholly, or not at all."""

import pytest

from gitedit.publish import steps

STEPS = [name for name in steps.NAMES if name not in {"hooks-run", "journal-commit"}]
DONE = {"refs-committed", "index-unlocked", "journal-dropped"}
"""From here on a commit is there."""
KILLS = ["kill", "group"]


def settled(scene, said, after):
    scene.check_tidy(said.out)
    assert scene.state() == (scene.after if after else scene.before)


@pytest.mark.parametrize("how", KILLS)
@pytest.mark.parametrize("at", [*STEPS, "swapped#2", "before-exchange", "after-exchange", "after-exchange#2"])
def test_commit_is_whole_or_not_there_when_killed(scene, at, how):
    one = scene()
    assert one.apply(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    settled(one, said, at in DONE)


@pytest.mark.parametrize(
    ("at", "how"), [(at, KILLS[number % 2]) for number, at in enumerate([*steps.NAMES, "swapped#2"])]
)
def test_commit_is_whole_or_not_there_when_killed_with_hooks(scene, at, how):
    one = scene("hook")
    assert one.apply(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    settled(one, said, at in DONE)


@pytest.mark.parametrize("how", KILLS)
@pytest.mark.parametrize("kind", ["split", "detached", "linked"])
@pytest.mark.parametrize("at", ["swapped#2", "index-installed", "refs-committed"])
def test_commit_is_whole_or_not_there_when_killed_in_a_special_repository(scene, kind, at, how):
    one = scene(kind)
    assert one.apply(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    settled(one, said, at in DONE)


@pytest.mark.parametrize("how", KILLS)
@pytest.mark.parametrize(
    ("at", "after"),
    [
        *((at, False) for at in ("temporaries", "index-locked", "swapped", "swapped#2", "next-index")),
        *((at, True) for at in ("index-installed", "index-unlocked", "journal-dropped")),
    ],
)
def test_stage_is_whole_or_not_there_when_killed(scene, at, after, how):
    one = scene("stage")
    assert one.apply(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    settled(one, said, after)


@pytest.mark.parametrize("how", KILLS)
@pytest.mark.parametrize(
    ("at", "after"), [("temporaries", False), ("swapped", False), ("after-exchange#2", True), ("swapped#2", True)]
)
def test_edit_is_whole_or_not_there_when_killed(scene, at, after, how):
    one = scene("plain")
    assert one.apply(at, how).status == -9
    said = one.recover()
    assert said.status == 0, said
    settled(one, said, after)


@pytest.mark.parametrize("at", ["after-exchange", "swapped", "index-installed"])
def test_commit_is_whole_or_not_there_when_killed_where_names_cannot_be_exchanged(scene, at):
    one = scene()
    assert one.apply(at, "group", NO_EXCHANGE="1").status == -9
    said = one.recover(NO_EXCHANGE="1")
    assert said.status == 0, said
    settled(one, said, after=False)
