"""The hooks of `git commit` judge what is being committed, however it was asked for."""

import os

from .conftest import MIXED, batch, git, gitedit, record

FLAT = MIXED.replace(b"\r", b"")


def test_ordinary_commit_passes(work):
    work.write("plain", "alpha\nBETA\ngamma\n")
    assert git(work, "commit", "-qam", "change").status == 0


def test_good_batch_passes_and_bad_batch_is_refused(work):
    work.write("good.gitedit.json", batch("plain", "alpha", "omega"))
    work.git("add", ".")
    assert git(work, "commit", "-qm", "good").status == 0
    work.write("bad.gitedit.json", batch("plain", "delta", "omega"))
    work.git("add", ".")
    said = git(work, "commit", "-qm", "bad")
    assert said.status == 1
    assert "bad.gitedit.json:1: not-found: plain: " in said.err


def test_honest_change_passes_when_the_file_is_mixed(work):
    work.write("mixed", MIXED.replace(b"two", b"2") + b"six\n")
    assert git(work, "commit", "-qam", "honest").status == 0


def test_flattened_file_is_refused_with_path_line_and_endings(work):
    work.write("mixed", FLAT)
    said = git(work, "commit", "-qam", "flat")
    assert said.status == 1
    assert "mixed:1: line-endings: CRLF became LF on this line" in said.err


def test_flattened_file_is_restored_when_it_is_to_be_fixed(work):
    work.git("config", "gitedit.fixEndings", "true")
    work.write("mixed", FLAT.replace(b"two", b"2"))
    assert git(work, "commit", "-qam", "flat").status == 1
    assert work.read("mixed") == MIXED.replace(b"two", b"2")
    assert git(work, "commit", "-qam", "honest").status == 0


def test_index_and_disk_are_restored_apart_when_a_part_is_staged(work):
    work.git("config", "gitedit.fixEndings", "true")
    work.write("mixed", FLAT.replace(b"two", b"2"))
    work.git("add", "mixed")
    work.write("mixed", FLAT.replace(b"two", b"2") + b"unstaged\n")
    assert git(work, "commit", "-qm", "flat").status == 1
    assert work.read("mixed") == MIXED.replace(b"two", b"2") + b"unstaged\n"
    assert git(work, "commit", "-qm", "honest").status == 0
    assert work.git("show", "HEAD:mixed") + b"\n" == MIXED.replace(b"two", b"2")


# -- the ways to commit --------------------------------------------------------------------------------------------


def test_named_file_is_judged_when_another_is_staged(work):
    work.write("mixed", FLAT)
    work.git("add", "mixed")
    work.write("plain", "alpha\nBETA\ngamma\n")
    assert git(work, "commit", "-qm", "only", "--", "plain").status == 0
    assert git(work, "commit", "-qm", "only", "--", "mixed").status == 1


def test_work_tree_is_judged_when_all_is_committed(work):
    work.write("mixed", FLAT)
    assert git(work, "commit", "-qm", "nothing", "--allow-empty").status == 0
    assert git(work, "commit", "-qam", "all").status == 1


def test_unstaged_flip_is_not_judged_when_a_part_is_staged(work):
    """As `git add -p` leaves it."""
    work.write("mixed", MIXED + b"six\n")
    work.git("add", "mixed")
    work.write("mixed", FLAT + b"six\n")
    assert git(work, "commit", "-qm", "part").status == 0


def test_staged_flip_is_judged_when_the_disk_is_sound_again(work):
    work.write("mixed", FLAT)
    work.git("add", "mixed")
    work.write("mixed", MIXED)
    assert git(work, "commit", "-qm", "part").status == 1


def test_amend_is_judged_and_may_repair(work):
    work.write("mixed", FLAT)
    work.git("commit", "-qam", "flat", "--no-verify")
    work.write("mixed", MIXED + b"six\n")
    assert git(work, "commit", "-qa", "--amend", "--no-edit").status == 0


def test_merge_is_judged_against_both_parents(work):
    work.git("switch", "-qc", "side")
    work.write("plain", "side\n")
    work.write("mixed", FLAT)
    work.git("commit", "-qam", "side", "--no-verify")
    work.git("switch", "-q", "main")
    work.write("plain", "main\n")
    work.git("commit", "-qam", "main")
    assert git(work, "merge", "-q", "side").status == 1
    work.write("plain", "main\r\n")
    work.git("add", "plain")
    said = git(work, "merge", "--continue")
    assert said.status == 1
    assert "plain:1: line-endings: LF became CRLF" in said.err
    assert "mixed" not in said.err
    work.write("plain", "main\nside\n")
    work.git("add", "plain")
    assert git(work, "merge", "--continue").status == 0


def test_commit_passes_when_the_branch_is_unborn_or_the_work_tree_linked(work, make_repo):
    new = make_repo("new")
    new.git("config", "core.hooksPath", work.git("config", "core.hooksPath").decode())
    new.write("a", "x\r\ny\n")
    new.git("add", "a")
    assert git(new, "commit", "-qm", "first").status == 0
    new.git("worktree", "add", "-q", "../linked")
    new.path = os.path.join(os.path.dirname(new.path), "linked")
    new.write("a", "x\ny\n")
    assert git(new, "commit", "-qam", "flat").status == 1


