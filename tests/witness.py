"""What a run of the real command left: everything that can be seen of a repository, before and after.

`commits`, `edits` and `refuses` run one batch and hold the outcome against all of it, so a test only makes a state.
"""

import copy
import json
import os
import re
import stat
import subprocess
import sys
from typing import NamedTuple

OLD, NEW = b"line 05", b"LINE five"
LINES = b"".join(b"line %02d\n" % number for number in range(1, 31))
EDITED = LINES.replace(OLD, NEW)
READING = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
_DEBUG_ROW = re.compile(rb"([^\0]+)\0  ctime: .*\n  mtime: .*\n  dev: .*\n  uid: .*\n  size: .*\tflags: (\w+)(?:\n|$)")
# CE_VALID, intent-to-add, skip-worktree; the other bits exist in memory only, or say the stage.
_FLAGS = 0x8000 | 1 << 29 | 1 << 30
_OWN_FOLDER = re.compile(rb"(/(worktrees|modules)/[^/]+)*/gitedit(/|$)")
_INDEX_LINE = re.compile(rb"^index .*\n", re.MULTILINE)


class Said(NamedTuple):
    """What the command said."""

    status: int
    facts: dict
    err: str

    @property
    def code(self):
        return self.facts.get("error", {}).get("code")


class Seen(NamedTuple):
    """A repository from outside: nothing in here may change but what a batch asks for."""

    files: dict
    """Path on disk below the top, git directories left out -> (mode, content, inode, modification time)."""
    git_dirs: dict
    """Path of each file in the git directories -> content; our own folder left out."""
    own: list
    """Files in our own folder, the lock and the clean room left out."""
    refs: bytes
    head: bytes
    tree: dict
    """Path -> b"MODE TYPE OID" in HEAD."""
    entries: dict
    """Path -> [b"TAG MODE OID STAGE", flags] in the index."""
    status: bytes
    unclean: set
    """What `git diff-files` takes for changed without looking at content."""
    diff: bytes
    cached: bytes


def at(repo, path):
    """Return the same repository object for another directory: a clone, a worktree, a submodule."""
    other = copy.copy(repo)
    other.path = os.path.normpath(os.path.join(repo.path, path))
    return other


def batch_for(path, old=OLD, new=NEW, **more):
    """Return a batch of one edit."""
    return {"path": path, "edits": [{"oldText": os.fsdecode(old), "newText": os.fsdecode(new)}], **more}


def script(repo, path, text):
    """Write an executable shell script; return its absolute path."""
    whole = repo.write(path, "#!/bin/sh\n" + text)
    os.chmod(whole, 0o700)
    return whole


def make_busy(repo):
    """Give an empty repository a commit, and a person's work of every kind beside and in the file `f`."""
    names = ["staged", "dirty", "gone", "deleted", "assumed", "skipped", "x.sh", "d/g", "d/e/h"]
    repo.write(".gitignore", "*.log\n")
    for name in ["f", *names]:
        repo.write(name, LINES)
    os.chmod(os.path.join(repo.path, "x.sh"), 0o700)
    os.symlink("f", os.path.join(repo.path, "link"))
    repo.git("add", "-A")
    repo.commit()
    repo.write("staged", LINES + b"staged\n")
    repo.write("f", _user_staged(LINES))
    repo.write("new", b"new\n")
    repo.git("add", "staged", "f", "new")
    repo.git("rm", "-q", "--cached", "gone")
    repo.git("update-index", "--chmod=-x", "x.sh")
    os.unlink(os.path.join(repo.path, "deleted"))
    for name in ("intended", "untracked", "ignored.log", "dirty"):
        repo.write(name, LINES + name.encode())
    repo.git("add", "-N", "intended")
    repo.write("f", _user_unstaged(_user_staged(LINES)))
    repo.git("update-index", "--assume-unchanged", "assumed")
    repo.git("update-index", "--skip-worktree", "skipped")
    return repo


def _user_staged(content):
    return content.replace(b"line 18\n", b"line 18 staged\n")


def _user_unstaged(content):
    return content.replace(b"line 27\n", b"line 27 unstaged\n")


