"""States of a repository in which a batch is committed, each with a person's work of every kind beside it."""

import os
import subprocess

import pytest
from witness import EDITED, LINES, at, batch_for, commits, edits, gitedit, make_busy, refuses, script, see, stages


@pytest.fixture
def busy(repo):
    """A repository with staged, unstaged, hidden, new and deleted files, some of it in `f`."""
    return make_busy(repo)


@pytest.fixture
def plain(repo):
    """A repository with one file."""
    repo.commit({"f": LINES, "d/g": LINES})
    return repo


def test_nothing_but_the_line_changes_when_a_person_is_at_work(busy):
    said = commits(busy)
    assert said.facts["warnings"] == []
    assert busy.git("cat-file", "-p", "HEAD:f") + b"\n" == EDITED


def test_file_is_clean_to_git_when_it_was_clean(busy):
    commits(busy, "d/g", clean=True)
    assert busy.git("diff-files", "--quiet", "d/g", check=False) == 0
    assert busy.git("apply", "--index", data=_patch("d/g"), check=False) == 0


def _patch(path):
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n-line 01\n+one\n line 02\n line 03\n".encode()


def test_mode_stays_in_all_places_when_its_change_is_staged(busy):
    commits(busy, "x.sh")
    assert busy.git("ls-tree", "HEAD", "x.sh").startswith(b"100755 ")
    assert busy.git("ls-files", "-s", "x.sh").startswith(b"100644 ")
    assert os.stat(os.path.join(busy.path, "x.sh")).st_mode & 0o777 == 0o700


def test_commit_goes_to_the_branch_when_in_a_linked_worktree(busy):
    busy.git("worktree", "add", "-q", "-b", "topic", "../linked")
    main, linked = see(busy), at(busy, "../linked")
    said = commits(linked, clean=True)
    assert said.facts["ref"] == "refs/heads/topic"
    after = see(busy)
    assert (after.files, after.entries, after.tree) == (main.files, main.entries, main.tree)
    assert os.path.isfile(os.path.join(linked.path, ".git"))


def test_path_is_refused_when_it_lies_in_a_linked_worktree_below(plain):
    plain.git("worktree", "add", "-q", "-b", "topic", "linked")
    refuses(plain, "submodule", batch_for("linked/f"))
    refuses(plain, "git-dir", batch_for("linked/.git", b"gitdir", b"x"))


@pytest.fixture
def super_repo(plain, make_repo):
    """A repository with a submodule `sub`, checked out."""
    inner = make_repo("inner")
    inner.commit({"f": LINES})
    plain.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.path, "sub")
    plain.commit()
    return plain


def test_commit_goes_to_the_submodule_when_inside_it(super_repo):
    before = see(super_repo)
    commits(at(super_repo, "sub"))
    assert super_repo.git("status", "--porcelain") == b" M sub"
    assert see(super_repo).entries == before.entries


@pytest.mark.parametrize("flags", [["--commit"], ["--stage"], []])
def test_path_is_refused_when_it_lies_in_a_submodule(super_repo, flags):
    refuses(super_repo, "submodule", batch_for("sub/f"), *flags or ["--exact"])


def test_path_is_refused_when_the_submodule_is_not_checked_out(super_repo):
    super_repo.git("submodule", "--quiet", "deinit", "-f", "sub")
    refuses(super_repo, "submodule", batch_for("sub/f"))
    super_repo.write("sub/f", LINES)
    refuses(super_repo, "submodule", batch_for("sub/f"))


def test_submodule_itself_is_refused_when_it_is_named(super_repo):
    refuses(super_repo, "submodule", batch_for("sub"))


def test_commit_is_made_when_the_git_dir_is_elsewhere(make_repo, tmp_path):
    busy = make_busy(make_repo("work", f"--separate-git-dir={tmp_path / 'elsewhere.git'}"))
    commits(busy)


def test_git_dir_is_refused_when_it_lies_in_the_work_tree_by_another_name(make_repo, tmp_path):
    busy = make_busy(make_repo("work", f"--separate-git-dir={tmp_path / 'work' / 'store'}"))
    refuses(busy, "git-dir", batch_for("store/config", b"[core]", b"[x]"))
    refuses(busy, "git-dir", batch_for("store/config", b"[core]", b"[x]"), "--exact")
    refuses(busy, "git-dir", batch_for("d/../store/refs/../config", b"[core]", b"[x]"))


