"""Which versions of a file there must be, and what stands in the way: the index entry, the disk, HEAD."""

import os
import stat

import pytest
from witness import EDITED, LINES, batch_for, commits, edits, gitedit, make_busy, refuses, see, stages


@pytest.fixture
def busy(repo):
    """A repository with staged, unstaged, hidden, new and deleted files."""
    return make_busy(repo)


@pytest.fixture
def plain(repo):
    """A repository with two files."""
    repo.commit({"f": LINES, "d/g": LINES})
    return repo


def said_of(said):
    return said.facts["error"]["message"] + " | " + said.facts["error"]["hint"]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("untracked", "git does not track it"),
        ("ignored.log", "git ignores it"),
        ("new", "new in the index"),
        ("gone", "deletion is staged"),
    ],
)
def test_commit_is_refused_when_head_or_index_lacks_the_file(busy, path, words):
    assert words in said_of(refuses(busy, "not-committed", batch_for(path)))


def test_commit_is_refused_when_the_file_is_only_intended_to_be_added(busy):
    refuses(busy, "not-committed", batch_for("intended"))


def test_commit_is_refused_when_a_committed_file_is_intended_to_be_added(plain):
    plain.git("rm", "-q", "--cached", "f")
    plain.git("add", "-N", "f")
    for flag in ("--commit", "--stage"):
        assert "only its name" in said_of(refuses(plain, "not-committed", None, flag))


def test_file_is_not_staged_when_it_is_only_intended_to_be_added(busy):
    busy.write(":(glob)*", LINES)
    busy.git("add", "-N", "./:(glob)*")
    for path in ("intended", ":(glob)*"):
        assert "only its name" in said_of(refuses(busy, "not-committed", batch_for(path), "--stage"))


def test_ignored_file_is_told_when_its_name_is_odd(busy):
    for path in (":(glob)x.log", "*.log", "[.log", "-x.log", "a\nb.log"):
        busy.write(path, LINES)
        assert "git ignores it" in said_of(refuses(busy, "not-committed", batch_for(path)))
    busy.write("[a]", LINES)
    busy.write(".gitignore", "a\n")
    assert "git does not track it" in said_of(refuses(busy, "not-committed", batch_for("[a]")))


def test_commit_is_refused_when_an_empty_version_is_staged(plain):
    plain.write("f", b"")
    plain.git("add", "f")
    plain.write("f", LINES)
    refuses(plain, "uncommitted-lines")


def test_commit_is_refused_when_the_file_is_not_on_disk(busy):
    said = refuses(busy, "missing-file", batch_for("deleted"))
    assert "git restore deleted" in said_of(said)
    assert refuses(busy, "missing-file", batch_for("deleted"), "--exact").facts["error"]["hint"] == ""


def test_commit_is_refused_when_nothing_has_that_name(busy):
    for path in ("nowhere", "no/where", "f/below"):
        refuses(busy, "missing-file", batch_for(path))


@pytest.mark.parametrize(("path", "words"), [("assumed", "--no-assume-unchanged"), ("skipped", "--no-skip-worktree")])
@pytest.mark.parametrize("flag", ["--commit", "--stage"])
def test_commit_is_refused_when_the_entry_is_hidden(busy, path, words, flag):
    assert words in said_of(refuses(busy, "hidden-flag", batch_for(path), flag))


def test_commit_is_refused_when_the_entry_is_hidden_twice(busy):
    busy.git("update-index", "--assume-unchanged", "skipped")
    refuses(busy, "hidden-flag", batch_for("skipped"))


@pytest.mark.parametrize("path", ["assumed", "skipped", "new", "untracked", "ignored.log", "intended", "gone"])
def test_file_is_edited_when_git_need_not_know_it(busy, path):
    busy.write(path, LINES)
    edits(busy, path)


def test_new_file_is_staged_when_asked(busy):
    busy.write("new", LINES)
    busy.git("add", "new")
    stages(busy, "new")


def test_entry_keeps_its_mode_when_staged(busy):
    stages(busy, "x.sh")
    stages(busy, "f")


def test_commit_is_refused_when_the_spelling_is_another(plain):
    plain.commit({"README.md": LINES, "caf\u00e9": LINES})
    plain.git("config", "core.ignorecase", "true")
    assert "README.md" in said_of(refuses(plain, "not-committed", batch_for("readme.md")))
    assert "caf\u00e9" in said_of(refuses(plain, "not-committed", batch_for("cafe\u0301")))
    assert "d/g" in said_of(refuses(plain, "not-committed", batch_for("D/G"), "--stage"))
    plain.write("Readme.md", LINES)
    assert "README.md" in said_of(refuses(plain, "not-committed", batch_for("Readme.md")))


def test_both_spellings_are_edited_when_both_are_tracked(plain):
    plain.commit({"A": LINES, "a": LINES, "caf\u00e9": LINES, "cafe\u0301": LINES})
    plain.git("config", "core.ignorecase", "true")
    commits(plain, "a", clean=True)
    commits(plain, ["A", "cafe\u0301"], clean=True)


