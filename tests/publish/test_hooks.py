"""Hooks as `git commit` runs them: which, in what order, with which arguments, environment and index."""

import json
import os
import shlex

import pytest

from tests.cli.command import WHOLE, run

from .applying import BATCH, EDITED, LINES, committed, gitedit, hook, index_is_fresh, noted, notes, picture, refused

STREAM = ((3, "three"), (4, "four"), (5, "never"), (6, "six"))
ALL = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")


@pytest.fixture
def work(repo):
    """A repository with one committed file."""
    repo.commit({"f": LINES, "other": b"other\n"})
    return repo


def test_nothing_runs_when_no_commit_is_made(work):
    for name in ALL:
        hook(work, name, noted(work, "ran", name))
    assert gitedit(work).status == 0
    work.git("restore", "f")
    assert gitedit(work, "--stage").status == 0
    work.git("reset", "-q", "--hard")
    assert gitedit(work, "--commit", "--dry-run").status == 0
    assert notes(work, "ran") == []


def test_nothing_runs_when_the_batch_is_refused(work):
    hook(work, "pre-commit", noted(work, "ran", "pre-commit"))
    batch = {"path": "f", "edits": [{"oldText": "nowhere", "newText": "x"}]}
    assert refused(work, batch=batch)[0] == 4
    assert notes(work, "ran") == []


def test_hooks_run_in_order_with_their_arguments_when_a_commit_is_made(work):
    for name in ALL:
        hook(work, name, noted(work, "ran", name, "$#", "${2:-none}"))
    committed(work)
    assert notes(work, "ran") == [
        *("pre-commit", "0", "none"),
        *("prepare-commit-msg", "2", "message"),
        *("commit-msg", "1", "none"),
        *("post-commit", "0", "none"),
    ]


def test_message_file_holds_the_whole_message_when_message_hooks_run(work):
    hook(work, "commit-msg", 'cat "$1" >../message')
    committed(work, "-m", "Say six")
    assert work.read("../message") == work.git("log", "-1", "--format=%B").rstrip(b"\n") + b"\n"
    assert work.read("../message").startswith(b"Say six\n\nGitedit-Record: ")


def test_environment_is_the_callers_as_git_commit_gives_it_when_a_hook_runs(work):
    shown = "env | grep -E '^(GIT_|LC_ALL=|MINE=)' | grep -v GIT_INDEX_FILE | sort >../env.$(basename $0)"
    for name in ALL:
        hook(work, name, shown)
    mine = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c", "MINE": "1"}
    dates = {"GIT_AUTHOR_DATE": "1700000000 +0100"}
    work.git("-c", "a.b=c", "commit", "-q", "--allow-empty", "-m", "x", **mine, **dates)
    expected = {name: work.read(f"../env.{name}") for name in ALL}
    committed(work, **mine, **dates, GIT_COMMITTER_DATE=f"{work.clock} +0000", GIT_ICASE_PATHSPECS="0")
    own = (b"GIT_CONFIG_PARAMETERS", b"GIT_EDITOR")
    for name in ALL:
        lines = work.read(f"../env.{name}").splitlines()
        assert b"GIT_EDITOR=:" in lines
        ignored = (*own, b"GIT_AUTHOR_DATE") if name == "post-commit" else own
        said = [line for line in lines if not line.startswith(ignored)]
        assert said == [line for line in expected[name].splitlines() if not line.startswith(ignored)], name


def test_hook_runs_at_the_top_without_input_when_started_below(work):
    os.mkdir(os.path.join(work.path, "below"))
    hook(work, "pre-commit", noted(work, "ran", '"$(pwd)"', '"$(cat)"'))
    batch = {**BATCH, "path": "../f"}
    said = gitedit(work, "--commit", "-C", "below", batch=batch)
    assert said.status == 0
    assert notes(work, "ran") == [os.path.realpath(work.path), ""]


def test_output_goes_to_standard_error_when_a_hook_prints(work):
    for name in ALL:
        hook(work, name, "echo from $(basename $0); echo err >&2")
    said = gitedit(work, "--commit", "--json")
    assert said.status == 0
    assert "from" not in said.out
    assert [line for line in said.err.splitlines() if line.startswith("from")] == [f"from {name}" for name in ALL]


