"""`--stage`, `--require-clean`, `expect`, `--dry-run`: what each flag allows, and what it leaves alone."""

import hashlib
import json
import os
import shutil
import subprocess
import sys

import pytest
from witness import EDITED, LINES, batch_for, commits, edits, gitedit, make_busy, refuses, see, stages

CRLF = LINES.replace(b"\n", b"\r\n")


@pytest.fixture
def busy(repo):
    """A repository with staged, unstaged, hidden, new and deleted files."""
    return make_busy(repo)


@pytest.fixture
def plain(repo):
    """A repository with two files."""
    repo.commit({"f": LINES, "g": LINES})
    return repo


def test_index_and_file_change_and_no_commit_is_made_when_staging(busy):
    said = stages(busy)
    assert (said.facts["commit"], said.facts["ref"], said.facts["recordId"]) == (None, None, None)
    assert b"+LINE five\n" in busy.git("diff", "--cached", "f")
    assert b"LINE five" not in busy.git("diff", "f")


def test_several_files_are_staged_or_none_when_staging(plain):
    batch = [batch_for("f"), batch_for("g", b"line 99")]
    refuses(plain, "not-found", batch, "--stage")
    assert gitedit(plain, [batch_for("f"), batch_for("g")], "--stage").status == 0
    assert plain.git("status", "--porcelain") == b"M  f\nM  g"


def test_file_is_clean_to_git_when_it_was_staged_clean(plain):
    stages(plain)
    assert plain.git("diff-files", "--quiet", check=False) == 0


def test_stage_is_refused_when_the_lines_are_not_in_the_index(plain):
    plain.write("f", LINES.replace(b"line 05", b"line 05 mine"))
    said = refuses(plain, "uncommitted-lines", batch_for("f", b"line 05 mine", b"5"), "--stage")
    assert "the index" in said.facts["error"]["message"]
    plain.git("add", "f")
    assert gitedit(plain, batch_for("f", b"line 05 mine", b"5"), "--stage").status == 0
    refuses(plain, "uncommitted-lines", batch_for("f", b"\n5\n", b"\n6\n"))


def test_hint_says_so_when_the_batch_is_on_disk_already(plain):
    plain.write("f", EDITED)
    said = refuses(plain, "not-found")
    assert said.facts["error"]["hint"].startswith("already on disk")


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
@pytest.mark.parametrize("state", ["staged", "unstaged", "both", "mode", "chmod"])
def test_dirty_file_is_refused_when_it_must_be_clean(plain, state, flag):
    if state in {"staged", "both"}:
        plain.write("f", LINES + b"staged\n")
        plain.git("add", "f")
    if state in {"unstaged", "both"}:
        plain.write("f", plain.read("f") + b"unstaged\n")
    if state == "mode":
        plain.git("update-index", "--chmod=+x", "f")
    if state == "chmod":
        os.chmod(os.path.join(plain.path, "f"), 0o700)
    refuses(plain, "dirty", None, flag, "--require-clean")
    assert gitedit(plain, batch_for("g"), flag, "--require-clean").status == 0


def test_clean_file_is_edited_when_it_must_be_clean(plain):
    plain.git("config", "core.autocrlf", "true")
    plain.write("g", CRLF)
    os.utime(os.path.join(plain.path, "f"), (1, 1))
    commits(plain, "f", "--require-clean", clean=True)
    assert gitedit(plain, batch_for("g"), "--commit", "--require-clean").status == 0
    assert plain.read("g") == CRLF.replace(b"line 05", b"LINE five")
    assert plain.git("cat-file", "-p", "HEAD:g") + b"\n" == EDITED


def test_untracked_file_is_refused_when_it_must_be_clean(plain):
    plain.write("new", LINES)
    refuses(plain, "dirty", batch_for("new"), "--exact", "--require-clean")
    refuses(plain, "not-committed", batch_for("new"), "--commit", "--require-clean")


def test_executable_bit_does_not_count_when_the_file_system_has_none(plain):
    plain.git("config", "core.fileMode", "false")
    os.chmod(os.path.join(plain.path, "f"), 0o700)
    assert gitedit(plain, batch_for("f"), "--commit", "--require-clean").status == 0
    assert plain.git("diff-files", "--quiet", check=False) == 0


def blob(content, algorithm="sha1"):
    return hashlib.new(algorithm, b"blob %d\0" % len(content) + content).hexdigest()


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
@pytest.mark.parametrize("expect", [digest(LINES), digest(LINES).replace("a", "A"), blob(LINES), blob(LINES).upper()])
def test_file_is_edited_when_it_is_the_version_expected(plain, flag, expect):
    assert gitedit(plain, batch_for("f", expect=expect), flag).status == 0
    assert plain.read("f") == EDITED


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_file_is_stale_when_it_is_another_version(plain, flag):
    for expect in (digest(LINES + b"x"), blob(LINES + b"x"), blob(LINES, "sha256")):
        said = refuses(plain, "stale", batch_for("f", expect=expect), flag)
        assert said.status == 6