@pytest.mark.parametrize("other", [False, True])
def test_commit_is_made_when_core_worktree_names_another_folder(plain, make_repo, tmp_path, other):
    tree = make_repo("tree") if other else at(plain, "../tree")
    for name in ("f", "d/g"):
        tree.write(name, LINES) if other else os.renames(os.path.join(plain.path, name), tmp_path / "tree" / name)
    plain.git("config", "core.worktree", tree.path)
    script(plain, ".git/hooks/pre-commit", "! git diff --cached --quiet HEAD\n")
    for cwd in (plain.path, os.path.join(plain.path, ".git")):
        before = plain.oid()
        batch = batch_for(os.path.join(tree.path, "f"))
        assert gitedit(plain, batch, "--commit", cwd=cwd).status == 0
        assert plain.git("diff-tree", "-r", "--name-only", before, "HEAD") == b"f"
        assert plain.git("status", "--porcelain", "--untracked-files=no") == b""
        plain.git("reset", "-q", "--hard", before)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_commit_is_made_when_the_object_format_is(make_repo, algorithm):
    busy = make_busy(make_repo("hashed", f"--object-format={algorithm}"))
    said = commits(busy)
    assert len(said.facts["commit"]) == {"sha1": 40, "sha256": 64}[algorithm]


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_index_keeps_its_version_when_it_has(busy, version):
    busy.git("update-index", "--index-version", version)
    commits(busy)
    assert busy.git("update-index", "--show-index-version", check=False) in {0, 129}
    with open(os.path.join(busy.path, ".git/index"), "rb") as stream:
        # An intent-to-add entry needs version 3.
        assert int.from_bytes(stream.read(8)[4:], "big") == max(3, int(version))


def test_index_stays_split_when_it_is(busy):
    busy.git("update-index", "--split-index")
    commits(busy)
    shared = [name for name in os.listdir(os.path.join(busy.path, ".git")) if name.startswith("sharedindex.")]
    assert shared
    commits(busy, "d/g", clean=True)


def test_commit_is_made_when_every_index_write_splits(busy):
    busy.git("config", "core.splitIndex", "true")
    busy.git("config", "splitIndex.maxPercentChange", "0")
    busy.git("update-index", "--split-index")
    commits(busy)
    commits(busy, "d/g", clean=True)


def test_untracked_cache_stays_when_it_is_on(busy):
    busy.git("update-index", "--untracked-cache")
    busy.git("status")
    commits(busy)
    with open(os.path.join(busy.path, ".git/index"), "rb") as stream:
        assert b"UNTR" in stream.read()


def test_commit_is_made_when_a_monitor_hook_watches(busy):
    path = script(busy, ".git/hooks/monitor", 'printf "token\\0/\\0"\n')
    busy.git("config", "core.fsmonitor", path)
    busy.git("update-index", "--fsmonitor")
    busy.git("status")
    commits(busy)
    commits(busy, "d/g", clean=True)
    with open(os.path.join(busy.path, ".git/index"), "rb") as stream:
        assert b"FSMN" in stream.read()


def test_commit_is_made_when_refs_are_packed(busy):
    busy.git("pack-refs", "--all", "--prune")
    busy.git("gc", "--quiet")
    commits(busy)


def test_commit_is_made_when_the_branch_is_an_alias_of_another(busy):
    busy.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
    busy.git("symbolic-ref", "HEAD", "refs/heads/alias")
    commits(busy)
    assert busy.oid("main") == busy.oid("alias") == busy.oid()


def test_no_branch_moves_when_head_is_detached(busy):
    busy.git("checkout", "-q", "--detach")
    before = busy.oid("main")
    said = commits(busy)
    assert (busy.oid("main"), said.facts["ref"]) == (before, None)
    assert [warning for warning in said.facts["warnings"] if "detached" in warning]


def test_commit_is_refused_when_there_is_none_yet(repo):
    repo.write("f", LINES)
    refuses(repo, "not-committed")
    repo.git("add", "f")
    said = refuses(repo, "not-committed")
    assert "no commit yet" in said.facts["error"]["message"]
    stages(repo)


