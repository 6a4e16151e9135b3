"""Somebody else at work at each step: what comes out is what one after the other would have made."""

import subprocess

import pytest

STEPS = ["temporaries", "index-locked", "refs-prepared", "swapped", "index-installed", "index-unlocked"]
COMMANDS = [
    "git commit -q -a -m theirs",
    "git commit -q -m theirs",
    "git add f",
    "git add other untracked",
    "git checkout -q -b elsewhere",
    "git checkout -q --detach",
    "git reset -q --hard",
    "git reset -q",
    "git stash -q",
]
SAFE = {0, 6}
BY_EDITOR = b"what an editor had in its window\n"
EDITORS = {
    "in place": "cat ../by-editor >f",
    "append": "cat ../by-editor >>f",
    "by rename": "cp ../by-editor .f.swp; mv .f.swp f",
    "by two renames": "mv f f~; cat ../by-editor >f; rm f~",
}


def by_hand(one, command):
    subprocess.run(["sh", "-c", command], check=False, cwd=one.top, env=one.repo.env, capture_output=True)
    return one


def serial(scene, command):
    """Return the states that the batch and the command leave when they run one after the other, or alone."""
    orders = [by_hand(scene(), command).state()]
    one = scene()
    one.apply()
    orders += [one.state(), by_hand(one, command).state()]
    one = by_hand(scene(), command)
    one.apply()
    return [*orders, one.state()]


@pytest.mark.parametrize("command", COMMANDS)
def test_outcome_is_that_of_one_after_the_other_when_git_runs_at_any_step(scene, command):
    theirs, *others = serial(scene, command)
    for at in STEPS:
        one = scene()
        said = one.apply(at, f"sh:{command}")
        assert said.status in SAFE, (at, said)
        one.check_tidy(said.out + said.err)
        assert one.state() in ([theirs, one.before] if said.status else others), (at, said)


@pytest.mark.parametrize("editor", EDITORS)
@pytest.mark.parametrize("kind", ["commit", "plain"])
def test_save_is_never_lost_when_an_editor_saves_at_any_step(scene, editor, kind):
    outcomes = set()
    late = ["index-unlocked"] if kind == "plain" else ["next-index", "index-installed"]
    for at in ["draft", "temporaries", "before-exchange", "after-exchange", "swapped", *late]:
        one = scene(kind)
        with open(f"{one.top}/../by-editor", "wb") as stream:
            stream.write(BY_EDITOR)
        said = one.apply(at, f"sh:{EDITORS[editor]}")
        assert said.status in SAFE, (at, said)
        outcomes.add(said.status)
        one.check_tidy(said.out + said.err)
        found = one.read("f")
        assert found.endswith(BY_EDITOR), (at, said)
        expected = one.after if said.status == 0 else one.before
        files, *rest = one.state()
        assert {**files, "f": None} == {**expected[0], "f": None}, (at, said)
        assert tuple(rest) == expected[1:], (at, said)
        if said.status:
            assert "retry" in said.err
            assert one.kept() == []
            assert b"LINE 3" not in found
    assert 6 in outcomes


@pytest.mark.parametrize("editor", ["in place", "append"])
def test_save_is_never_lost_when_names_cannot_be_exchanged(scene, editor):
    for at in ["temporaries", "before-exchange", "swapped"]:
        one = scene()
        with open(f"{one.top}/../by-editor", "wb") as stream:
            stream.write(BY_EDITOR)
        said = one.apply(at, f"sh:{EDITORS[editor]}", NO_EXCHANGE="1")
        assert said.status in SAFE, (at, said)
        one.check_tidy(said.out + said.err)
        assert one.read("f").endswith(BY_EDITOR), (at, said)


def test_save_is_kept_when_it_goes_into_the_replaced_file(scene):
    """An editor that opened the file before it was replaced writes into what nobody can see any more."""
    one = scene()
    writer = "printf mine >>$(ls -d .gitedit-*.0)"
    said = one.apply("next-index", f"sh:{writer}")
    assert said.status == 6, said
    assert one.read("f") == one.before[0]["f"][1] + b"mine"
    one.check_tidy(said.out + said.err)


def test_save_is_kept_and_named_when_it_goes_into_the_replaced_file_too_late(scene):
    one = scene()
    writer = "printf mine >>$(ls -d .gitedit-*.0)"
    said = one.apply("refs-committed", f"sh:{writer}")
    assert said.status == 0, said
    (path,) = one.kept()
    assert one.read(path).endswith(b"mine")
    one.check_tidy(said.out + said.err)


def test_file_stays_deleted_when_somebody_deletes_it_before_it_is_exchanged(scene):
    one = scene()
    said = one.apply("before-exchange", "sh:rm f")
    assert said.status == 6, said
    files = one.state()[0]
    assert files == {name: row for name, row in one.before[0].items() if name != "f"}
    one.check_tidy(said.out + said.err)