def test_index_holds_exactly_the_commit_when_other_work_is_staged(work):
    work.write("other", b"staged\n")
    work.git("add", "other")
    work.write("f", LINES + b"unstaged\n")
    hook(work, "pre-commit", "git diff --cached --name-only >../names; git show :f >../f")
    hook(work, "post-commit", "git diff --cached --name-only >../later")
    committed(work)
    assert work.read("../names") == b"f\n"
    assert work.read("../f") == EDITED
    assert work.read("../later") == b"other\n"


def test_staged_and_unstaged_work_stays_when_hooks_pass(work):
    work.write("f", LINES.replace(b"line 1\n", b"staged 1\n"))
    work.git("add", "f")
    work.write("f", LINES.replace(b"line 1\n", b"staged 1\n") + b"unstaged\n")
    work.write("other", b"staged\n")
    work.git("add", "other")
    work.write("other", b"unstaged\n")
    work.write("new", b"untracked\n")
    for name in ALL:
        hook(work, name, "git status --short; git diff; git diff --cached; git update-index -q --refresh")
    committed(work)
    assert work.git("show", "HEAD:f") + b"\n" == EDITED
    assert work.git("show", ":f") + b"\n" == EDITED.replace(b"line 1\n", b"staged 1\n")
    assert work.read("f") == EDITED.replace(b"line 1\n", b"staged 1\n") + b"unstaged\n"
    assert work.git("status", "--porcelain") == b"MM f\nMM other\n?? new"
    assert (work.git("show", ":other"), work.read("other")) == (b"staged", b"unstaged\n")


def test_file_is_clean_to_git_when_hooks_have_passed(work):
    hook(work, "pre-commit", "git status; git diff")
    committed(work)
    assert index_is_fresh(work)
    assert work.git("status", "--porcelain") == b""


def test_pre_commit_and_commit_msg_are_skipped_when_told_not_to_verify(work):
    for name in ALL:
        hook(work, name, noted(work, "ran", name) + "\n[ $(basename $0) != commit-msg ]")
    committed(work, "--no-verify")
    assert notes(work, "ran") == ["prepare-commit-msg", "post-commit"]


def test_nothing_runs_when_the_hook_is_not_executable(work):
    hook(work, "pre-commit", "exit 1", mode=0o644)
    committed(work)


@pytest.mark.parametrize("where", ["relative", "absolute", "home"])
def test_hook_is_found_when_hooks_path_names_another_folder(work, where):
    folder = {"relative": "hooks.d", "absolute": f"{work.path}/hooks.d", "home": "~/hooks.d"}[where]
    real = f"{work.env['HOME']}/hooks.d" if where == "home" else f"{work.path}/hooks.d"
    hook(work, "pre-commit", noted(work, "ran", "$0"), folder=real)
    hook(work, "pre-commit", "exit 1")
    work.git("config", "core.hooksPath", folder)
    os.mkdir(os.path.join(work.path, "below"))
    said = gitedit(work, "--commit", "-C", "below", batch={**BATCH, "path": "../f"})
    assert said.status == 0, said
    assert [os.path.basename(path) for path in notes(work, "ran")] == ["pre-commit"]


def test_hooks_of_the_repository_run_when_in_a_linked_worktree(work, tmp_path):
    work.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    hook(
        work,
        "pre-commit",
        noted(work, "ran", '"$(git rev-parse --show-toplevel)"', '"$(git diff --cached --name-only)"'),
    )
    said = gitedit(work, "--commit", "-C", str(tmp_path / "linked"))
    assert said.status == 0, said
    assert notes(work, "ran") == [str(tmp_path / "linked"), "f"]
    assert work.git("show", "side:f") + b"\n" == EDITED


def test_configured_hook_runs_exactly_as_git_itself_runs_it_when_there_is_one(work):
    """Git before 2.54 ignores it, and must not be made to run it."""
    work.git("config", "hook.mine.event", "pre-commit")
    work.git("config", "hook.mine.command", noted(work, "ran", "mine"))
    work.git("commit", "-q", "--allow-empty", "-m", "x")
    by_git = notes(work, "ran")
    committed(work)
    assert notes(work, "ran") == by_git * 2


@pytest.mark.parametrize("name", ["pre-commit", "commit-msg", "post-commit"])
def test_nested_run_is_refused_when_a_hook_calls_gitedit(work, name):
    batch = shlex.quote(json.dumps({**BATCH, "path": "other"}))
    nested = f"{shlex.join(WHOLE)} apply --commit >../nested 2>&1"
    hook(work, name, f"printf '%s' {batch} | {nested}; echo $? >>../nested")
    committed(work)
    assert work.read("../nested").startswith(b"error: gitedit was called from a git hook\n"), work.read("../nested")
    assert work.read("../nested").endswith(b"\n5\n")