@pytest.mark.parametrize("expect", ["", "HEAD", "sha256:", "sha256:12", "sha1:" + blob(LINES), blob(LINES)[:12], 7])
def test_batch_is_bad_when_no_version_has_that_form(plain, expect):
    refuses(plain, "bad-batch", batch_for("f", expect=expect))


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_version_is_head_s_or_the_disk_s_when_the_file_is_dirty(plain, flag):
    mine = LINES + b"mine\n"
    for expect in (blob(LINES), blob(mine), digest(mine)):
        plain.write("f", mine)
        assert gitedit(plain, batch_for("f", expect=expect), flag).status == 0
        plain.git("reset", "-q", "--hard", "main" if flag != "--commit" else "HEAD^")
    plain.write("f", mine)
    refuses(plain, "stale", batch_for("f", expect=digest(LINES)), flag)


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
@pytest.mark.parametrize("setting", ["core.autocrlf", "attribute"])
def test_version_is_what_git_would_store_when_line_endings_are_converted(plain, flag, setting):
    if setting == "attribute":
        plain.commit({".gitattributes": "* text=auto eol=crlf\n"})
    else:
        plain.git("config", "core.autocrlf", "true")
    mine = CRLF + b"mine\r\n"
    plain.write("f", mine)
    for expect in (blob(mine.replace(b"\r\n", b"\n")), blob(mine), digest(mine)):
        plain.write("f", mine)
        said = gitedit(plain, batch_for("f", expect=expect), flag, "--dry-run")
        assert said.status == 0, said
    refuses(plain, "stale", batch_for("f", expect=digest(mine.replace(b"\r\n", b"\n"))), flag)


def test_version_is_what_git_would_store_when_git_does_not_track_the_file(plain):
    plain.git("config", "core.autocrlf", "true")
    plain.write("new", CRLF)
    refuses(plain, "stale", batch_for("new", expect=blob(EDITED)), "--exact")
    edits(plain, "new", batch=batch_for("new", expect=blob(LINES)))


def test_version_is_told_without_the_filter_when_there_is_one(plain):
    plain.commit({".gitattributes": "f filter=x\n"})
    refuses(plain, "stale", batch_for("f", expect=blob(EDITED)), "--exact")
    edits(plain, "f", batch=batch_for("f", expect=blob(LINES)))


def test_no_file_is_edited_when_one_of_them_is_stale(plain):
    refuses(plain, "stale", [batch_for("f"), batch_for("g", expect=digest(b""))])


def test_first_commit_need_not_be_there_when_a_version_is_expected(repo):
    repo.write("f", LINES)
    refuses(repo, "stale", batch_for("f", expect=blob(b"")), "--exact")
    edits(repo, "f", batch=batch_for("f", expect=blob(LINES)))


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_nothing_is_written_when_it_is_a_dry_run(busy, flag, tmp_path):
    busy.git("config", "core.autocrlf", "input")
    (tmp_path / "scratch").mkdir()
    before, times = see(busy), _times(busy)
    said = gitedit(busy, batch_for("f"), flag, "--dry-run", TMPDIR=str(tmp_path / "scratch"))
    assert (said.status, said.facts["dryRun"], said.facts["commit"]) == (0, True, None)
    assert see(busy) == before
    assert _times(busy) == times
    assert not os.path.exists(os.path.join(busy.path, ".git/gitedit"))
    assert os.listdir(tmp_path / "scratch") == []


def _times(repo):
    """Return every inode and change time below the top: what was written and put back would show."""
    found = {}
    for folder, _, names in os.walk(repo.path):
        for path in [folder, *(os.path.join(folder, name) for name in names)]:
            facts = os.lstat(path)
            found[path] = (facts.st_ino, facts.st_ctime_ns)
    return found


# To root nothing is read-only until it gives up this capability.
UNPRIVILEGED = [] if os.getuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


@pytest.mark.skipif(bool(UNPRIVILEGED) and shutil.which("setpriv") is None, reason="root without setpriv")
@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_dry_run_tells_the_same_when_everything_is_read_only(busy, flag):
    before = see(busy)
    argv = [*UNPRIVILEGED, sys.executable, "-m", "gitedit", "apply", "--json", flag]
    subprocess.run(["chmod", "-R", "a-w", busy.path], check=True)
    try:
        refused, told = (
            subprocess.run(
                [*argv, *more],
                check=False,
                cwd=busy.path,
                env=busy.env,
                input=json.dumps(batch_for("f")).encode(),
                capture_output=True,
            )
            for more in ([], ["--dry-run"])
        )
    finally:
        subprocess.run(["chmod", "-R", "u+w", busy.path], check=True)
    assert (told.returncode, json.loads(told.stdout)["dryRun"]) == (0, True)
    assert (refused.returncode, json.loads(refused.stdout)["error"]["code"]) == (74, "io-error")
    after = see(busy)
    assert (after.git_dirs, after.entries, after.diff) == (before.git_dirs, before.entries, before.diff)
