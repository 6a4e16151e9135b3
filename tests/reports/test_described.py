"""The reported faults that are described in words: each played by hand with the real command."""

import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from gitedit.commands.audit import AuditRequest, audit

from .judge import COMMAND, build, cases

CASES = {case["id"]: case for case in cases(auto=False)}
OTHER = {"path": "a.txt", "edits": [{"oldText": "1", "newText": "2"}]}


@pytest.fixture
def built(request, tmp_path, environment, monkeypatch):
    """Return the repository of the case that the test's name begins with."""
    env = {name: value for name, value in environment.items() if not name.endswith(("_NAME", "_EMAIL"))}
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    return build(case_of(request), tmp_path, env)


@pytest.fixture
def batch(request):
    """Return the case's batch as JSON."""
    return json.dumps(case_of(request)["batch"]).encode()


def case_of(request):
    return CASES[re.match(r"test_(b\d+)_", request.node.name)[1].upper()]


def commit(built, batch, *flags, **more):
    done = built.run("apply", "--commit", "--json", *flags, data=batch, **more)
    assert done.returncode == 0, done.stdout
    return json.loads(done.stdout)


def numstat(built):
    return built.git("-c", "color.ui=false", "show", "--no-ext-diff", "--numstat", "--format=", "HEAD").strip()


def refused(built, batch, code, *flags, **more):
    before = built.state()
    done = built.run("apply", "--commit", "--json", *flags, data=batch, **more)
    assert json.loads(done.stdout)["error"]["code"] == code
    assert built.state() == before


def test_b098_commit_lands_on_the_worktree_s_branch_when_it_is_linked(built, batch):
    main = built.git("rev-parse", "main")
    facts = commit(built, batch)
    assert (facts["ref"], facts["commit"]) == ("refs/heads/topic", built.git("rev-parse", "topic").decode().strip())
    assert (numstat(built), built.git("rev-parse", "main")) == (b"1\t1\ta.txt", main)
    assert built.git("-C", "../main", "status", "--porcelain") == b""
    with open(built.path("../main/a.txt"), "rb") as stream:
        assert stream.read() == b"one\n"
    assert os.path.isfile(built.path(".git"))


def test_b106_no_edit_is_lost_when_two_processes_race(built):
    base = built.git("rev-parse", "HEAD").decode().strip()
    batches = [
        json.dumps({"path": "n.md", "edits": [{"oldText": w, "newText": w.upper()}]}) for w in ("alpha", "gamma")
    ]
    argv = [*COMMAND, "apply", "--commit", "--json", "-"]

    def run(data):
        done = subprocess.run(
            argv, check=False, cwd=built.cwd, env=built.env, input=data.encode(), capture_output=True, timeout=60
        )
        return done.returncode

    for _ in range(4):
        with ThreadPoolExecutor() as pool:
            ended = list(pool.map(run, batches))
        assert set(ended) <= {0, 6}
        wanted = b"".join(
            (word.upper() if status == 0 else word) + b"\n"
            for word, status in ((b"alpha", ended[0]), (b"beta", 6), (b"gamma", ended[1]))
        )
        with open(built.path("n.md"), "rb") as stream:
            assert stream.read() == wanted
        assert built.git("cat-file", "-p", "HEAD:n.md") == wanted
        stats = built.git("log", "--numstat", "--format=", f"{base}..HEAD").split(b"\n")
        assert [row for row in stats if row] == [b"1\t1\tn.md"] * ended.count(0)
        assert built.git("status", "--porcelain") == b""
        built.git("reset", "-q", "--hard", base)


def test_b107_commit_lands_here_when_git_dir_names_another(built, batch):
    facts = commit(built, batch, GIT_DIR=built.path("../other/.git"))
    assert any("GIT_DIR" in warning for warning in facts["warnings"])
    assert (numstat(built), built.git("rev-list", "--count", "HEAD").strip()) == (b"1\t1\ta.txt", b"2")
    assert built.git("-C", "../other", "rev-list", "--count", "HEAD").strip() == b"1"
    assert built.git("-C", "../other", "status", "--porcelain") == b""


def test_b107_commit_lands_here_when_other_variables_name_another(built, batch):
    other = built.path("../other")
    variables = {
        "GIT_WORK_TREE": other,
        "GIT_COMMON_DIR": other + "/.git",
        "GIT_OBJECT_DIRECTORY": other + "/.git/objects",
    }
    commit(built, batch, **variables)
    assert numstat(built) == b"1\t1\ta.txt"
    assert len(built.git("-C", "../other", "count-objects", "-v").split(b"\n", 1)[0]) == len("count: 2")


