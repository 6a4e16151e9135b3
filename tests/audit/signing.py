"""Commits signed by ssh, and what is no longer what was signed."""

import subprocess


def with_key(repo, folder):
    """Give a repository a new key in `folder` to sign with, and git the word that it is its user's."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key], check=True)
    (folder / "allowed").write_bytes(b"t@example.invalid " + (folder / "key.pub").read_bytes())
    repo.git("config", "gpg.format", "ssh")
    repo.git("config", "user.signingKey", str(key))
    repo.git("config", "gpg.ssh.allowedSignersFile", str(folder / "allowed"))


def sign(repo):
    """Sign the commit at HEAD."""
    repo.git("commit", "-q", "--amend", "--no-edit", "-S")


def rewrite(repo, old, new):
    """Put a commit at HEAD that is the one there, but for some bytes."""
    body = repo.git("cat-file", "commit", "HEAD") + b"\n"
    assert old in body
    oid = repo.git("hash-object", "-t", "commit", "-w", "--stdin", data=body.replace(old, new)).decode()
    repo.git("reset", "-q", "--soft", oid)
