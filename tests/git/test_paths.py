"""Paths: names that git, shells and file systems find odd, and names that lead out of the work tree or into `.git`."""

import os

import pytest
from witness import LINES, batch_for, commits, edits, gitedit, refuses, see

from gitedit.errors import EditError
from gitedit.git import paths, process, repository

ODD = [
    "new\nline",
    'quo"te',
    "quo'te",
    "ta\tb",
    "-dash",
    "--",
    "*.py",
    "[a-z]?",
    ":(glob)**",
    ":(exclude)f",
    ":!x",
    ":/x",
    "a => b",
    "{a => b}/c => d",
    "café",
    "cafe\u0301",
    "\udcff\udcfe",
    "caf\udce9/\udce9",
    " lead",
    "trail ",
    "trail.",
    "back\\slash",
    "$(x)`y`",
    "%s%n{0}",
    "#hash",
    "!bang",
    "~home",
    "\x01\x1b[31m",
    "\x7f",
    "\u2028\u0085",
    "\U0001f600",
    "100644",
    "index.lock",
    "HEAD",
    ".gitx",
    ".git1/x",
    "git~2",
    "x.git/config",
    ".gitmodules.x",
    "con",
    "a:b",
    "n" * 255,
    "/".join(["deep"] * 200),
    "/".join(["d" * 200] * 15),
]


@pytest.fixture
def odd(repo):
    """A repository with a file of each odd name, and one that many of the names would match as patterns."""
    repo.write("f", LINES)
    for path in ODD:
        repo.write(path, LINES)
    repo.git("-c", "core.protectNTFS=false", "add", "-A")
    repo.commit()
    return repo


def test_lines_are_committed_when_every_name_is_odd(odd):
    said = commits(odd, ODD, clean=True)
    assert [file["path"] for file in said.facts["files"]] == ODD


@pytest.mark.parametrize("path", ["new\nline", "-dash", ":(glob)**", "a => b", "\udcff\udcfe", "[a-z]?", "*.py"])
def test_line_is_committed_when_the_name_is_odd(odd, path):
    commits(odd, path, clean=True)


@pytest.mark.parametrize("path", ["new\nline", "\x01\x1b[31m", "\udcff\udcfe"])
def test_message_names_the_file_on_one_line_when_the_name_is_odd(odd, path):
    said = gitedit(odd, batch_for(path, b"line 99"))
    assert said.code == "not-found"
    assert said.facts["error"]["message"].isprintable()


@pytest.mark.parametrize("path", ODD)
def test_name_is_shown_without_a_control_character_when_it_is_odd(path):
    assert paths.shown(path).isprintable()


def test_lines_are_committed_when_the_names_are_more_than_one_argument_list_takes(repo):
    # 320 names of 3,500 bytes, each said twice: 2.2 MB, and execve takes 2 MiB.
    folder = "/".join(["d" * 230] * 15)
    names = [f"{folder}/{number}" for number in range(320)]
    for name in names:
        repo.write(name, LINES)
    repo.git("add", "-A")
    repo.commit()
    said = gitedit(repo, [batch_for(name) for name in names], "--commit")
    assert said.status == 0, said.facts["error"]
    assert repo.git("status", "--porcelain") == b""
    assert repo.git("diff-files", "--quiet", check=False) == 0


def test_path_is_refused_when_no_file_system_takes_it(odd):
    for path in ("n" * 256, "/".join(["d" * 200] * 30)):
        assert gitedit(odd, batch_for(path), "--commit").code in {"missing-file", "io-error", "path-outside"}


def test_path_is_relative_when_run_below_the_top(odd):
    odd.git("config", "diff.relative", "true")
    commits(odd, ".git1/x", batch=batch_for("x"), cwd=".git1", clean=True)
    commits(odd, "f", batch=batch_for("../f"), cwd=".git1", clean=True)
    commits(odd, "caf\udce9/\udce9", batch=batch_for("./../caf\udce9//\udce9"), cwd="x.git", clean=True)


