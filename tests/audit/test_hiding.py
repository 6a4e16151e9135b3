"""Content that git's own log does not show is seen all the same; and no message, encoding or object is a traceback."""

import os
import sys
import time

import pytest

from gitedit.edits.model import Region
from gitedit.errors import EditError
from gitedit.git import process
from gitedit.record.compose import make_record
from gitedit.record.digests import delta
from gitedit.record.message import render
from gitedit.record.model import ChangedFile
from tests.audit.recorded import audited, edit, environ, head, line, message, text

EXTRA = ("modified", None, ["extra-path"])


@pytest.fixture
def work(repo):
    repo.commit({"a": text(), "d/b": text()})
    edit(repo, "a", (line(10), "ten\n"))
    return repo


def slip_in(repo, *args):
    """Add what is staged to the recorded commit."""
    repo.git("commit", "-q", "--amend", "--no-edit", *args)


def test_submodule_bump_is_seen_under_ignore_all(work):
    link = work.oid()
    work.write(".gitmodules", '[submodule "s"]\n\tpath = s\n\turl = ./s\n\tignore = all\n')
    work.git("reset", "-q", "--hard", "HEAD~1")
    work.write(".gitmodules", '[submodule "s"]\n\tpath = s\n\turl = ./s\n\tignore = all\n')
    work.git("add", ".gitmodules")
    work.git("update-index", "--add", "--cacheinfo", f"160000,{link},s")
    work.git("commit", "-q", "-m", "submodule")
    edit(work, "a", (line(10), "ten\n"))
    assert head(work) == ("verified", "exact", [])
    work.git("update-index", "--cacheinfo", f"160000,{work.oid()},s")
    slip_in(work)
    assert b"\ts" not in work.git("log", "-1", "--raw")
    assert head(work) == EXTRA


@pytest.mark.parametrize(
    "setting",
    [("diff.relative", "true"), ("diff.ignoreSubmodules", "all"), ("diff.noprefix", "true"), ("log.showRoot", "false"),
     ("diff.orderFile", "order"), ("diff.renames", "copies"), ("core.quotePath", "false"), ("diff.external", "false")],
)  # fmt: skip
def test_extra_file_is_seen_whatever_the_configuration(work, setting):
    work.write("c", "c\n")
    work.git("add", "c")
    slip_in(work)
    work.git("config", *setting)
    work.path = os.path.join(work.path, "d")
    assert head(work) == EXTRA


def test_root_commit_is_judged_by_its_whole_tree(work):
    body = message(work)
    work.git("checkout", "-q", "--orphan", "new")
    work.git("config", "log.showRoot", "false")
    work.commit(None, body)
    [report] = audited(work, "HEAD").commits
    assert (report.status, sorted(finding.reason for finding in report.findings)) == (
        "modified",
        ["extra-path", "mode"],
    )


def test_grafts_do_not_hide_a_parent(work):
    work.write("c", "c\n")
    work.git("add", "c")
    slip_in(work)
    fake = work.git("commit-tree", "-m", "fake", "-p", "HEAD~1", "HEAD^{tree}").decode()
    work.write(".git/info/grafts", f"{work.oid()} {fake}\n")
    assert work.oid("HEAD^") == fake
    assert head(work) == EXTRA
    assert [report.commit for report in audited(work, "HEAD~1..HEAD").commits] == [work.oid()]


def test_replaced_objects_do_not_hide_content(work):
    good = work.oid()
    work.write("c", "c\n")
    work.git("add", "c")
    slip_in(work)
    work.git("replace", work.oid(), good)
    assert b"c" not in work.git("show", "--name-only", "--format=", "HEAD").split()
    assert head(work) == EXTRA


def test_replaced_blob_does_not_change_the_verdict(work):
    work.git("replace", work.oid("HEAD:a"), work.oid("HEAD~1:a"))
    assert head(work) == ("verified", "exact", [])


@pytest.mark.parametrize("mode", ["120000", "160000"])
def test_recorded_file_that_becomes_a_link_or_submodule_is_modified(work, mode):
    old = work.read("a")
    oid = work.oid("HEAD:a")
    new = old.replace(line(1).encode(), b"")
    new_oid = work.git("hash-object", "-w", "--stdin", data=new).decode()
    changed = ChangedFile("a", "100644", mode, oid, new_oid, old, new, (Region(0, len(line(1)), 0, 0, "exact"),))
    record = make_record([changed], mode="strict", batch_digest="0" * 64, tool="gitedit/0")
    work.git("update-index", "--index-info", data=f"{mode} {new_oid}\ta\n".encode())
    work.commit(None, render("Edit a\n", record))
    assert head(work) == ("modified", None, ["mode"])


