"""Pushes over a local path: the client's hook, and a server that does not rely on it."""

import os
import shutil

import pytest
from conftest import Repo

from .conftest import git, gitedit, record, tamper

NONE = "core.hooksPath=" + os.devnull


def replace_hook(server, line):
    hook = os.path.join(server.path, "hooks/pre-receive")
    os.unlink(hook)
    with open(hook, "w", encoding="utf-8") as stream:
        stream.write(f"#!/bin/sh\n{line}\n")
    os.chmod(hook, 0o700)


def test_clean_push_passes_on_both_ends(work, server):
    record(work)
    assert git(work, "push", "-q", "origin", "main").status == 0
    record(work, "plain", "alpha", "omega")
    assert git(work, "push", "-q", "origin", "main").status == 0
    assert server.oid("main") == work.oid()


@pytest.mark.usefixtures("server")
def test_tampered_push_is_stopped_by_the_client(work):
    record(work)
    oid = tamper(work)
    said = git(work, "push", "origin", "main")
    assert said.status == 1
    assert f"gitedit: push stopped: 1 commit is not what it says\n  {oid[:12]} Edit mixed" in said.err
    assert "    modified: " in said.err
    assert "remote:" not in said.err


def test_tampered_push_is_refused_by_the_server_when_the_client_has_no_hooks(work, server):
    record(work)
    oid = tamper(work)
    said = git(work, "-c", NONE, "push", "origin", "main")
    assert said.status == 1
    assert "remote: gitedit: push refused: 1 commit is not what it says" in said.err
    assert f"remote:   {oid[:12]} Edit mixed" in said.err
    assert "pre-receive hook declined" in said.err
    assert server.git("for-each-ref") == b""


def test_server_is_left_as_it_was_when_it_judges(work, server):
    record(work)
    assert git(work, "-c", NONE, "push", "-q", "origin", "main").status == 0
    assert not os.path.exists(os.path.join(server.path, "gitedit"))
    assert server.git("for-each-ref", "--format=%(refname)") == b"refs/heads/main"
    assert [name for name in os.listdir(os.path.join(server.path, "objects")) if name.startswith("tmp")] == []


def test_only_new_commits_are_judged_when_old_ones_are_bad(work, server):
    record(work)
    tamper(work)
    os.rename(os.path.join(server.path, "hooks/pre-receive"), os.path.join(server.path, "hooks/off"))
    assert git(work, "-c", NONE, "push", "-q", "origin", "main").status == 0
    os.rename(os.path.join(server.path, "hooks/off"), os.path.join(server.path, "hooks/pre-receive"))
    record(work, "plain", "alpha", "omega")
    assert git(work, "push", "-q", "origin", "main").status == 0
    assert git(work, "push", "-q", "origin", "main:other").status == 0


@pytest.mark.usefixtures("server")
def test_deletion_passes(work):
    record(work)
    git(work, "push", "-q", "origin", "main", "main:other")
    assert git(work, "push", "-q", "origin", ":other").status == 0


@pytest.mark.usefixtures("server")
def test_tag_is_judged_by_the_commits_behind_it(work):
    record(work)
    work.git("tag", "-a", "-m", "v1", "v1")
    work.git("tag", "blob", work.git("rev-parse", "HEAD:plain").decode())
    assert git(work, "push", "-q", "origin", "v1", "blob").status == 0
    tamper(work)
    work.git("tag", "-a", "-m", "v2", "v2")
    assert git(work, "push", "-q", "origin", "v2").status == 1
    assert git(work, "-c", NONE, "push", "-q", "origin", "v2").status == 1


def test_every_ref_is_judged_when_several_are_pushed(work, server):
    record(work)
    work.git("switch", "-qc", "bad")
    tamper(work)
    for configured in ([], ["-c", NONE]):
        assert git(work, *configured, "push", "-q", "origin", "main", "bad").status == 1
    assert server.git("for-each-ref") == b""