def test_file_is_edited_when_there_is_no_commit_yet(repo):
    repo.write("f", LINES)
    edits(repo)


def test_commit_is_made_when_bisecting(busy):
    busy.git("stash", "-q", check=False)
    busy.git("bisect", "start")
    commits(busy)


@pytest.mark.parametrize("cone", [True, False])
def test_file_is_edited_inside_and_refused_outside_when_the_checkout_is_sparse(plain, cone):
    plain.commit({"out/g": LINES, "out/deep/h": LINES})
    plain.git("sparse-checkout", "set", *(["--cone", "--sparse-index", "d"] if cone else ["--no-cone", "/f", "/d/"]))
    commits(plain, "d/g", clean=True)
    refuses(plain, "not-in-worktree", batch_for("out/g"))
    refuses(plain, "not-in-worktree", batch_for("out/deep/h"), "--stage")
    if cone:
        assert b"040000" in plain.git("ls-files", "--sparse", "-s")


def test_commit_is_made_when_the_clone_is_shallow(busy):
    busy.commit({"d/g": LINES + b"more\n"})
    busy.git("clone", "-q", "--depth=1", f"file://{busy.path}", "../shallow")
    shallow = at(busy, "../shallow")
    commits(shallow, "d/e/h", clean=True)
    assert shallow.git("rev-list", "--count", "HEAD") == b"2"


@pytest.fixture
def partial(plain):
    """A partial clone whose remote is gone; only the blobs of the checkout are there."""
    plain.commit({"d/g": LINES + b"more\n"})
    plain.commit({"d/g": LINES})
    plain.git("config", "uploadpack.allowFilter", "true")
    plain.commit({"out/x": b"x\n"})
    plain.git("clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{plain.path}", "../partial")
    clone = at(plain, "../partial")
    clone.git("sparse-checkout", "set", "d")
    clone.git("checkout", "-q", "main")
    os.rename(plain.path, plain.path + ".gone")
    return clone


def test_no_blob_is_downloaded_when_the_clone_is_partial(partial):
    missing = partial.git("rev-list", "--objects", "--all", "--missing=print")
    assert missing.count(b"\n?") == 2
    parent = partial.oid()
    said = gitedit(partial, batch_for("d/g"), "--commit")
    assert (said.status, said.facts["parent"]) == (0, parent)
    assert partial.git("diff-tree", "-r", "--name-only", "HEAD^", "HEAD") == b"d/g"
    assert partial.git("rev-list", "--objects", "--all", "--missing=print").count(b"\n?") == 2
    assert partial.git("fsck") == b""


def test_hooks_download_nothing_when_the_clone_is_partial(partial):
    script(partial, ".git/hooks/pre-commit", "exit 0\n")
    assert gitedit(partial, batch_for("f"), "--commit").status == 0
    assert partial.git("rev-list", "--objects", "--all", "--missing=print").count(b"\n?") == 2


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files to any group")
def test_objects_and_files_of_ours_are_shared_when_the_repository_is(make_repo):
    repo = make_repo("shared", "--shared=group")
    repo.commit({"f": LINES, "g": LINES})
    subprocess.run(["chgrp", "-R", "12345", os.path.join(repo.path, ".git")], check=True)
    subprocess.run(
        ["find", os.path.join(repo.path, ".git"), "-type", "d", "-exec", "chmod", "g+s", "{}", ";"], check=True
    )
    old = os.umask(0o077)
    try:
        commits(repo, clean=True)
        gitedit(repo, [batch_for("f", b"line 07", b"7"), batch_for("g", b"line 07", b"7")], "--stage")
    finally:
        os.umask(old)
    wrong = []
    for folder, folders, names in os.walk(os.path.join(repo.path, ".git")):
        for name in [*folders, *names]:
            facts = os.stat(os.path.join(folder, name))
            wanted = 0o2070 if name in folders else 0o040 if "/objects/" in folder else 0o060
            if facts.st_gid != 12345 or facts.st_mode & wanted != wanted:
                wrong.append((os.path.join(folder, name), oct(facts.st_mode), facts.st_gid))
    # git's own: neither is written by anybody but its owner.
    mine = ("/hooks", "/info/exclude", "/description", "/COMMIT_EDITMSG")
    assert [one for one in wrong if not any(name in one[0] for name in mine)] == []