def test_b108_whole_tree_stays_when_an_index_file_is_inherited(built, batch):
    commit(built, batch, GIT_INDEX_FILE=".git/other-index")
    assert numstat(built) == b"1\t1\ta.txt"
    assert built.git("ls-tree", "-r", "--name-only", "HEAD").split() == [b"a.txt", b"b.txt", b"c.txt"]
    assert built.git("status", "--porcelain") == b""
    assert not os.path.exists(built.path(".git/other-index"))


def test_b128_path_is_relative_to_the_folder_when_run_below_the_top(built, batch):
    facts = commit(built, batch)
    assert facts["files"][0]["path"] == "sub/a.txt"
    assert built.git("show", "--numstat", "--no-relative", "--format=", "HEAD").strip() == b"1\t1\tsub/a.txt"
    with open(built.path("../a.txt"), "rb") as stream:
        assert stream.read() == b"top\n"


@pytest.mark.parametrize("path", ["../outside.txt", "{}", "x/../../outside.txt", "../outside.txt\0", "a.txt\0"])
def test_b129_file_outside_stays_when_the_path_leads_there(built, path):
    outside = built.path("../outside.txt")
    batch = {"path": path.format(outside), "edits": [{"oldText": "one", "newText": "1"}]}
    refused(built, json.dumps(batch).encode(), "path-outside")
    with open(outside, "rb") as stream:
        assert stream.read() == b"one\n"


ALIASES = [".g\u200cit", "git~1", ".git.", ".git ", ".git::$INDEX_ALLOCATION", ".GIT", "GIT~1", ".git\u2060"]


@pytest.mark.parametrize("alias", ALIASES[:-1])
def test_b134_git_dir_stays_when_it_is_named_by_an_alias(built, alias):
    for name in ("config", "hooks/pre-commit"):
        batch = {"path": f"{alias}/{name}", "edits": [{"oldText": "[core]", "newText": "[x]"}]}
        refused(built, json.dumps(batch).encode(), "git-dir")


def test_b134_folder_is_no_git_dir_when_the_code_point_is_not_ignorable(built):
    # U+2060 stands in no list of git's: HFS+ keeps it.
    batch = {"path": f"{ALIASES[-1]}/config", "edits": [{"oldText": "[core]", "newText": "[x]"}]}
    refused(built, json.dumps(batch).encode(), "missing-file")


def test_b144_files_are_left_alone_when_the_hook_gets_some_that_are_no_batches(built):
    before = built.state()
    done = built.run("check", "--staged", ".git/COMMIT_EDITMSG", "a.txt", "missing.json")
    assert (done.returncode, done.stdout) == (0, b"")
    assert built.run("hook", "pre-commit").returncode == 0
    assert built.run("hook", "commit-msg", ".git/COMMIT_EDITMSG").returncode == 0
    with open(built.path(".git/COMMIT_EDITMSG"), "rb") as stream:
        assert stream.read() == b"msg\r\n"
    assert built.state() == before


def test_b144_file_is_judged_when_it_is_named_and_lies_outside(built, tmp_path):
    (tmp_path / "batch.json").write_bytes(b'{"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}')
    (tmp_path / "note.txt").write_bytes(b"msg\r\n")
    assert built.run("check", str(tmp_path / "batch.json")).returncode == 0
    for name in (str(tmp_path / "note.txt"), ".git/COMMIT_EDITMSG"):
        done = built.run("check", "--json", name)
        assert (done.returncode, b"bad-batch" in done.stdout) == (1, True)


def test_b149_batch_is_judged_when_the_hook_s_git_dir_is_relative(built):
    index = os.stat(built.path(".git/index")).st_mtime_ns
    for variables in ({"GIT_DIR": ".git"}, {"GIT_DIR": ".git", "GIT_INDEX_FILE": ".git/index"}):
        done = built.run("check", "--json", "batch.json", cwd="sub", **variables)
        assert (done.returncode, json.loads(done.stdout)["ok"]) == (0, True), done.stdout
    assert os.stat(built.path(".git/index")).st_mtime_ns == index
    assert built.git("status", "--porcelain") == b""


def test_b155_trailers_are_found_when_the_separator_is_another(built, batch):
    commit(built, batch, "-m", "subject\n\nbody\n\nReviewed-by: T <t@example.invalid>", "--agent", "a:b")
    text = built.git("log", "-1", "--format=%B")
    assert text.count(b"\nGitedit-Record: ") == text.count(b"\nAssisted-by: a:b\n") == 1
    assert audit(AuditRequest(built.cwd)).commits[0].status == "verified"
    plain = ("-c", "trailer.separators=:", "log", "-1", "--format=%(trailers:key=Gitedit-Record,valueonly)")
    assert built.git(*plain).strip() != b""