def test_attributes_do_not_hide_content(work):
    work.commit({".gitattributes": "* -diff binary\n"})
    edit(work, "a", (line(20), "twenty\n"))
    work.write("a", work.read("a").replace(b"line 30\n", b"line thirty\n"))
    work.git("add", "a")
    slip_in(work)
    assert head(work) == ("modified", None, ["outside-region"])


def test_one_path_with_a_newline_is_not_two_paths(work):
    one = delta([("100644", "100644", "1" * 40, "2" * 40, "a 1\n100644 100644 3 4 b")])
    two = delta([("100644", "100644", "1" * 40, "2" * 40, "a 1"), ("100644", "100644", "3", "4", "b")])
    assert one != two
    work.commit({"x": text(), "y\n": text(), "x\ny": text()})
    edit(work, "x\ny", (line(1), "one\n"))
    assert head(work) == ("verified", "exact", [])
    body = message(work).replace(b"x%0Ay", b"x")
    work.commit(None, body, "--amend")
    assert head(work)[0] == "forged"


@pytest.mark.parametrize(
    "path", ["new\nline", 'quo"te', "tab\there", "-dash", "*", ":(glob)x", "a => b", os.fsdecode(b"\xe9"), "é", "#x"]
)
def test_odd_paths_are_verified(repo, path):
    repo.env["GIT_LITERAL_PATHSPECS"] = "1"
    repo.commit({path: text()})
    edit(repo, path, (line(3), "three\n"))
    assert head(repo) == ("verified", "exact", [])
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit({path: "first\n" + text()})
    repo.git("cherry-pick", "main")
    assert head(repo) == ("verified", "moved", [])


@pytest.mark.parametrize(
    "config",
    [("i18n.commitEncoding", "ISO-8859-1"), ("i18n.logOutputEncoding", "UTF-16"), ("core.commentChar", "G"),
     ("trailer.gitedit-record.key", "X"), ("trailer.separators", "%"), ("log.showSignature", "true"),
     ("format.pretty", "oneline"), ("log.mailmap", "true"), ("core.notesRef", "refs/notes/x"), ("log.date", "raw")],
)  # fmt: skip
def test_configuration_does_not_change_what_is_read(work, config):
    work.git("config", *config)
    assert head(work) == ("verified", "exact", [])


def rewritten(repo, change):
    """Store HEAD's commit object anew, with `change` made to its bytes, and move the branch there."""
    repo.git("update-ref", "refs/heads/main", stored(repo, change))


def stored(repo, change):
    """Store HEAD's commit object anew, with `change` made to its bytes; return its id."""
    body = change(repo.git("cat-file", "commit", "HEAD") + b"\n")
    return repo.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", data=body).decode()


def test_message_in_another_encoding_is_read_as_git_shows_it(work):
    rewritten(
        work,
        lambda body: body.replace(b"\n\nEdit", b"\nencoding ISO-8859-1\n\n\xe9 Edit").replace(
            b"author T", b"author T\xe9"
        ),
    )
    [report] = audited(work).commits
    assert (report.status, report.subject[:1], report.author_name) == ("verified", "é", "Té")
    rewritten(work, lambda body: body.replace(b"ISO-8859-1", b"no-such"))
    [report] = audited(work).commits
    assert (report.status, report.subject[:1], report.author_name) == ("verified", "\udce9", "T\udce9")


def test_message_that_is_not_utf8_is_read(work):
    rewritten(work, lambda body: body.replace(b"\n\nEdit", b"\n\n\xff\xfe Edit"))
    assert head(work) == ("verified", "exact", [])


@pytest.mark.parametrize(
    "codec", ["utf-7", "utf-16", "unicode_escape", "rot13", "zlib", "idna", "", "\0", "x" * 5000, "utf-8\x0b"]
)
def test_odd_encodings_are_no_traceback(work, codec):
    rewritten(work, lambda body: body.replace(b"\n\nEdit", b"\nencoding " + codec.encode() + b"\n\nEdit"))
    with environ(work.env):
        assert head(work)[0] in ("verified", "malformed", "no-record")


