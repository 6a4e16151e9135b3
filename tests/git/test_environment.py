"""What a process inherits and finds installed: variables, configuration, git itself, owners, identities."""

import os
import subprocess

import pytest
from witness import LINES, at, batch_for, commits, edits, gitedit, make_busy, refuses, script, see, stages

from gitedit.git.process import LOCAL_VARIABLES

ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root may give a repository to somebody else")


@pytest.fixture
def busy(repo):
    """A repository with staged, unstaged, hidden, new and deleted files."""
    return make_busy(repo)


@pytest.fixture
def other(make_repo):
    """Another repository, which inherited variables name."""
    other = make_repo("other")
    other.commit({"f": LINES, "other": LINES})
    return other


def test_list_is_git_s_own_when_git_is_asked(repo):
    listed = set(repo.git("rev-parse", "--local-env-vars").decode().split())
    carried = {"GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}
    # GIT_INTERNAL_SUPER_PREFIX went with 2.40: dropping it does no harm.
    assert listed - carried <= LOCAL_VARIABLES <= (listed - carried) | {"GIT_INTERNAL_SUPER_PREFIX"}


def test_commit_lands_here_when_every_variable_names_another_repository(busy, other):
    git_dir = os.path.join(other.path, ".git")
    before = see(other)
    said = commits(
        busy,
        GIT_DIR=git_dir,
        GIT_WORK_TREE=other.path,
        GIT_COMMON_DIR=git_dir,
        GIT_INDEX_FILE=git_dir + "/index",
        GIT_OBJECT_DIRECTORY=git_dir + "/objects",
        GIT_ALTERNATE_OBJECT_DIRECTORIES=git_dir + "/objects",
        GIT_CONFIG=git_dir + "/config",
        GIT_GRAFT_FILE=git_dir + "/info/exclude",
        GIT_SHALLOW_FILE=git_dir + "/HEAD",
        GIT_REPLACE_REF_BASE="refs/heads/",
        GIT_PREFIX="d/",
        GIT_IMPLICIT_WORK_TREE="0",
        GIT_INTERNAL_SUPER_PREFIX="x/",
    )
    assert [warning for warning in said.facts["warnings"] if git_dir in warning]
    assert see(other) == before


def test_nothing_is_said_when_git_dir_names_this_repository(busy):
    assert commits(busy, GIT_DIR=os.path.join(busy.path, ".git")).facts["warnings"] == []
    assert edits(busy, "d/g", "-C", "d", batch=batch_for("g"), GIT_DIR="../.git").facts["warnings"] == []


def test_commit_is_the_same_when_variables_bend_what_git_does(busy, tmp_path):
    said = commits(
        busy,
        GIT_GLOB_PATHSPECS="1",
        GIT_NOGLOB_PATHSPECS="1",
        GIT_ICASE_PATHSPECS="1",
        GIT_LITERAL_PATHSPECS="0",
        GIT_EXTERNAL_DIFF="/bin/false",
        GIT_DIFF_OPTS="--unified=9",
        GIT_PAGER="false",
        GIT_TRACE="1",
        GIT_TRACE2="1",
        GIT_TRACE_SETUP="2",
        GIT_TRACE_PACKET=str(tmp_path / "trace"),
        GIT_DEFAULT_HASH="sha256",
        GIT_ATTR_NOSYSTEM="0",
        GIT_FLUSH="0",
        GIT_OPTIONAL_LOCKS="1",
        GIT_MERGE_VERBOSITY="5",
        GIT_CEILING_DIRECTORIES=str(tmp_path),
        GIT_NAMESPACE="space",
        GIT_ADVICE="1",
        LC_ALL="POSIX",
        LANGUAGE="de",
        GREP_OPTIONS="-v",
        CDPATH="/",
    )
    assert said.facts["warnings"] == []


def test_configuration_counts_when_it_is_inherited(busy):
    variables = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "gitedit.agent", "GIT_CONFIG_VALUE_0": "A:counted"}
    commits(busy, **variables)
    assert b"Assisted-by: A:counted" in busy.git("log", "-1", "--format=%B")
    commits(busy, "d/g", GIT_CONFIG_PARAMETERS="'gitedit.agent'='A:passed'")
    assert b"Assisted-by: A:passed" in busy.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("flag", ["--commit", "--stage"])