def make_link(repo, path, target):
    whole = os.path.join(repo.path, path)
    if os.path.lexists(whole):
        os.unlink(whole)
    os.symlink(target, whole)


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_link_is_refused_when_it_is_the_file(busy, flag):
    refuses(busy, "symlink", batch_for("link"), flag)


def test_link_is_refused_when_it_is_on_disk_only(plain, tmp_path):
    (tmp_path / "outside").write_bytes(LINES)
    for target in ("d/g", str(tmp_path / "outside"), "../outside", "nowhere", "f", ".git/config"):
        make_link(plain, "f", target)
        refuses(plain, "symlink")
    assert (tmp_path / "outside").read_bytes() == LINES


def test_kind_is_told_first_when_git_does_not_track_it_either(plain):
    make_link(plain, "untracked", "f")
    os.mkdir(os.path.join(plain.path, "folder"))
    os.mkfifo(os.path.join(plain.path, "fifo"))
    for path, code in (("untracked", "symlink"), ("folder", "not-regular"), ("fifo", "not-regular")):
        for flag in ("--commit", "--stage", "--exact"):
            refuses(plain, code, batch_for(path), flag)


def test_link_is_refused_when_it_is_in_head_only(busy):
    os.unlink(os.path.join(busy.path, "link"))
    busy.write("link", LINES)
    refuses(busy, "symlink", batch_for("link"))
    busy.git("add", "link")
    refuses(busy, "symlink", batch_for("link"))
    busy.commit()
    make_link(busy, "link", "f")
    busy.git("add", "link")
    os.unlink(os.path.join(busy.path, "link"))
    busy.write("link", LINES)
    refuses(busy, "symlink", batch_for("link"))


def test_linked_folder_is_refused_when_it_is_in_the_way(busy, tmp_path):
    os.mkdir(tmp_path / "away")
    (tmp_path / "away/g").write_bytes(LINES)
    for target in ("d", os.path.join(busy.path, "d"), str(tmp_path / "away"), ".", "..", ".git"):
        make_link(busy, "folder", target)
        refuses(busy, "symlink", batch_for("./folder/e/../g"), "--exact")
    refuses(busy, "symlink", batch_for(os.path.join(busy.path, "folder/g")), "--exact")
    refuses(busy, "symlink", batch_for("folder/g"))
    refuses(busy, "symlink", batch_for("folder/../f"))


def test_tracked_folder_is_refused_when_a_link_took_its_place(plain):
    os.rename(os.path.join(plain.path, "d"), os.path.join(plain.path, "moved"))
    make_link(plain, "d", "moved")
    refuses(plain, "symlink", batch_for("d/g"))


def test_commit_is_made_when_the_top_is_reached_through_a_link(busy, tmp_path):
    os.symlink(busy.path, tmp_path / "way")
    commits(busy, cwd=str(tmp_path / "way"))
    commits(busy, "d/g", batch=batch_for(str(tmp_path / "way/d/g")), cwd=str(tmp_path / "way/d"))


def test_hard_link_is_refused_when_the_file_has_another_name(busy):
    os.link(os.path.join(busy.path, "f"), os.path.join(busy.path, "other-name"))
    refuses(busy, "hard-link")
    refuses(busy, "hard-link", None, "--exact")


def test_other_kinds_are_refused_when_they_are_on_disk(plain):
    whole = os.path.join(plain.path, "f")
    os.unlink(whole)
    os.mkfifo(whole)
    for flag in ("--commit", "--exact"):
        # `git diff` itself fails on a FIFO, so what is seen is less here.
        assert gitedit(plain, batch_for("f"), flag).code == "not-regular"
    os.unlink(whole)
    os.mkdir(whole)
    refuses(plain, "not-regular")
    for path in ("d", "d/", "", ".", "f/", plain.path):
        assert gitedit(plain, batch_for(path), "--commit").status in {3, 5}


@pytest.mark.parametrize("bit", [stat.S_ISUID, stat.S_ISGID, stat.S_ISVTX])
def test_file_is_refused_when_it_has_a_special_bit(plain, bit):
    os.chmod(os.path.join(plain.path, "f"), 0o700 | bit)
    refuses(plain, "not-regular")


def test_file_is_edited_when_its_folder_has_special_bits(plain):
    os.chmod(os.path.join(plain.path, "d"), 0o3700)
    commits(plain, "d/g", clean=True)


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o666, 0o700, 0o755, 0o777])
def test_permissions_stay_when_they_are_unusual(plain, mode):
    whole = os.path.join(plain.path, "f")
    os.chmod(whole, mode)
    before = see(plain).diff
    assert gitedit(plain, batch_for("f"), "--commit").status == 0
    assert stat.S_IMODE(os.stat(whole).st_mode) == mode
    assert plain.git("ls-tree", "HEAD", "f").startswith(b"100644 ")
    assert see(plain).diff == before
    assert plain.read("f") == EDITED