@pytest.mark.parametrize("name", ["a\u00a0b", "a\u2028b", "\u3000"])
def test_ref_is_judged_whatever_its_name(work, server, name):
    record(work)
    work.git("branch", name, tamper(work))
    assert git(work, "push", "-q", "origin", name).status == 1
    assert git(work, "push", "-q", "origin", f":/Edit mixed: 1 replacement:refs/heads/{name}").status == 1
    assert git(work, "-c", NONE, "push", "-q", "origin", name).status == 1
    assert server.git("for-each-ref") == b""


@pytest.mark.usefixtures("server")
def test_record_is_read_from_the_ref_that_is_pushed_with_it(work):
    work.write("long", "".join(f"line number {n}\n" for n in range(200)))
    work.git("add", ".")
    work.git("commit", "-qm", "long")
    edits = ", ".join(f'{{"oldText": "number {n}\\n", "newText": "n {n}\\n"}}' for n in range(0, 200, 2))
    gitedit(work, "apply", "--commit", data=f'{{"path": "long", "edits": [{edits}]}}'.encode())
    records = "refs/gitedit/records/*:refs/gitedit/records/*"
    assert work.git("for-each-ref", "refs/gitedit")
    assert git(work, "-c", NONE, "push", "-q", "origin", "main", records).status == 0


def test_push_is_refused_when_it_takes_too_long(work, server, tmp_path):
    record(work)
    server.git("config", "gitedit.receiveSeconds", "1")
    slow = tmp_path / "bin" / "git"
    slow.write_text(f'#!/bin/sh\ncase "$*" in *objectsize*) exec sleep 20;; esac\nexec {shutil.which("git")} "$@"\n')
    slow.chmod(0o700)
    # Git puts its own folder in front of PATH for hooks.
    replace_hook(server, f"PATH={tmp_path / 'bin'}:$PATH exec gitedit hook pre-receive")
    said = git(work, "-c", NONE, "push", "origin", "main")
    assert said.status == 1
    assert "remote: error: the audit of the push took longer than 1 s" in said.err


def test_push_is_refused_when_it_is_too_large(work, server):
    work.write("large", b"x" * (3 << 20))
    work.git("add", ".")
    work.git("commit", "-qm", "large")
    record(work)
    server.git("config", "gitedit.receiveMegabytes", "2")
    said = git(work, "-c", NONE, "push", "origin", "main")
    assert said.status == 1
    assert "more than 2 MiB" in said.err
    server.git("config", "gitedit.receiveMegabytes", "nonsense")
    assert git(work, "-c", NONE, "push", "-q", "origin", "main").status == 1
    assert server.git("for-each-ref") == b""


@pytest.mark.usefixtures("server")
def test_push_is_refused_when_gitedit_is_not_there(work):
    """Fails closed on the server; on the client, pre-push warns and passes."""
    record(work)
    path = os.pathsep.join(each for each in os.defpath.split(os.pathsep) if each)
    said = git(work, "push", "origin", "main", PATH=f"/usr/local/bin:/usr/bin:{path}")
    assert "gitedit is not on PATH: pre-push skipped" in said.err
    assert "remote: gitedit is not on PATH: pre-receive refused" in said.err
    assert said.status == 1


def test_record_can_be_required(work, server):
    replace_hook(server, "exec gitedit hook pre-receive --require 'agent:Robot*'")
    record(work, "mixed", "two", "2", "--agent", "Robot:1")
    assert git(work, "push", "-q", "origin", "main").status == 0
    work.write("plain", "by hand\n")
    work.git("commit", "-qam", "hand\n\nAssisted-by: Robot:1")
    said = git(work, "push", "origin", "main")
    assert said.status == 1
    assert "remote:     missing: a record is due" in said.err


def test_commits_that_another_branch_brought_are_not_judged_again(work, server, tmp_path):
    record(work)
    git(work, "push", "-q", "origin", "main")
    other = Repo(tmp_path / "other", work.env)
    other.git("remote", "add", "origin", server.path)
    other.git("pull", "-q", "origin", "main")
    other.git("switch", "-qc", "topic")
    other.commit({"new": "x\n"})
    assert git(other, "push", "-q", "origin", "topic").status == 0