def test_record_in_an_encoding_that_hides_the_keys_is_read(work):
    body = message(work).replace(b"+", b"+-").replace(b"~", b"+AH4-").replace(b"Gitedit-", b"+AEc-itedit-")
    rewritten(work, lambda commit: commit.partition(b"\n\n")[0] + b"\nencoding UTF-7\n\n" + body)
    assert head(work) == ("verified", "exact", [])


@pytest.mark.parametrize("where", ["front", "behind", "inside", "author", "header"])
def test_nul_in_the_message_is_malformed(work, where):
    changes = {
        "front": lambda body: body.replace(b"\n\nEdit", b"\n\nEd\0it"),
        "behind": lambda body: body + b"\0",
        "inside": lambda body: body.replace(b"Gitedit-Edit", b"\0Gitedit-Edit"),
        "author": lambda body: body.replace(b"author T", b"author T\0"),
        "header": lambda body: body.replace(b"\n\nEdit", b"\nother \0\n\nEdit"),
    }
    rewritten(work, changes[where])
    assert head(work)[0] == "malformed"


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.replace(b"tree ", b"tree x"),
        lambda body: body.replace(b"tree ", b"tree \xff"),
        lambda body: b"tree \n" + body.partition(b"\n")[2],
        lambda body: body.replace(b"parent ", b"parent x \xff"),
        lambda body: body.replace(b"parent ", b"parent \n"),
    ],
)
def test_commit_that_git_cannot_read_is_no_traceback_where_a_message_names_it(work, change):
    broken = stored(work, change)
    work.commit({"c": "c\n"}, f"Revert\n\nThis reverts commit {broken}.\n")
    assert head(work)[0] == "no-record"


def test_message_that_is_too_long_is_unverifiable(work):
    rewritten(work, lambda body: body + b"\n" * (8 << 20))
    begun = time.perf_counter()
    assert head(work, require=("agent:*",)) == ("unverifiable", None, ["unverifiable"])
    assert time.perf_counter() - begun < 5  # [0.5]


def test_malformed_commit_headers_are_no_traceback(work):
    for change in (
        lambda body: body.replace(b"author T <t@example.invalid>", b"author"),
        lambda body: body.replace(b"author T <t@example.invalid> ", b"author T <t@example.invalid> 9"),
        lambda body: body.replace(b"author T <t@example.invalid> ", b"author >< " + b"9" * 5000),
        lambda body: body.replace(b"author", b"nobody"),
        lambda body: body.replace(b" +0000\ncommitter", b" +9999\ncommitter"),
    ):
        rewritten(work, change)
        assert head(work)[0] == "verified"


def test_tree_that_names_a_path_twice_is_unverifiable(work):
    def tree(*blobs):
        body = b"".join(b"100644 a\0" + bytes.fromhex(oid) for oid in blobs)
        return work.git("hash-object", "-t", "tree", "-w", "--stdin", "--literally", data=body).decode()

    stored = [work.git("hash-object", "-w", "--stdin", data=data).decode() for data in (b"base\n", b"evil\n")]
    recorded = [work.oid("HEAD~1:a"), work.oid("HEAD:a")]
    old, new = (tree(*pair) for pair in zip(stored, recorded, strict=True))
    parent = work.git("commit-tree", old, "-m", "base").decode()
    work.git("update-ref", "refs/heads/main", work.git("commit-tree", new, "-p", parent, data=message(work)).decode())
    assert head(work) == ("unverifiable", None, ["unverifiable"])


def test_parent_behind_other_headers_is_no_parent(work):
    parent = b"parent " + work.oid("HEAD~1").encode() + b"\n"
    rewritten(work, lambda body: body.replace(parent, b"").replace(b"\n\nEdit", b"\n" + parent + b"\nEdit"))
    assert work.git("log", "--format=%P") == b""
    assert head(work, ("HEAD",))[0] == "modified"


def test_ids_in_capitals_spoil_no_verdict(work):
    rewritten(work, lambda body: body[:5] + body[5:45].upper() + body[45:])
    edit(work, "a", (line(20), "twenty\n"))
    assert [commit.status for commit in audited(work, "HEAD").commits] == ["verified", "verified"]


def test_lost_blob_is_unverifiable(work):
    oid = work.oid("HEAD:a")
    os.unlink(os.path.join(work.path, ".git/objects", oid[:2], oid[2:]))
    assert head(work) == ("unverifiable", None, ["unverifiable"])
    [report] = audited(work, allow_unverifiable=True).commits
    assert [finding.level for finding in report.findings] == ["warning"]


