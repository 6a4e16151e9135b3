"""The real command on a repository, and a picture of everything in it that must not change."""

import json
import os
import shlex
import stat
import subprocess

from tests.cli.command import run

LINES = b"".join(b"line %d\n" % number for number in range(1, 13))
EDITED = LINES.replace(b"line 6\n", b"line six\n")
BATCH = {"path": "f", "edits": [{"oldText": "line 6", "newText": "line six"}]}


def gitedit(repo, *arguments, batch=BATCH, **variables):
    """Run `gitedit apply` at the top; `-m` and all other options are the caller's."""
    return run(repo.env, "apply", *arguments, data=json.dumps(batch).encode(), cwd=repo.path, **variables)


def committed(repo, *arguments, batch=BATCH, **variables):
    """Run `gitedit apply --commit --json`, which must succeed; return the document."""
    said = gitedit(repo, "--commit", "--json", *arguments, batch=batch, **variables)
    assert said.status == 0, said
    return json.loads(said.out)


def refused(repo, *arguments, batch=BATCH, **variables):
    """Run `gitedit apply --commit --json`, which must fail; return the exit status and the error."""
    said = gitedit(repo, "--commit", "--json", *arguments, batch=batch, **variables)
    document = json.loads(said.out)
    assert document["ok"] is False
    return said.status, document["error"]


def hook(repo, name, script, *, folder=None, mode=0o755, interpreter="/bin/sh"):
    """Install a hook script; return its path."""
    folder = folder or os.path.join(repo.path, ".git", "hooks")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(f"#!{interpreter}\n{script}\n")
    os.chmod(path, mode)
    return path


def noted(repo, name, *words):
    """Return a script line that appends words, expanded by the shell, to a file of that name outside the tree."""
    path = shlex.quote(os.path.join(os.path.dirname(repo.path), name))
    return f"printf '%s\\n' {' '.join(words)} >>{path}"


def notes(repo, name):
    """Return the lines that a `noted` script has written."""
    try:
        with open(os.path.join(os.path.dirname(repo.path), name), encoding="utf-8") as stream:
            return stream.read().splitlines()
    except FileNotFoundError:
        return []


def picture(repo):
    """Return all that a refused run must leave as it was: HEAD, refs, index entries, and every file with its mode."""
    files = {}
    for folder, folders, names in os.walk(repo.path):
        if ".git" in folders:
            folders.remove(".git")
        for name in names:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            content = os.readlink(path) if stat.S_ISLNK(mode) else repo.read(path)
            files[os.path.relpath(path, repo.path)] = (oct(mode), content)
    return {
        "head": repo.git("rev-parse", "HEAD") + repo.git("symbolic-ref", "HEAD", check=False).to_bytes(1),
        "refs": repo.git("for-each-ref"),
        "index": repo.git("ls-files", "--stage", "-v", "-z"),
        "files": files,
        "locks": [name for name in os.listdir(os.path.join(repo.path, ".git")) if name.endswith(".lock")],
    }


def index_is_fresh(repo):
    """Return whether stat data alone tell git that the file `f` is clean."""
    done = subprocess.run(["git", "diff-files", "--quiet", "--", "f"], check=False, cwd=repo.path, env=repo.env)
    return done.returncode == 0
