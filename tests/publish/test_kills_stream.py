"""A stream that is killed in its second commit: the first stands, the second has happened wholly, or not at all."""

import json

import pytest

from . import scene as scenes
from .scene import DRIVEN, OTHER, PLAIN, batch
from .test_kills import DONE, KILLS, STEPS

FIRST = json.dumps(OTHER).encode() + b"\n"
BOTH = FIRST + batch() + b"\n"
ONCE_A_FILE = {"swapped", "before-exchange", "after-exchange"}


@pytest.fixture(scope="session")
def states(templates, tmp_path_factory):
    """Return the state after the first batch, and after both."""
    found = []
    for data in (FIRST, BOTH):
        one = scenes.copy(templates("commit"), str(tmp_path_factory.mktemp("stream") / "a"))
        assert one.run("apply", "--stream", "--commit", data=data, program=PLAIN).status == 0
        found.append(one.state())
    return found


@pytest.mark.parametrize("how", [*KILLS, "everyone"])
@pytest.mark.parametrize("at", [*STEPS, "before-exchange", "after-exchange", "swapped last"])
def test_stream_is_at_the_end_of_a_batch_when_it_is_killed(scene, states, at, how):
    one = scene()
    name, _, last = at.partition(" ")
    # The first batch has one file, the second two.
    which = f"{name}#{3 if last else 2}"
    said = one.run("apply", "--stream", "--commit", data=BOTH, program=DRIVEN, AT=which, DO=how)
    assert said.status == -9
    said = one.recover()
    assert said.status == 0, said
    one.check_tidy(said.out)
    assert one.state() == states[at in DONE]


@pytest.mark.parametrize("at", ["temporaries", "refs-prepared", "index-installed"])
def test_stream_goes_on_when_its_branch_was_moved_by_somebody(scene, at):
    """The child that moves the branch has been there since the commit before."""
    one = scene()
    by_hand = "GIT_INDEX_FILE=.git/own git read-tree HEAD && git commit-tree -p HEAD -m hand HEAD^{tree} >../id"
    do = f"sh:{by_hand}; git update-ref refs/heads/main $(cat ../id)"
    data = BOTH + json.dumps({**OTHER, "edits": [{"oldText": "line 5\n", "newText": "5\n"}]}).encode() + b"\n"
    said = one.run("apply", "--stream", "--commit", data=data, program=DRIVEN, AT=f"{at}#2", DO=do)
    documents = [json.loads(line) for line in said.out.splitlines()]
    assert [document["ok"] for document in documents] in ([True, False, True], [True, True, True])
    one.check_tidy(said.out + said.err)
    subjects = one.git("log", "--format=%s").split(b"\n")
    assert (b"hand" in subjects) == (not documents[1]["ok"])
    assert one.read("other").count(b"5\n") >= 1