def test_one_file_is_edited_once_when_it_is_named_in_many_ways(odd):
    before = see(odd)
    batch = [
        batch_for(path, old, b"")
        for path, old in (("f", b"line 05\n"), ("./f", b"line 06\n"), ("x/../f", b"line 07\n"))
    ]
    batch.append(batch_for(os.path.join(odd.path, "f"), b"line 08\n", b""))
    said = gitedit(odd, batch, "--commit")
    assert (said.status, [len(file["edits"]) for file in said.facts["files"]]) == (0, [4])
    assert odd.git("show", "--numstat", "--format=") == b"0\t4\tf"
    assert see(odd).entries != before.entries


@pytest.fixture
def here(repo):
    """A repository, as the path layer sees it from its folder `d`."""
    repo.commit({"f": LINES, "d/g": LINES})
    return repository.find(process.for_apply(os.path.join(repo.path, "d")))


PROTECTED = [
    ".git",
    ".git/config",
    ".GIT/config",
    ".gIt/hooks/pre-commit",
    "d/.git/config",
    "x/.Git",
    "git~1/config",
    "GIT~1",
    ".git./config",
    ".git /config",
    ".git . ./config",
    ".git::$INDEX_ALLOCATION/config",
    ".git:stream",
    "git~1:x",
    ".g\u200cit/config",
    ".git\ufeff/config",
    "\u202a.git/config",
    ".\u206agit",
    ".git\\config",
    "x\\.git\\y",
    "x\\git~1",
    "../.git/config",
    "./d/../../.git/config",
]


@pytest.mark.parametrize("path", PROTECTED)
def test_path_is_refused_when_some_file_system_takes_it_for_the_git_dir(here, path):
    with pytest.raises(EditError) as caught:
        paths.resolve(here, path)
    assert caught.value.code == "git-dir"


@pytest.mark.parametrize("path", [".git/config", "git~1/config", ".g\u200cit/config", "x\\.git\\y"])
def test_nothing_changes_when_the_git_dir_is_named(repo, path):
    repo.commit({"f": LINES})
    for flag in ("--commit", "--exact"):
        refuses(repo, "git-dir", batch_for(path, b"[core]", b"[x]"), flag)


@pytest.mark.parametrize(
    "path", [".gitx", "..git", ".git1", "agit~1", "git~12", ".g\u00ect", ".gitattributes", "d.git/x"]
)
def test_path_is_taken_when_it_only_looks_like_the_git_dir(here, path):
    assert paths.resolve(here, "../" + path) == path


@pytest.mark.parametrize(
    "path", ["../../f", "../../outside", "/", "/etc/passwd", "x/../../../f", "/nowhere/../etc/passwd", "\0", "f\0g"]
)
def test_path_is_refused_when_it_leads_out(here, path):
    with pytest.raises(EditError) as caught:
        paths.resolve(here, path)
    assert caught.value.code == "path-outside"


def test_nothing_changes_when_the_path_leads_out(repo, tmp_path):
    repo.commit({"f": LINES})
    (tmp_path / "outside").write_bytes(LINES)
    (tmp_path / "work-too").mkdir()
    (tmp_path / "work-too/f").write_bytes(LINES)
    for path in ("../outside", str(tmp_path / "outside"), "x/../../outside", "../work-too/f", "f\0"):
        refuses(repo, "path-outside", batch_for(path))
    refuses(repo, "path-outside", batch_for("../outside"), "--exact")
    assert (tmp_path / "outside").read_bytes() == (tmp_path / "work-too/f").read_bytes() == LINES


def test_path_is_taken_when_it_goes_out_and_back(here, repo):
    assert paths.resolve(here, f"../../{os.path.basename(repo.path)}/f") == "f"
    assert paths.resolve(here, os.path.join(repo.path, "d/../f")) == "f"
    assert paths.resolve(here, f"/nowhere/..{repo.path}//./f") == "f"


def test_file_is_edited_when_its_folder_is_a_repository_by_shape_only(repo):
    repo.commit(
        {"bare.git/HEAD": "ref: refs/heads/main\n", "bare.git/config": LINES, "bare.git/objects/x": "", "f": LINES}
    )
    commits(repo, "bare.git/config", clean=True)


def test_path_is_refused_when_it_lies_in_a_nested_repository(repo, make_repo):
    repo.commit({"f": LINES})
    make_repo("work/nested").commit({"f": LINES})
    for flag in ("--commit", "--exact"):
        refuses(repo, "submodule", batch_for("nested/f"), flag)
    edits(repo, "nested/f", batch=batch_for("f"), cwd="nested")