def test_scratch_calls_are_silent_when_there_is_a_post_index_change_hook(work):
    hook(work, "post-index-change", noted(work, "ran", '"$GIT_INDEX_FILE"', "$1", "$2"))
    hook(work, "pre-commit", "true")
    work.write("a.txt", b"a\r\n")
    work.commit({".gitattributes": b"*.txt text\n", "a.txt": b"a\r\n"})
    os.unlink(os.path.join(os.path.dirname(work.path), "ran"))
    committed(work, batch={"path": "a.txt", "edits": [{"oldText": "a", "newText": "b"}]})
    assert notes(work, "ran") == [f"{work.path}/.git/index", "1", "0"]


def test_commit_stands_with_a_warning_when_post_commit_fails(work):
    hook(work, "post-commit", "exit 3")
    document = committed(work)
    assert document["commit"] == work.oid()
    assert document["warnings"] == ["the post-commit hook exited with 3"]


def test_each_commit_has_its_hooks_and_the_first_refusal_ends_it_when_batches_are_streamed(work):
    hook(work, "pre-commit", noted(work, "ran", '"$(git diff --cached --name-only)"') + "; ! grep -q never f")
    hook(work, "post-commit", "echo >>other")
    lines = [json.dumps({"path": "f", "edits": [{"oldText": f"line {n}", "newText": w}]}) for n, w in STREAM]
    said = run(work.env, "apply", "--commit", "--stream", data="\n".join(lines).encode(), cwd=work.path)
    documents = [json.loads(line) for line in said.out.splitlines()]
    assert [document["ok"] for document in documents] == [True, True, False]
    assert (said.status, documents[2]["error"]["code"]) == (7, "hook-rejected")
    assert notes(work, "ran") == ["f"] * 3
    assert work.read("f") == LINES.replace(b"line 3", b"three").replace(b"line 4", b"four")
    assert work.git("rev-list", "--count", "HEAD") == b"3"
    assert work.git("status", "--porcelain") == b" M other"


@pytest.mark.parametrize("kind", ["sha256", "split", "v4", "untracked"])
def test_commit_is_made_beside_other_work_when_the_index_is_of_another_kind(make_repo, kind):
    repo = make_repo("kind", *(["--object-format=sha256"] if kind == "sha256" else []))
    settings = {"split": "core.splitIndex", "untracked": "core.untrackedCache"}
    if kind in settings:
        repo.git("config", settings[kind], "true")
    repo.git("config", "index.version", "4" if kind == "v4" else "2")
    repo.commit({"f": LINES, "other": b"other\n"})
    repo.write("other", b"staged\n")
    repo.git("add", "other")
    repo.git("status")
    hook(repo, "pre-commit", "git status; git diff --cached --name-only >../names")
    committed(repo)
    assert repo.read("../names") == b"f\n"
    assert repo.git("show", "HEAD:f") + b"\n" == EDITED
    assert repo.git("status", "--porcelain") == b"M  other"
    assert repo.git("fsck", "--strict", "--no-dangling") == b""


def test_hooks_run_when_an_intent_to_add_entry_is_there(work):
    work.write("new", b"new\n")
    work.git("add", "-N", "new")
    hook(work, "pre-commit", "git diff --cached --name-only >../names")
    committed(work)
    assert work.read("../names") == b"f\n"
    assert work.git("status", "--porcelain") == b" A new"


def test_run_is_refused_when_unmerged_entries_would_reach_a_hook(work):
    first = work.oid()
    work.commit({"other": b"ours\n"})
    work.git("checkout", "-q", "-b", "side", first)
    work.commit({"other": b"theirs\n"})
    work.git("checkout", "-q", "main")
    work.git("merge", "-q", "side", check=False)
    os.unlink(os.path.join(work.path, ".git", "MERGE_HEAD"))
    hook(work, "pre-commit", noted(work, "ran", "pre-commit"))
    before = picture(work)
    assert refused(work)[1]["code"] == "unmerged"
    assert picture(work) == before
    assert notes(work, "ran") == []
    committed(work, "--no-verify")
    assert work.git("ls-files", "-u").count(b"\n") == 2