def gitedit(repo, batch, *flags, cwd=None, command="apply", **variables):
    """Run `gitedit apply --json FLAGS` with a batch on standard input, at the top or in `cwd`."""
    done = subprocess.run(
        [sys.executable, "-m", "gitedit", command, "--json", *flags],
        check=False,
        cwd=os.path.join(repo.path, cwd or ""),
        env={**repo.env, **variables},
        input=batch if isinstance(batch, bytes) else json.dumps(batch).encode(),
        capture_output=True,
        timeout=60,
    )
    err = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in err, err
    return Said(done.returncode, json.loads(done.stdout) if done.stdout else {}, err)


def see(repo):
    """Look at everything, and touch nothing."""

    def git(*arguments):
        # `git diff` refreshes the index whatever GIT_OPTIONAL_LOCKS says.
        return repo.git("-c", "diff.autoRefreshIndex=false", *arguments, **READING)

    def rows(out):
        return [row for row in out.split(b"\0") if row]

    tracked = git("ls-files", "-s", "-v", "-z")
    entries = {}
    for row in rows(tracked):
        meta, path = row.split(b"\t", 1)
        entries.setdefault(path, []).append(meta)
    # `--debug` prints stat data, which git may smudge, and flags, which it may not.
    debug = git("ls-files", "--debug", "-z")
    for path, flags in _DEBUG_ROW.findall(debug):
        entries[path].append(int(flags, 16) & _FLAGS)
    git_dirs = {os.path.realpath(os.fsencode(one)) for one in _git_dirs(repo)}
    found, own = _git_files(git_dirs)
    born = repo.git("rev-parse", "-q", "--verify", "HEAD", check=False) == 0
    tree = git("ls-tree", "-r", "-z", "HEAD") if born else b""
    return Seen(
        files=_files(os.fsencode(repo.path), git_dirs),
        git_dirs=found,
        own=own,
        refs=git("for-each-ref", "--format=%(refname) %(objectname)"),
        head=git("rev-parse", "--symbolic-full-name", "HEAD") if born else b"unborn",
        tree={path: meta for meta, _, path in (row.partition(b"\t") for row in rows(tree))},
        entries=entries,
        status=git("status", "--porcelain", "-z", "--ignored", "--untracked-files=all"),
        unclean=set(rows(git("diff-files", "--name-only", "-z"))),
        diff=_INDEX_LINE.sub(b"", git("diff", "--binary", "-U0")),
        cached=_INDEX_LINE.sub(b"", git("diff", "--cached", "--binary", "-U0")) if born else b"",
    )


def refuses(repo, code, batch=None, *flags, cwd=None, before=None, stored=False, **variables):
    """Run `apply --commit` (or with other flags), which must refuse with this code and leave everything as it was.

    `stored`: objects that nothing points to may be left.
    """
    before = before or see(repo)
    said = gitedit(repo, batch or batch_for("f"), *(flags or ["--commit"]), cwd=cwd, **variables)
    after = see(repo)
    assert (said.code, said.status) == (code, _exit_status(code)), said
    message = said.facts["error"]["message"]
    assert message.strip() == message != ""
    assert "\n" not in message
    if stored:
        before, after = (_without_objects(one) for one in (before, after))
    assert _changed(before, after) == []
    return said


def commits(repo, path="f", *flags, batch=None, cwd=None, clean=None, **variables):
    """Run `apply --commit` of one edit of `path` (or of each path of a list), and hold all that can be seen against it.

    `clean`: whether git must take the file for clean afterwards without looking; None: as before.
    """
    paths = [path] if isinstance(path, str) else path
    names = {os.fsencode(one) for one in paths}
    before = see(repo)
    parent = repo.oid()
    batch = batch or [batch_for(one) for one in paths]
    said = gitedit(repo, batch, "--commit", *flags, cwd=cwd, **variables)
    assert said.status == 0, said
    after = see(repo)
    assert [repo.oid("HEAD^"), said.facts["parent"], said.facts["commit"]] == [parent, parent, repo.oid()]
    _check_rows(repo, [(before.tree.pop(name), after.tree.pop(name)) for name in names])
    _check_entries(repo, before, after, names)
    unclean = before.unclean if clean is None else before.unclean - names if clean else before.unclean | names
    assert after.unclean == unclean
    ours = {"refs", "git_dirs", "unclean"}
    assert [kind for kind in _changed(before, after) if kind not in ours] == []
    assert repo.git("fsck", "--strict", "--no-dangling", "--no-progress") == b""
    assert [found for found in after.git_dirs if found.endswith(b".lock")] == []
    return said


