"""`endings` finds flips in real changes, whatever else they do, and restores exactly those."""

import os
import subprocess
import sys

import pytest

from gitedit.commands.endings import EndingsRequest, endings

MIXED = b"one\r\ntwo\nthree\r\nfour\nfive\r\n"


@pytest.fixture(autouse=True)
def _here(environment, monkeypatch):
    for name in ("GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, environment[name])


@pytest.fixture
def work(repo):
    """A repository with a file of mixed endings, and one of each kind."""
    repo.commit({"mixed": MIXED, "lf": b"a\nb\n", "crlf": b"a\r\nb\r\n"})
    return repo


def found(repo, *files, **how):
    """Return (file, line, message up to the comma) of each complaint."""
    judged = endings(EndingsRequest(tuple(files), repo.path, **how))
    return [(c.path, c.line, c.message.split(",")[0]) for c in judged.complaints]


def staged(repo, *files, **how):
    return found(repo, *files, staged=True, **how)


# -- nothing to say ------------------------------------------------------------------------------------------------


def test_nothing_is_found_when_nothing_changed(work):
    assert (staged(work), found(work)) == ([], [])


def test_nothing_is_found_when_the_branch_is_unborn(repo):
    repo.write("a", b"x\r\n")
    repo.git("add", "a")
    assert staged(repo) == []


def test_honest_change_passes_when_the_file_is_mixed(work):
    work.write("mixed", b"0\r\none\r\n2\r\nthree\r\nfour\nfive\r\nsix\n")
    work.git("add", "mixed")
    assert staged(work) == []


def test_file_passes_when_it_is_new_deleted_or_binary(work):
    work.git("rm", "-q", "crlf")
    work.write("new", b"a\r\nb\n")
    work.commit({"binary": b"\0a\r\n"})
    work.write("binary", b"\0a\n")
    work.git("add", ".")
    assert staged(work) == []


def test_final_newline_may_come_and_go(work):
    work.write("lf", b"a\nb")
    work.git("add", ".")
    assert staged(work) == []


def test_index_is_not_touched_when_it_is_judged(work):
    work.write("mixed", MIXED.replace(b"\r", b""))
    work.git("add", "mixed")
    before = os.stat(os.path.join(work.path, ".git/index"))
    assert staged(work)
    assert found(work)
    assert os.stat(os.path.join(work.path, ".git/index")) == before


# -- flips ---------------------------------------------------------------------------------------------------------


def test_flattened_file_is_found_with_line_and_both_endings(work):
    work.write("mixed", MIXED.replace(b"\r", b""))
    work.git("add", "mixed")
    assert staged(work) == [("mixed", n, "CRLF became LF on this line") for n in (1, 3, 5)]


def test_run_of_lines_is_one_complaint_when_all_flip(work):
    work.write("lf", b"a\r\nb\r\n")
    work.git("add", "lf")
    assert staged(work) == [("lf", 1, "LF became CRLF on lines 1 to 2")]


def test_work_tree_is_judged_when_staged_is_not_said(work):
    work.write("lf", b"a\r\nb\r\n")
    assert (staged(work), len(found(work))) == ([], 1)


def test_conversion_is_not_a_flip_when_git_undoes_it_on_add(work):
    work.commit({".gitattributes": "lf text eol=crlf\n"})
    work.write("lf", b"a\r\nb\r\n")
    assert found(work) == []


def test_only_named_files_are_judged_when_there_are_names(work):
    work.write("lf", b"a\r\nb\r\n")
    work.write("crlf", b"a\nb\n")
    work.git("add", ".")
    assert [path for path, *_ in staged(work, "crlf", ".git/COMMIT_EDITMSG", "no-such")] == ["crlf"]


def test_flip_is_found_when_attributes_call_the_file_binary(work):
    work.commit({".gitattributes": "lf -diff\ncrlf binary\n"})
    work.write("lf", b"a\r\nb\n")
    work.write("crlf", b"a\nb\r\n")
    work.git("add", ".")
    assert [path for path, *_ in staged(work)] == ["crlf", "lf"]


def test_flip_back_passes_when_the_parent_of_head_has_that_ending(work):
    work.commit({"mixed": MIXED.replace(b"\r", b"")})
    work.write("mixed", MIXED)
    work.git("add", ".")
    assert staged(work) == []


def test_rest_is_counted_when_many_places_flip(work):
    work.commit({"long": b"a\r\nb\n" * 50})
    work.write("long", b"a\nb\n" * 50)
    work.git("add", ".")
    judged = endings(EndingsRequest((), work.path, staged=True)).complaints
    assert len(judged) == 20
    assert judged[-1].message.endswith("and 30 lines more")


def test_no_hook_runs_when_the_work_tree_is_judged(work):
    os.chmod(work.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch ../ran\n"), 0o700)
    work.write("lf", b"a\r\nb\r\n")
    assert len(found(work)) == 1
    assert not os.path.exists(os.path.join(work.path, "..", "ran"))


# -- merges --------------------------------------------------------------------------------------------------------


@pytest.fixture
def merging(work):
    """A merge in which the other branch has flattened the file and both changed another line."""
    work.git("switch", "-q", "-c", "side")
    work.commit({"mixed": MIXED.replace(b"\r", b""), "c": "side\n"})
    work.git("switch", "-q", "main")
    work.commit({"c": "main\n"})
    assert work.git("merge", "-q", "side", check=False) == 1
    work.write("c", "both\n")
    work.git("add", "c")
    return work


def test_flip_is_not_ours_when_the_merged_branch_has_it(merging):
    assert staged(merging) == []


def test_flip_is_ours_when_no_parent_of_the_merge_has_it(merging):
    merging.write("lf", b"a\r\nb\r\n")
    merging.git("add", "lf")
    assert [path for path, *_ in staged(merging)] == ["lf"]


def test_other_parent_is_known_when_a_clean_merge_runs_its_hook(work):
    work.git("switch", "-q", "-c", "side")
    work.commit({"mixed": MIXED.replace(b"\r", b"")})
    work.git("switch", "-q", "main")
    work.commit({"c": "main\n"})
    hook = work.write(
        ".git/hooks/pre-merge-commit", '#!/bin/sh\nenv >"$OUT"\nexec "$PYTHON" -m gitedit endings --staged\n'
    )
    os.chmod(hook, 0o700)
    out = os.path.join(work.path, "..", "env")
    work.git("merge", "-q", "--no-edit", "side", OUT=out, PYTHON=sys.executable)
    with open(out, encoding="utf-8") as stream:
        assert "GITHEAD_" in stream.read()


# -- restoring -----------------------------------------------------------------------------------------------------


EDITED = b"zero\none\ntwo\n3\nfour\nfive\n"
RESTORED = b"zero\none\r\ntwo\n3\nfour\nfive\r\n"


def test_disk_gets_its_endings_back_and_keeps_the_edits(work):
    work.write("mixed", EDITED)
    os.chmod(os.path.join(work.path, "mixed"), 0o700)
    assert endings(EndingsRequest((), work.path, fix=True)).fixed == ("mixed",)
    assert work.read("mixed") == RESTORED
    assert os.stat(os.path.join(work.path, "mixed")).st_mode & 0o777 == 0o700
    assert found(work) == []
    assert work.git("status", "--porcelain") == b" M mixed"


def test_index_and_disk_get_them_back_when_staged(work):
    work.write("mixed", EDITED)
    work.git("add", "mixed")
    endings(EndingsRequest((), work.path, staged=True, fix=True))
    assert work.git("cat-file", "blob", ":mixed") + b"\n" == RESTORED
    assert work.read("mixed") == RESTORED


def test_unstaged_lines_stay_when_the_fix_is_replayed_on_disk(work):
    work.write("mixed", EDITED)
    work.git("add", "mixed")
    work.write("mixed", b"unstaged\n" + EDITED.replace(b"five", b"5"))
    endings(EndingsRequest((), work.path, staged=True, fix=True))
    assert work.git("cat-file", "blob", ":mixed") + b"\n" == RESTORED
    assert work.read("mixed") == b"unstaged\nzero\none\r\ntwo\n3\nfour\n5\n"


def test_index_stays_when_only_the_disk_may_be_fixed(work):
    work.write("mixed", EDITED)
    work.git("add", "mixed")
    endings(EndingsRequest((), work.path, staged=True, fix=True, disk_only=True))
    assert work.git("cat-file", "blob", ":mixed") + b"\n" == EDITED
    assert work.read("mixed") == RESTORED


def test_disk_is_left_when_git_converts_the_file(work):
    work.git("config", "core.autocrlf", "true")
    work.write("crlf", b"a\nc\r\n")
    subprocess.run(["git", "-c", "core.autocrlf=false", "add", "crlf"], cwd=work.path, env=work.env, check=True)
    work.write("crlf", b"a\r\nc\r\n")
    judged = endings(EndingsRequest((), work.path, staged=True, fix=True))
    assert judged.left == ("crlf: git converts the file on disk, which was left as it is",)
    assert work.git("cat-file", "blob", ":crlf") == b"a\r\nc\r"