def test_index_is_left_alone_when_inside_a_hook(busy, flag):
    variables = {"GIT_INDEX_FILE": ".git/index", "GIT_EXEC_PATH": busy.git("--exec-path").decode()}
    refuses(busy, "inside-hook", None, flag, **variables)
    edits(busy, **variables)


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"])
def test_person_s_commit_is_whole_when_its_hook_calls_gitedit(repo, name):
    repo.commit({"f": LINES, "g": LINES})
    batch = repo.write(".git/batch.json", '{"path": "f", "edits": [{"oldText": "line 05", "newText": "5"}]}')
    script(repo, f".git/hooks/{name}", f"gitedit apply --commit {batch} 2>.git/said\necho $? >>.git/said\n")
    repo.commit({"g": LINES + b"x\n"})
    assert repo.read(".git/said").endswith(b"\n5\n")
    assert b"git hook" in repo.read(".git/said")
    assert repo.git("show", "--name-only", "--format=") == b"g"
    assert repo.read("f") == LINES


HOSTILE = {
    "apply.whitespace": "fix",
    "color.ui": "always",
    "commit.cleanup": "strip",
    "commit.template": "/nowhere",
    "commit.status": "false",
    "core.abbrev": "4",
    "core.attributesFile": "/nowhere",
    "core.bigFileThreshold": "1",
    "core.checkStat": "minimal",
    "core.commentChar": "L",
    "core.compression": "0",
    "core.editor": "false",
    "core.excludesFile": "/nowhere",
    "core.fileMode": "false",
    "core.logAllRefUpdates": "false",
    "core.pager": "false",
    "core.preloadIndex": "false",
    "core.quotePath": "true",
    "core.trustctime": "false",
    "core.whitespace": "cr-at-eol,tab-in-indent",
    "diff.algorithm": "patience",
    "diff.context": "9",
    "diff.external": "false",
    "diff.ignoreSubmodules": "all",
    "diff.interHunkContext": "9",
    "diff.mnemonicPrefix": "true",
    "diff.noprefix": "true",
    "diff.orderFile": "/dev/null",
    "diff.relative": "true",
    "diff.renames": "copies",
    "diff.suppressBlankEmpty": "true",
    "diff.wsErrorHighlight": "all",
    "extensions.worktreeConfig": "true",
    "gc.auto": "1",
    "i18n.commitEncoding": "ISO-8859-1",
    "i18n.logOutputEncoding": "UTF-16",
    "index.threads": "9",
    "log.showSignature": "true",
    "merge.renames": "true",
    "pack.window": "0",
    "receive.fsckObjects": "true",
    "status.showUntrackedFiles": "no",
    "transfer.fsckObjects": "true",
    "trailer.separators": "=",
    "trailer.ifexists": "replace",
}


def test_commit_is_the_same_when_every_setting_is_another(busy, tmp_path):
    with open(tmp_path / "home/config", "w", encoding="utf-8") as stream:
        for key, value in HOSTILE.items():
            section, _, name = key.partition(".")
            stream.write(f'[{section}]\n\t{name} = "{value}"\n')
    said = gitedit(
        busy, batch_for("f"), "--commit", "-m", "L\u00e4uft", GIT_CONFIG_GLOBAL=str(tmp_path / "home/config")
    )
    assert said.status == 0, said
    assert busy.git("show", "--numstat", "--format=%s") == "L\u00e4uft\n\n1\t1\tf".encode()
    assert busy.git("fsck", "--strict", "--no-dangling") == b""


def test_commit_is_made_when_a_replacement_stands_for_head(busy):
    busy.git("replace", busy.oid(), busy.git("commit-tree", "-m", "other", busy.oid("HEAD^{tree}")).decode())
    parent = busy.oid()
    assert gitedit(busy, batch_for("f"), "--commit").status == 0
    raw = busy.git("cat-file", "-p", "HEAD", GIT_NO_REPLACE_OBJECTS="1")
    assert f"parent {parent}\n".encode() in raw