def edits(repo, path="f", *flags, batch=None, cwd=None, **variables):
    """Run plain `apply` of one edit of `path`: that file alone changes, and nothing in the git directory."""
    name = os.fsencode(path)
    before = see(repo)
    said = gitedit(repo, batch or batch_for(path), *flags, cwd=cwd, **variables)
    assert said.status == 0, said
    after = see(repo)
    _check_disk(before.files.pop(name), after.files.pop(name))
    assert after.own == [], after.own
    assert set(_changed(before, after)) <= {"status", "unclean", "diff"}
    return said


def stages(repo, path="f", *, batch=None, **variables):
    """Run `apply --stage` of one edit of `path`: the file and its index entry change, and nothing else."""
    before = see(repo)
    said = gitedit(repo, batch or batch_for(path), "--stage", **variables)
    assert said.status == 0, said
    after = see(repo)
    _check_entries(repo, before, after, {os.fsencode(path)})
    assert set(_changed(before, after)) <= {"status", "unclean", "cached", "git_dirs"}
    return said


def _check_entries(repo, before, after, names):
    """Check the index entries and the files of these names, and take them out; nothing of ours may be left over."""
    pairs = [(before.entries.pop(name), after.entries.pop(name)) for name in names]
    assert [flags for (_, flags), _ in pairs] == [flags for _, (_, flags) in pairs]
    _check_rows(repo, [(old, new) for (old, _), (new, _) in pairs])
    for name in names:
        _check_disk(before.files.pop(name), after.files.pop(name))
    assert after.own == [], after.own


def _check_rows(repo, pairs):
    """Check that rows of a tree or index differ in the blob alone, and that in the edit alone."""
    words = [word for pair in pairs for row in pair for word in [row.split()[2]]]
    out = repo.git("cat-file", "--batch", data=b"".join(word + b"\n" for word in words)) + b"\n"
    for (old, new), word in zip(pairs, words[::2], strict=True):
        bodies = []
        for _ in range(2):
            header, _, out = out.partition(b"\n")
            size = int(header.split()[2])
            bodies.append(out[:size])
            out = out[size + 1 :]
        assert bodies[1] == bodies[0].replace(OLD, NEW) != bodies[0]
        assert new == old.replace(word, new.split()[2])


def _check_disk(before, after):
    assert (after[0], after[1]) == (before[0], before[1].replace(OLD, NEW))
    assert after[1] != before[1]


def _changed(before, after):
    """Return which kinds of things differ."""
    return [kind for kind in Seen._fields if getattr(before, kind) != getattr(after, kind)]


def _without_objects(seen):
    kept = {path: content for path, content in seen.git_dirs.items() if b"/objects/" not in path}
    return seen._replace(git_dirs=kept)


def _git_dirs(repo):
    out = repo.git("rev-parse", "--path-format=absolute", "--absolute-git-dir", "--git-common-dir", **READING)
    return [os.fsdecode(line) for line in out.split(b"\n")]


def _git_files(git_dirs):
    found, own = {}, []
    for base in git_dirs:
        for folder, _, names in os.walk(base):
            ours = _OWN_FOLDER.match(folder[len(base) :])
            for name in names:
                whole = os.path.join(folder, name)
                if not ours:
                    found[whole] = _content(whole)
                elif name != b"lock" and b"/gitedit/room" not in folder:
                    own.append(whole)
    return found, own


def _files(top, git_dirs):
    found = {}
    for folder, folders, names in os.walk(top):
        folders[:] = [one for one in folders if one != b".git" and os.path.join(folder, one) not in git_dirs]
        for name in [*names, *(one for one in folders if os.path.islink(os.path.join(folder, one)))]:
            whole = os.path.join(folder, name)
            facts = os.lstat(whole)
            content = _content(whole)
            found[os.path.relpath(whole, top)] = (facts.st_mode, content, facts.st_ino, facts.st_mtime_ns)
    return found


def _content(path):
    kind = stat.S_IFMT(os.lstat(path).st_mode)
    if kind == stat.S_IFLNK:
        return os.readlink(path)
    if kind != stat.S_IFREG:
        return b""
    with open(path, "rb") as stream:
        return stream.read()


def _exit_status(code):
    from gitedit.errors import EXIT_STATUS  # noqa: PLC0415

    return EXIT_STATUS[code]