def test_lost_tree_is_unverifiable(work):
    work.commit({"d/b": "other\n"}, message(work))
    oid = work.oid("HEAD:d")
    os.unlink(os.path.join(work.path, ".git/objects", oid[:2], oid[2:]))
    assert head(work) == ("unverifiable", None, ["unverifiable"])


def test_partial_clone_fetches_nothing(work, make_repo):
    work.git("config", "uploadpack.allowFilter", "true")
    clone = make_repo("clone")
    clone.git("remote", "add", "origin", "file://" + work.path)
    clone.git("fetch", "-q", "--filter=blob:none", "origin", "main")
    before = clone.git("count-objects", "-v")
    assert head(clone, revisions=("origin/main^!",)) == ("unverifiable", None, ["unverifiable"])
    assert clone.git("count-objects", "-v") == before


@pytest.mark.parametrize("revision", ["1" * 40, "1" * 40 + "~1"])
def test_nothing_is_fetched_by_a_git_that_cannot_be_told_so(work, monkeypatch, tmp_path, revision):
    monkeypatch.delitem(process._FIXED, "GIT_NO_LAZY_FETCH")
    edit(work, "a", (line(20), "twenty\n"))
    for key, value in (
        ("core.repositoryFormatVersion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.url", "ssh://host.invalid/x"),
        ("remote.origin.promisor", "true"),
        ("core.sshCommand", f"touch {tmp_path / 'run'}; false"),
    ):
        work.git("config", key, value)
    with pytest.raises(EditError) as caught:
        audited(work, revision)
    assert caught.value.code == "bad-revision"
    assert not (tmp_path / "run").exists()


def test_shallow_boundary_is_never_judged_as_a_root(work, make_repo):
    edit(work, "a", (line(20), "twenty\n"))
    clone = make_repo("clone")
    clone.git("fetch", "-q", "--depth=2", "file://" + work.path, "main")
    clone.git("reset", "-q", "--hard", "FETCH_HEAD")
    report = audited(clone, "HEAD")
    assert [commit.status for commit in report.commits] == ["verified", "unverifiable"]
    assert report.boundary == (clone.oid("HEAD~1"),)
    assert "shallow" in report.commits[1].findings[0].message


def test_nothing_is_written_into_the_repository(work):
    def files():
        return sorted(
            (root, name, os.lstat(os.path.join(root, name)).st_mtime_ns)
            for root, _, names in os.walk(work.path)
            for name in names
        )

    before = files()
    work.git("config", "--list")
    assert head(work)[0] == "verified"
    assert files() == before


def test_bare_repositories_and_worktrees_are_audited(work, make_repo, tmp_path):
    bare = make_repo("bare.git", "--bare")
    work.git("push", "-q", bare.path, "main")
    assert head(bare) == ("verified", "exact", [])
    work.git("worktree", "add", "-q", str(tmp_path / "tree"))
    work.path = str(tmp_path / "tree")
    assert head(work) == ("verified", "exact", [])


def test_sha256_repositories_are_audited(make_repo):
    repo = make_repo("big", "--object-format=sha256")
    repo.commit({"a": text()})
    edit(repo, "a", (line(3), "three\n"))
    assert head(repo) == ("verified", "exact", [])
    repo.git("checkout", "-q", "-b", "other", "HEAD~1")
    repo.commit({"a": "first\n" + text()})
    repo.git("cherry-pick", "main")
    assert head(repo) == ("verified", "moved", [])


def test_quarantine_is_seen(work, make_repo):
    """Inside pre-receive the new objects are there only for who honours the variables that git gives its hooks."""
    bare = make_repo("bare: with colon.git", "--bare")
    work.git("push", "-q", bare.path, "main~1:refs/heads/main")
    code = (
        "import sys; from gitedit.commands.audit import *; old, new, ref = sys.stdin.read().split();"
        "print([r.status for r in audit(AuditRequest(revisions=(old + '..' + new,), cache=False)).commits])"
    )
    hook = os.path.join(bare.path, "hooks", "pre-receive")
    with open(hook, "w") as stream:
        stream.write(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" >said 2>&1\n')
    os.chmod(hook, 0o700)
    work.git("push", "-q", bare.path, "main")
    assert bare.read("said") == b"['verified']\n"
