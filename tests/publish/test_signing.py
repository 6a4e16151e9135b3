"""Signatures that git itself can verify, sign-off, and git's housekeeping after a commit."""

import os
import subprocess

import pytest

from .applying import LINES, committed, gitedit, hook, picture, refused

IDENT = b"T <t@example.invalid>"


@pytest.fixture
def work(repo):
    """A repository with one committed file, and the user's own work beside it."""
    repo.commit({"f": LINES, "other": b"other\n"})
    repo.write("other", b"staged\n")
    repo.git("add", "other")
    repo.write("f", LINES + b"unstaged\n")
    return repo


@pytest.fixture
def signer(work, tmp_path):
    """The same repository with an ssh key to sign with."""
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    (tmp_path / "allowed").write_bytes(b"t@example.invalid " + (tmp_path / "key.pub").read_bytes())
    work.git("config", "gpg.format", "ssh")
    work.git("config", "user.signingKey", str(key))
    work.git("config", "gpg.ssh.allowedSignersFile", str(tmp_path / "allowed"))
    return work


def signed(repo):
    """Return whether HEAD carries a signature; one that does not verify is a failure."""
    if b"\ngpgsig" not in repo.git("cat-file", "commit", "HEAD").partition(b"\n\n")[0]:
        return False
    repo.git("verify-commit", "HEAD")
    return True


def test_commit_is_not_signed_when_nothing_asks_for_it(signer):
    committed(signer)
    assert not signed(signer)


@pytest.mark.parametrize(
    ("config", "flags", "variable", "expected"),
    [
        ({"commit.gpgSign": "true"}, [], None, True),
        ({"commit.gpgSign": "1"}, [], None, True),
        ({"commit.gpgSign": "true"}, ["--no-sign"], None, False),
        ({"commit.gpgSign": "true", "gitedit.sign": "false"}, [], None, False),
        ({"gitedit.sign": "true"}, [], None, True),
        ({"gitedit.sign": "true"}, [], "false", False),
        ({"gitedit.sign": "false"}, ["-S"], None, True),
        ({}, ["--sign"], None, True),
        ({}, [], "true", True),
    ],
)
def test_commit_is_signed_when_the_strongest_setting_says_so(signer, config, flags, variable, expected):
    for key, value in config.items():
        signer.git("config", key, value)
    committed(signer, *flags, **({} if variable is None else {"GITEDIT_SIGN": variable}))
    assert signed(signer) is expected


def test_signature_covers_what_the_hooks_added_when_there_are_hooks(signer):
    hook(signer, "commit-msg", 'git interpret-trailers --in-place --trailer Change-Id:I1 "$1"')
    committed(signer, "-S")
    assert signed(signer)
    assert b"Change-Id: I1" in signer.git("cat-file", "commit", "HEAD")


@pytest.mark.parametrize("with_hook", [False, True])
def test_everything_is_as_before_when_signing_fails(signer, with_hook):
    if with_hook:
        hook(signer, "pre-commit", "true")
    signer.git("config", "user.signingKey", "/nowhere/key")
    before = picture(signer)
    status, error = refused(signer, "-S")
    assert (status, error["code"]) == (7, "signing-failed")
    assert picture(signer) == before


def test_everything_is_as_before_when_the_signing_program_is_missing(work):
    work.git("config", "gpg.program", "/nowhere/gpg")
    work.git("config", "commit.gpgSign", "true")
    before = picture(work)
    assert refused(work)[1]["code"] == "signing-failed"
    assert picture(work) == before
    committed(work, "--no-sign")


def trailers(repo):
    """Return the values of Signed-off-by in HEAD's trailer block."""
    return repo.git("log", "-1", "--format=%(trailers:key=Signed-off-by,valueonly)").split(b"\n")[:-1]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Say six", [IDENT]),
        ("Say six\n\nReviewed-by: R <r@example.invalid>", [IDENT]),
        ("Say six\n\nSigned-off-by: T <t@example.invalid>", [IDENT]),
        ("Say six\n\nSigned-off-by: T <t@example.invalid>\nReviewed-by: R <r@example.invalid>", [IDENT]),
        ("Say six\n\nSigned-off-by: O <o@example.invalid>", [b"O <o@example.invalid>", IDENT]),
    ],
)
def test_sign_off_stands_once_in_the_trailer_block_when_asked_for(work, message, expected):
    document = committed(work, "-s", "-m", message)
    assert trailers(work) == expected
    keys = work.git("log", "-1", "--format=%(trailers:keyonly)").split()
    assert b"Gitedit-Record" in keys
    assert (b"Reviewed-by" in keys) == ("Reviewed-by" in message)
    assert document["warnings"] == []


def test_sign_off_is_the_committers_when_somebody_else_is_the_author(work):
    committed(work, "--signoff", GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.invalid")
    assert work.git("log", "-1", "--format=%an") == b"A"
    assert trailers(work) == [IDENT]


def test_no_sign_off_is_written_when_not_asked_for(work):
    committed(work)
    assert trailers(work) == []


def test_nothing_is_written_when_git_knows_nobody(work):
    nobody = dict.fromkeys(["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"], "")
    work.git("config", "user.useConfigOnly", "true")
    before = picture(work)
    for flags in ([], ["-s"], ["-S"]):
        assert refused(work, *flags, **nobody)[1]["code"] == "no-identity"
    hook(work, "pre-commit", "true")
    assert refused(work, **nobody)[1]["code"] == "no-identity"
    assert picture(work) == before


def graph(repo):
    """Return whether git's housekeeping, here the writing of a commit graph, has run."""
    return os.path.exists(os.path.join(repo.path, ".git/objects/info/commit-graphs"))


@pytest.fixture
def due(repo):
    """A repository in which housekeeping has something to do after each commit."""
    repo.commit({"f": LINES})
    for name, value in (("commit-graph.auto", "-1"), ("commit-graph.enabled", "true"), ("gc.enabled", "false")):
        repo.git("config", f"maintenance.{name}", value)
    return repo


def test_housekeeping_is_done_when_a_commit_was_made(due):
    gitedit(due)
    due.git("restore", "f")
    assert not graph(due)
    committed(due)
    assert graph(due)


def test_housekeeping_is_not_done_when_the_user_has_switched_it_off(due):
    due.git("config", "maintenance.auto", "false")
    committed(due)
    assert not graph(due)


def test_commit_stands_without_a_word_when_housekeeping_fails(repo):
    repo.commit({"f": LINES})
    hook(repo, "pre-auto-gc", ": >../asked; exit 1")
    repo.git("config", "gc.autoPackLimit", "1")
    for number in range(2):
        repo.commit({f"packed{number}": b"x\n"})
        repo.git("repack", "-q")
    said = gitedit(repo, "--commit")
    assert (said.status, said.err) == (0, "")
    assert os.path.exists(os.path.join(repo.path, "../asked"))
