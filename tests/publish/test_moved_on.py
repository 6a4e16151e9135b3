"""Somebody went on working after a run was killed: recovery touches nothing wrongly, and names what is kept."""

import json
import os
import shutil

import pytest

from .scene import OTHER, text

BOTH = text(l3="LINE 3\nnew", l20="unstaged")
G_EDIT = {"path": "sub/g", "edits": [{"oldText": "line 1\n", "newText": "LINE 1\n"}]}


def killed(scene, at="index-installed", kind="commit"):
    """A run killed at a step, and its index lock removed by hand, as people do."""
    one = scene(kind)
    assert one.apply(at, "group").status == -9
    lock = os.path.join(one.git_dir, "index.lock")
    if os.path.exists(lock):
        os.unlink(lock)
    return one


def commit_by_hand(one):
    one.git("commit", "-q", "-a", "-m", "by hand")


def switch_branch(one):
    one.git("checkout", "-q", "-b", "elsewhere")


def detach(one):
    one.git("checkout", "-q", "--detach")


def switch_and_commit(one):
    one.git("checkout", "-q", "-b", "elsewhere")
    commit_by_hand(one)


MOVES = [commit_by_hand, switch_branch, detach, switch_and_commit]


@pytest.mark.parametrize("move", MOVES)
@pytest.mark.parametrize("kind", ["commit", "linked"])
def test_nothing_is_touched_when_head_has_moved(scene, move, kind):
    one = killed(scene, kind=kind)
    move(one)
    state = one.state()
    said = one.recover()
    assert said.status == 0, said
    assert one.state() == state
    one.check_tidy(said.out)
    kept = [one.read(path) for path in one.kept()]
    assert one.before[0]["f"][1] in kept
    assert one.before[0]["sub/g"][1] in kept


def test_next_apply_needs_recovery_when_it_touches_those_files(scene):
    one = killed(scene)
    commit_by_hand(one)
    said = one.run("apply", "--json", data=json.dumps(G_EDIT).encode())
    assert said.status == 5
    assert json.loads(said.out)["error"]["code"] == "needs-recovery"


def test_next_apply_goes_on_when_it_touches_other_files(scene):
    one = killed(scene)
    commit_by_hand(one)
    said = one.run("apply", "--commit", "--json", data=json.dumps(OTHER).encode())
    assert said.status == 0, said
    assert any("nothing was touched" in warning for warning in json.loads(said.out)["warnings"])


def test_recover_lets_go_and_names_the_files_when_a_journal_was_set_aside(scene):
    one = killed(scene)
    commit_by_hand(one)
    assert one.run("apply", data=json.dumps(G_EDIT).encode()).status == 5
    said = one.recover()
    one.check_tidy(said.out)
    assert len(one.kept()) == 2
    assert one.run("apply", data=json.dumps(G_EDIT).encode()).status == 0


def test_recover_lets_go_of_what_it_sets_aside_when_it_is_called_by_name(scene):
    one = killed(scene)
    commit_by_hand(one)
    said = one.recover()
    one.check_tidy(said.out)
    assert one.recover().out == ""
    assert one.run("apply", data=json.dumps(G_EDIT).encode()).status == 0


def test_setting_aside_goes_on_when_it_was_killed(scene):
    one = killed(scene)
    commit_by_hand(one)
    state = one.state()
    assert one.recover("set-aside", "group").status == -9
    said = one.recover()
    one.check_tidy(said.out)
    assert one.state() == state
    assert len(one.kept()) == 2


def test_commit_on_top_of_ours_stays_when_the_run_was_killed_after_it_had_committed(scene):
    one = killed(scene, "refs-committed")
    commit_by_hand(one)
    state = one.state()
    said = one.recover()
    one.check_tidy(said.out)
    assert one.state() == state
    assert one.kept() == []


@pytest.mark.parametrize("at", ["swapped#2", "index-installed"])
def test_file_is_left_alone_and_the_others_taken_back_when_it_was_edited_further(scene, at):
    one = killed(scene, at)
    further = one.read("f") + b"further\n"
    one.write("f", further)
    said = one.recover()
    files, index, head, refs = one.state()
    one.check_tidy(said.out)
    assert files["f"][1] == further
    assert {**files, "f": None} == {**one.before[0], "f": None}
    assert (index, head, refs) == one.before[1:]
    assert one.before[0]["f"][1] in [one.read(path) for path in one.kept()]
    assert "f: somebody changed it since" in said.out


def test_file_is_not_made_anew_when_it_was_deleted(scene):
    one = killed(scene)
    os.unlink(os.path.join(one.top, "f"))
    said = one.recover()
    assert not os.path.exists(os.path.join(one.top, "f"))
    one.check_tidy(said.out)
    assert one.before[0]["f"][1] in [one.read(path) for path in one.kept()]


def test_folder_is_not_made_anew_when_it_was_deleted(scene):
    one = killed(scene)
    shutil.rmtree(os.path.join(one.top, "sub"))
    said = one.recover()
    assert said.status == 0
    assert not os.path.exists(os.path.join(one.top, "sub"))
    one.check_tidy(said.out)


def test_entry_is_left_alone_when_it_was_staged_by_hand(scene):
    one = killed(scene)
    one.write("sub/g", text(l1="by hand"))
    one.git("add", "sub/g", "untracked")
    entries = dict(reversed(row.split(b"\t")) for row in one.git("ls-files", "-s").split(b"\n"))
    said = one.recover()
    one.check_tidy(said.out)
    now = dict(reversed(row.split(b"\t")) for row in one.git("ls-files", "-s").split(b"\n"))
    before = dict(reversed(row[2:].split(b"\t")) for row in one.before[1].split(b"\n"))
    assert now == {**entries, b"f": before[b"f"]}
    assert one.read("sub/g") == text(l1="by hand").encode()


def test_other_work_stays_when_it_was_staged_after_the_kill(scene):
    one = killed(scene)
    one.write("calm", "not calm\n")
    one.git("add", "calm", "untracked")
    calm = one.git("ls-files", "-s", "calm", "untracked")
    said = one.recover()
    one.check_tidy(said.out)
    assert one.git("ls-files", "-s", "calm", "untracked") == calm
    assert one.git("ls-files", "-s", "f", "sub/g", "other") == b"\n".join(
        row[2:] for row in one.before[1].split(b"\n") if not row.endswith(b"calm")
    )


def test_everything_stays_when_the_work_was_reset_by_hand(scene):
    one = killed(scene)
    one.git("reset", "-q", "--hard")
    state = one.state()
    said = one.recover()
    assert one.state() == state
    one.check_tidy(said.out)
    assert one.before[0]["f"][1] in [one.read(path) for path in one.kept()]


def test_everything_stays_when_the_work_was_stashed(scene):
    one = killed(scene)
    one.git("stash", "-q")
    state = one.state()
    said = one.recover()
    assert one.state() == state
    one.check_tidy(said.out)


@pytest.mark.parametrize("move", MOVES)
def test_plain_edit_is_left_alone_when_head_has_moved(scene, move):
    one = killed(scene, "swapped", "plain")
    move(one)
    state = one.state()
    said = one.recover()
    one.check_tidy(said.out)
    assert one.state() == state or move is switch_branch