# -- the message ---------------------------------------------------------------------------------------------------


def test_recorded_commit_passes_its_own_hooks(work):
    record(work)
    assert b"Gitedit-Record" in work.git("log", "-1", "--format=%B")


def test_record_may_be_amended_as_long_as_it_fits(work):
    record(work)
    message = work.git("log", "-1", "--format=%B")
    assert git(work, "commit", "-q", "--amend", "--cleanup=verbatim", "-F", "-", data=b"New\n" + message).status == 0
    assert git(work, "commit", "-q", "--amend", "--no-edit", "--reset-author").status == 0


def test_record_is_refused_when_more_is_committed(work):
    record(work)
    work.write("plain", "more\n")
    said = git(work, "commit", "-qa", "--amend", "--no-edit")
    assert said.status == 1
    assert "modified: " in said.err
    assert "plain" in said.err


def test_record_of_another_commit_is_refused(work):
    record(work)
    message = work.git("log", "-1", "--format=%B")
    work.write("plain", "more\n")
    assert git(work, "commit", "-qa", "-F", "-", data=message).status == 1


def test_tampered_message_is_refused_and_named(work):
    record(work)
    message = work.git("log", "-1", "--format=%B")
    said = git(work, "commit", "-q", "--amend", "-F", "-", data=message.replace(b"mode=strict", b"mode=strist"))
    assert said.status == 1
    assert "malformed: " in said.err


def test_half_lost_record_is_refused_and_named(work):
    record(work)
    lines = work.git("log", "-1", "--format=%B").split(b"\n")
    at = next(n for n, line in enumerate(lines) if line.startswith(b"Gitedit-Edit:"))
    said = git(work, "commit", "-q", "--amend", "-F", "-", data=b"\n".join(lines[:at]))
    assert said.status == 1
    assert "incomplete: record " in said.err
    assert "has lost 1 of its File and Edit lines" in said.err


def test_record_of_many_lines_passes_when_they_go_into_a_ref(work):
    text = "".join(f"line number {n}\n" for n in range(200))
    work.write("long", text)
    work.git("add", ".")
    work.git("commit", "-qm", "long")
    edits = ", ".join(f'{{"oldText": "number {n}\\n", "newText": "n {n}\\n"}}' for n in range(0, 200, 2))
    said = gitedit(work, "apply", "--commit", data=f'{{"path": "long", "edits": [{edits}]}}'.encode())
    assert said.status == 0, said.err


def test_record_in_the_diff_of_a_verbose_commit_is_no_claim(work):
    record(work)
    message = work.git("log", "-1", "--format=%B")
    work.write("notes", message)
    work.git("add", ".")
    work.git("commit", "-qm", "notes")
    work.write("notes", message + b"\nmore\n")
    assert git(work, "commit", "-qav", GIT_EDITOR="sed -i 1iSubject").status == 0


def test_cherry_picked_record_passes(work):
    oid = record(work)
    work.git("reset", "-q", "--hard", "HEAD~")
    work.write("mixed", b"zero\n" + MIXED)
    work.git("commit", "-qam", "before")
    assert git(work, "cherry-pick", oid).status == 0


# -- squashes ------------------------------------------------------------------------------------------------------


def test_records_are_collected_when_a_branch_is_squashed(work):
    work.git("switch", "-qc", "side")
    record(work)
    record(work, "plain", "beta", "BETA")
    work.git("switch", "-q", "main")
    work.git("merge", "-q", "--squash", "side")
    assert git(work, "commit", "-q", "--no-edit").status == 0
    trailers = work.git("log", "-1", "--format=%(trailers:key=Gitedit-Record)")
    assert trailers.count(b"Gitedit-Record: v1") == 2
    said = gitedit(work, "show", "HEAD")
    assert work.git("log", "-1", "--format=%B").count(b"Gitedit-Record") == 2, said.err


def test_records_are_collected_when_a_rebase_squashes(work):
    base = work.oid()
    record(work)
    record(work, "plain", "beta", "BETA")
    said = git(work, "rebase", "-q", "-i", base, GIT_SEQUENCE_EDITOR="sed -i 2s/pick/squash/")
    assert said.status == 0, said.err
    assert work.git("log", "-1", "--format=%P").decode() == base
    assert work.git("log", "-1", "--format=%(trailers:key=Gitedit-Record)").count(b"Gitedit-Record: v1") == 2


def test_nothing_is_collected_when_it_is_no_squash(work):
    record(work)
    quoted = b"Tell\n\nAs in\n\n    " + work.git("log", "-1", "--format=%B").replace(b"\n", b"\n    ")
    work.write("other", "x\n")
    work.git("add", ".")
    assert git(work, "commit", "-q", "-F", "-", data=quoted).status == 0
    assert work.git("log", "-1", "--format=%(trailers:key=Gitedit-Record)") == b""
