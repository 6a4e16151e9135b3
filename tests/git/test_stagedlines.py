"""Changed lines by git's own diff, and what flips say of random histories."""

import random

import pytest

from gitedit.edits.flips import Hunk, compare, flips, restored, split
from gitedit.git import stagedlines
from gitedit.git.process import for_hook

TEXTS = [b"", b"}", b"a", b"b", b"    return"]


@pytest.fixture
def work(repo, environment, monkeypatch):
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])
    return repo


def store(repo, content):
    return repo.git("hash-object", "-w", "--no-filters", "--stdin", data=content).decode()


def hunks(repo, old, new):
    ranges = stagedlines.between(for_hook(repo.path), store(repo, old), store(repo, new))
    return [Hunk(*each) for each in ranges]


def test_there_are_no_ranges_when_only_endings_differ(work):
    assert hunks(work, b"a\nb\r\n", b"a\r\nb\n") == []


def test_ranges_are_of_lines_when_content_looks_like_a_header(work):
    old = b"index 1..2\n@@ -1 +1 @@\n--- a\n+++ b\n"
    assert hunks(work, old, b"x\n" + old[:-6]) == [Hunk(0, 0, 0, 1), Hunk(3, 4, 4, 4)]


def test_ranges_do_not_depend_on_configuration_and_attributes(work, monkeypatch):
    monkeypatch.setenv("GIT_DIFF_OPTS", "--unified=9")
    work.write(".git/info/attributes", "* -diff diff=x\n")
    for key, value in {"diff.external": "false", "diff.x.textconv": "false", "diff.context": "9"}.items():
        work.git("config", key, value)
    work.git("config", "diff.interHunkContext", "9")
    work.git("config", "color.ui", "always")
    base = work.commit({"f": b"a\nb\nc\nd\n"})
    work.write("f", b"A\nb\nc\nD\n")
    work.git("add", "f")
    git = for_hook(work.path)
    [entry] = stagedlines.changes(git, base)
    found = stagedlines.ranges(git, base, ["f"])
    assert found == {(entry.old_oid, entry.new_oid): [(0, 1, 0, 1), (3, 4, 3, 4)]}


def lines(rng, count):
    return [rng.choice(TEXTS) + rng.choice([b"\n", b"\r\n"]) for _ in range(count)]


def edited(rng, old):
    """Return other lines: some gone, some new, and some with another ending."""
    new = []
    for line in old:
        kind = rng.random()
        if kind < 0.1:
            continue
        if kind < 0.2:
            new += lines(rng, 1)
        other = line[:-2] + b"\n" if line.endswith(b"\r\n") else line[:-1] + b"\r\n"
        new.append(other if kind > 0.9 else line)
    return new


@pytest.mark.parametrize("seed", range(30))
def test_nothing_flips_any_more_when_the_endings_are_restored(work, seed):
    rng = random.Random(seed)  # noqa: S311 - cases, not secrets
    before = lines(rng, rng.randrange(1, 60))
    after = edited(rng, before)
    old, new = b"".join(before), b"".join(after)
    found = flips(after, [compare(before, after, hunks(work, old, new))])
    fixed = restored(after, {flip.line: flip.old for flip in found})
    assert fixed.replace(b"\r", b"") == new.replace(b"\r", b"")
    again = split(fixed)
    assert flips(again, [compare(before, again, hunks(work, old, fixed))]) == []


@pytest.mark.parametrize("seed", range(10))
def test_nothing_flips_when_one_block_is_inserted_or_deleted(work, seed):
    """Wherever git takes the equal lines around it for the block."""
    rng = random.Random(seed)  # noqa: S311 - cases, not secrets
    before = lines(rng, 30)
    at = rng.randrange(30)
    for after in (before[:at] + lines(rng, 3) + before[at:], before[:at] + before[at + 3 :]):
        found = compare(before, after, hunks(work, b"".join(before), b"".join(after)))
        assert flips(after, [found]) == []
