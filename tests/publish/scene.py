"""A work tree in which somebody is at work, a batch for it, and what must be true of both after whatever happened."""

import json
import os
import shutil
import subprocess
import sys
from typing import NamedTuple

from conftest import DATE, Repo

DRIVEN = [sys.executable, os.path.join(os.path.dirname(__file__), "driven.py")]
PLAIN = [sys.executable, "-m", "gitedit"]
LINES = [f"line {number}" for number in range(1, 31)]
BATCH = {
    "edits": [
        {"path": "f", "oldText": "line 3\n", "newText": "LINE 3\nnew\n"},
        {"path": "sub/g", "oldText": "line 7\n", "newText": "LINE 7\n"},
    ]
}
OTHER = {"path": "other", "edits": [{"oldText": "line 1\n", "newText": "LINE 1\n"}]}
HOOK = b"#!/bin/sh\nexit 0\n"


def text(**changed):
    """Return thirty lines, some of them other: `text(l5="five")`."""
    lines = list(LINES)
    for name, line in changed.items():
        lines[int(name[1:]) - 1] = line
    return "\n".join(lines) + "\n"


def batch():
    files = {}
    for edit in BATCH["edits"]:
        files.setdefault(edit["path"], []).append({key: edit[key] for key in ("oldText", "newText")})
    return json.dumps({"files": [{"path": path, "edits": edits} for path, edits in files.items()]}).encode()


class Said(NamedTuple):
    status: int
    out: str
    err: str


class Scene:
    """A copy of a template repository, with the states before and after the batch."""

    def __init__(self, repo, options, top="work"):
        self.repo = repo
        self.options = options
        self.top = os.path.join(os.path.dirname(repo.path), top)
        self.before = self.state()
        self.after = None

    def run(self, *arguments, data=None, program=PLAIN, **variables):
        """Run the command in a process group of its own."""
        done = subprocess.run(
            [*program, *arguments],
            check=False,
            cwd=self.top,
            env={**self.repo.env, **variables},
            input=batch() if data is None else data,
            capture_output=True,
            start_new_session=True,
            timeout=60,
        )
        return Said(done.returncode, done.stdout.decode(), done.stderr.decode())

    def apply(self, at="", do="", **variables):
        """Apply the batch; `do` happens at step `at`."""
        return self.run("apply", *self.options, program=DRIVEN if at else PLAIN, AT=at, DO=do, **variables)

    def recover(self, at="", do="", **variables):
        return self.run("recover", data=b"", program=DRIVEN if at else PLAIN, AT=at, DO=do, **variables)

    def git(self, *arguments, check=True, **variables):
        return self.repo.git("-C", self.top, *arguments, check=check, **variables)

    def read(self, path):
        with open(os.path.join(self.top, path), "rb") as stream:
            return stream.read()

    def write(self, path, content):
        with open(os.path.join(self.top, path), "wb") as stream:
            stream.write(content if isinstance(content, bytes) else content.encode())

    @property
    def git_dir(self):
        return self.git("rev-parse", "--absolute-git-dir").decode()

    @property
    def private(self):
        return os.path.join(self.git_dir, "gitedit")

    def state(self):
        """Return everything that people can see: files, index, HEAD, refs."""
        files = {}
        for base, folders, names in os.walk(self.top):
            folders[:] = [name for name in folders if name != ".git"]
            for name in names:
                full = os.path.join(base, name)
                if name != ".git" and not name.startswith(".gitedit-"):
                    with open(full, "rb") as stream:
                        files[os.path.relpath(full, self.top)] = (os.stat(full).st_mode, stream.read())
        index = self.git("ls-files", "--stage", "-v")
        head = self.git("symbolic-ref", "-q", "HEAD", check=False), self.git("rev-parse", "-q", "HEAD", "--")
        return files, index, head, self.git("for-each-ref", "--format=%(refname) %(objectname)")

    def kept(self):
        folder = os.path.join(self.private, "kept")
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)) if os.path.isdir(folder) else []

    def check_tidy(self, said=""):
        """Nothing of ours is left, but kept files that `said` names; the repository is whole."""
        common = self.git("rev-parse", "--path-format=absolute", "--git-common-dir").decode()
        for base, _, names in os.walk(common):
            assert not [name for name in names if name.endswith(".lock")], (base, names)
        for base, folders, names in os.walk(self.top):
            folders[:] = [name for name in folders if name != ".git"]
            assert not [name for name in names if name.startswith(".gitedit-")], (base, names)
        if os.path.isdir(self.private):
            run = os.path.join(self.private, "run")
            assert not os.path.isdir(run) or os.listdir(run) == []
            assert "journal" not in os.listdir(self.private)
        for path in self.kept():
            assert path in said, f"{path} is kept and not named in: {said}"
        found = subprocess.run(
            ["git", "fsck", "--strict", "--no-dangling"],
            check=False,
            cwd=self.top,
            env=self.repo.env,
            capture_output=True,
        )
        assert (found.returncode, found.stdout, found.stderr) == (0, b"", b"")


def template(path, env, *, options=("--commit",), hook=False, split=False, detached=False, linked=False, **more):
    """Make a scene where the same file has staged and unstaged work, others too, and work out the state after."""
    dated = {**env, "GIT_AUTHOR_DATE": f"{DATE} +0000", "GIT_COMMITTER_DATE": f"{DATE} +0000", **more}
    repo = Repo(os.path.join(path, "work"), dated)
    repo.git("config", "gc.auto", "0")
    repo.git("config", "maintenance.auto", "false")
    repo.commit({"f": text(), "sub/g": text(), "other": text(), "calm": "calm\n"})
    top = "work"
    if linked:
        top = "linked"
        repo.git("worktree", "add", "-q", "-b", "side", os.path.join(path, top))
    if detached:
        repo.git("checkout", "-q", "--detach")
    scene = Scene(repo, options, top)
    if split:
        scene.git("update-index", "--split-index")
    for name in ("f", "other"):
        scene.write(name, text(l10="staged"))
        scene.git("add", name)
        scene.write(name, text(l10="staged", l20="unstaged"))
    scene.write("sub/g", text(l20="unstaged"))
    scene.write("untracked", "mine\n")
    if hook:
        hooks = os.path.join(scene.git("rev-parse", "--path-format=absolute", "--git-path", "hooks").decode())
        os.makedirs(hooks, exist_ok=True)
        with open(os.path.join(hooks, "pre-commit"), "wb") as stream:
            stream.write(HOOK)
        os.chmod(os.path.join(hooks, "pre-commit"), 0o700)
    scene.before = scene.state()
    return scene


def copy(scene, path):
    """Return a scene of its own, like this one."""
    source = os.path.dirname(scene.repo.path)
    shutil.copytree(source, path, symlinks=True)
    repo = object.__new__(Repo)
    repo.__dict__.update(scene.repo.__dict__)
    repo.path = os.path.join(path, "work")
    made = object.__new__(Scene)
    made.__dict__.update(scene.__dict__)
    made.repo = repo
    made.top = os.path.join(path, os.path.basename(scene.top))
    if made.top != repo.path:
        # The two name each other by absolute paths.
        inside = os.path.join(repo.path, ".git", "worktrees", os.path.basename(made.top))
        made.write(".git", f"gitdir: {inside}\n")
        with open(os.path.join(inside, "gitdir"), "w", encoding="utf-8") as stream:
            stream.write(f"{made.top}/.git\n")
    return made