def test_commit_is_refused_when_git_knows_nobody(busy):
    busy.env = {name: value for name, value in busy.env.items() if not name.endswith(("_NAME", "_EMAIL"))}
    busy.git("config", "user.useConfigOnly", "true")
    refuses(busy, "no-identity", stored=True)
    script(busy, ".git/hooks/pre-commit", "touch ran\n")
    refuses(busy, "no-identity", stored=True)
    edits(busy)
    stages(busy, "d/g")


@ROOT
def test_repository_is_refused_when_somebody_else_owns_it(busy):
    subprocess.run(["chown", "-R", "12345", busy.path], check=True)
    for flag in ("--commit", "--exact"):
        said = gitedit(busy, batch_for("f"), flag)
        assert (said.code, said.status) == ("not-a-repository", 5)
        assert "dubious ownership" in said.facts["error"]["hint"]
    assert not os.path.exists(os.path.join(busy.path, ".git/gitedit"))


@pytest.mark.parametrize("flag", ["--commit", "--stage", "--exact"])
def test_repository_is_refused_when_it_is_bare(make_repo, flag):
    bare = make_repo("bare", "--bare")
    assert gitedit(bare, batch_for("f"), flag).code == "bare-repository"
    assert "gitedit" not in os.listdir(bare.path)


def test_repository_is_refused_when_run_inside_its_git_dir(busy):
    for cwd in (".git", ".git/refs"):
        refuses(busy, "bare-repository", batch_for("../f"), cwd=cwd)


def test_directory_is_refused_when_it_is_in_no_repository(repo, tmp_path):
    for cwd in (tmp_path, "/"):
        assert gitedit(repo, batch_for("f"), "--commit", cwd=str(cwd)).code == "not-a-repository"
    assert gitedit(repo, batch_for("f"), "-C", "nowhere").code == "not-a-repository"
    repo.write("f", LINES)
    assert gitedit(repo, batch_for("f"), "-C", "f").code == "not-a-repository"


@pytest.mark.parametrize("content", [b"gitdir: nowhere\n", b"", b"nonsense"])
def test_directory_is_refused_when_its_git_file_leads_nowhere(repo, content):
    inner = at(repo, "inner")
    inner.write("f", LINES)
    inner.write(".git", content)
    assert gitedit(inner, batch_for("f"), "--commit").code == "not-a-repository"
    repo.commit({"g": LINES})
    assert gitedit(repo, batch_for("inner/f")).code == "submodule"


def test_git_is_missing_when_path_does_not_lead_to_it(busy, tmp_path):
    (tmp_path / "empty").mkdir()
    before = see(busy)
    said = gitedit(busy, batch_for("f"), "--commit", PATH=str(tmp_path / "empty"))
    assert (said.code, said.status) == ("git-missing", 5)
    assert see(busy) == before


# What these versions do with a question that is too new for them: `rev-parse` before 2.31 echoes it, and goes on.
OLD_GIT = {
    "2.30.2": "rev-parse*) echo --path-format=absolute;; *--batch-command*) exit 129;;",
    "2.35.8.windows.1": "*--batch-command*) exit 129;;",
    "2.20.1": "-c*|rev-parse*) exit 129;;",
    "1.8.3.1": "*) echo 'unknown option' >&2; exit 129;;",
}


@pytest.mark.parametrize("version", OLD_GIT)
def test_git_is_refused_when_it_is_too_old(busy, tmp_path, version):
    git = subprocess.run(["which", "git"], check=True, capture_output=True, text=True).stdout.strip()
    fake = at(busy, tmp_path / "bin")
    script(
        fake,
        "git",
        f'case $* in version) echo git version {version}; exit;; {OLD_GIT[version]} esac\nexec {git} "$@"\n',
    )
    before = see(busy)
    said = gitedit(busy, batch_for("f"), "--commit", PATH=f"{fake.path}:{busy.env['PATH']}")
    assert (said.code, said.status) == ("git-too-old", 5), said
    assert version.split(".windows")[0] in said.facts["error"]["message"]
    assert see(busy) == before