def test_b157_own_keys_have_one_value_when_the_message_copies_them(built, batch):
    commit(built, batch, "-m", "first")
    copied = built.git("log", "-1", "--format=%B").decode()
    commit(built, json.dumps(OTHER).encode(), "-m", copied)
    message = built.git("log", "-1", "--format=%B")
    assert (message.count(b"\nGitedit-Record: "), message.count(b"\n| Gitedit-Record: ")) == (1, 1)
    assert built.git("log", "-1", "--format=%(trailers:key=Gitedit-Record)").count(b"Gitedit-Record: ") == 1
    assert audit(AuditRequest(built.cwd)).summary["verified"] == 2


def test_b159_only_the_real_trailer_counts_when_others_are_quoted(built):
    commit(built, json.dumps({"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}).encode())
    record = built.git("log", "-1", "--format=%b").decode().strip()
    quoted = "\n".join("> " + line for line in record.split("\n"))
    for text in (f"docs\n\n```\n{record}\n```\n\nEnd of text.\n", f'Revert "x"\n\nIt said:\n\n{quoted}\n'):
        built.git("commit", "-q", "--allow-empty", "-m", text)
    report = audit(AuditRequest(built.cwd, every_commit=True))
    carrying = [one for one in report.commits if any(row.position == "trailer" for row in one.records)]
    assert [one.subject for one in carrying] == [built.git("log", "-1", "--format=%s", "HEAD~2").decode().strip()]
    assert [one.status for one in report.commits].count("verified") == 1


def test_b162_record_is_found_when_the_branch_was_rebased(built):
    edit = {"path": "a.txt", "edits": [{"oldText": "1", "newText": "2"}]}
    commit(built, json.dumps(edit).encode())
    before = built.git("rev-parse", "HEAD")
    built.git("checkout", "-q", "main")
    with open(built.path("c.txt"), "wb") as stream:
        stream.write(b"c\n")
    built.git("add", "c.txt")
    built.git("commit", "-q", "-m", "c")
    built.git("checkout", "-q", "topic")
    built.git("rebase", "-q", "main")
    (found,) = audit(AuditRequest(built.cwd, ("main..topic",))).commits
    assert (found.status, found.commit) == ("verified", built.git("rev-parse", "HEAD").decode().strip())
    assert built.git("rev-parse", "HEAD") != before
    assert built.git("for-each-ref", "refs/notes") == b""


def test_b165_boundary_is_named_when_the_clone_is_shallow(built):
    report = audit(AuditRequest(built.cwd))
    head = built.git("rev-parse", "HEAD").decode().strip()
    assert report.boundary == (head,)
    for name, value in (("user.name", "T"), ("user.email", "t@example.invalid")):
        built.git("config", name, value)
    commit(built, json.dumps({"path": "a.txt", "edits": [{"oldText": "one", "newText": "1"}]}).encode())
    report = audit(AuditRequest(built.cwd))
    assert (report.boundary, report.summary["verified"]) == ((head,), 1)


def test_b172_commit_is_verified_when_settings_bend_every_diff(built, batch):
    commit(built, batch, GIT_EXTERNAL_DIFF="/bin/false", GIT_PAGER="less", GIT_DIFF_OPTS="-u9")
    assert numstat(built) == b"1\t1\ta.txt"


def test_b174_batch_is_read_from_the_hook_s_index_when_that_is_another(built):
    before = built.state()
    done = built.run("check", "--staged", "--json", "batch.json", GIT_INDEX_FILE=".git/next-index")
    assert done.returncode == 1
    assert b"no-edits" in done.stdout
    assert built.state() == before


def test_b189_nothing_is_written_when_it_is_a_dry_run_on_a_read_only_git_dir(built, batch):
    def everything():
        found = {}
        for folder, _, names in os.walk(built.path()):
            for path in [folder, *(os.path.join(folder, name) for name in names)]:
                facts = os.stat(path)
                found[path] = (facts.st_mode, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_ino)
        return found

    subprocess.run(["chmod", "-R", "a-w", built.path(".git")], check=True)
    before = everything()
    for flags in ([], ["--commit"], ["--stage"]):
        done = built.run("apply", "--dry-run", "--json", *flags, data=batch)
        assert done.returncode == 0, done.stdout
        (file,) = json.loads(done.stdout)["files"]
        assert file["edits"] == [{"matchedVia": "exact", "startLine": 1, "endLine": 1}]
    assert everything() == before
    subprocess.run(["chmod", "-R", "u+w", built.path(".git")], check=True)


def test_b194_one_commit_holds_5000_lines_when_they_are_one_batch(built):
    edits = [{"oldText": f"k{n:05d}=0", "newText": f"k{n:05d}=1"} for n in range(1, 5001)]
    facts = commit(built, json.dumps({"path": "m.txt", "edits": edits}).encode(), seconds=20)
    assert len(facts["files"][0]["edits"]) == 5000
    assert numstat(built) == b"5000\t5000\tm.txt"
