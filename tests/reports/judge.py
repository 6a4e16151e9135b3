"""Reported faults as cases: build the small repository, apply the batch, compare everything with what is right."""

import base64
import json
import os
import subprocess
import sys
from typing import NamedTuple

FILE = os.path.join(os.path.dirname(__file__), "cases.jsonl")
COMMAND = [sys.executable, "-m", "gitedit"]
_REFS = ("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags")
_TRAILER = ("-c", "trailer.separators=:", "-c", "core.commentChar=#", "log", "-1")
_RECORD = "--format=%(trailers:key=Gitedit-Record,valueonly)"


def cases(*, auto):
    """Return the cases that say exactly what to expect, or those that only say it in words."""
    with open(FILE, encoding="utf-8") as stream:
        return [case for case in map(json.loads, stream) if case["auto"] == auto]


class Built(NamedTuple):
    """A case's repository."""

    root: str
    cwd: str
    """Where the setup ended."""
    env: dict

    def git(self, *arguments, **variables):
        """Return what git prints; a failure is an empty answer."""
        env = {**self.env, **variables}
        return subprocess.run(["git", *arguments], check=False, cwd=self.cwd, env=env, capture_output=True).stdout

    def run(self, *arguments, data=b"", seconds=60, cwd=None, **variables):
        """Run the command line; return the finished process. It must not end in a traceback."""
        done = subprocess.run(
            [*COMMAND, *arguments],
            check=False,
            cwd=os.path.join(self.cwd, cwd or ""),
            env={**self.env, **variables},
            input=data,
            capture_output=True,
            timeout=seconds,
        )
        assert b"Traceback" not in done.stderr, done.stderr
        return done

    def path(self, *names):
        """Return an absolute path below where the setup ended."""
        return os.path.join(self.cwd, *names)

    def state(self):
        """Return everything that a refusal must leave as it was."""
        return {
            "files": _files(self.root),
            "refs": self.git(*_REFS),
            "head": self.git("rev-parse", "HEAD"),
            "symbolic": self.git("symbolic-ref", "-q", "HEAD"),
            "index": self.git("ls-files", "-s", "-v", "-z"),
        }


def build(case, tmp_path, env):
    """Run a case's setup script in a new folder."""
    root = tmp_path / "case"
    root.mkdir()
    where = tmp_path / "cwd"
    script = case["setup"] + '\npwd > "$CASE_CWD"'
    subprocess.run(
        ["bash", "-c", script], check=True, cwd=root, env={**env, "CASE_CWD": str(where)}, capture_output=True
    )
    return Built(str(root), where.read_text().rstrip("\n"), env)


def check(case, built):
    """Apply the case's batch with `--commit` and hold the outcome against what the case expects."""
    before = built.state()
    text = case["batch_raw"] if "batch_raw" in case else json.dumps(case["batch"])
    flags = ["--mode", "anchored"] if case["mode"] == "anchored" else []
    flags += ["-m", case["message"]] if "message" in case else []
    data = text.encode(errors="surrogateescape")
    done = built.run("apply", "-", "--commit", "--json", *flags, data=data, seconds=case.get("seconds", 20) * 4)
    report = json.loads(done.stdout)
    want = case["expect"]
    if want["result"] == "refused":
        assert report["error"]["code"] in want["codes"], report
        assert done.returncode in want["exit"]
        assert built.state() == before
        return
    assert done.returncode == 0, report
    _check_commit(built, before, want)
    edits = [edit for file in report["files"] for edit in file["edits"]]
    assert want.get("matchedVia") in (None, [edit["matchedVia"] for edit in edits])
    assert want.get("lines") in (None, [[edit["startLine"], edit["endLine"]] for edit in edits])
    if "message" in case:
        _check_message(built, case["message"])


def _check_commit(built, before, want):
    after = built.state()
    assert built.git("rev-parse", "HEAD^") == before["head"]
    assert after["symbolic"] == before["symbolic"]
    row, path, _ = built.git("diff-tree", "-r", "--no-renames", "--raw", "-z", "HEAD^", "HEAD").split(b"\0")
    old_mode, new_mode = row.split()[:2]
    assert old_mode == b":" + new_mode
    top = built.git("rev-parse", "--show-toplevel").rstrip(b"\n")
    disk = os.path.join(top, path)
    with open(disk, "rb") as stream:
        found = {"disk_b64": stream.read()}
    found["blob_b64"] = built.git("cat-file", "blob", b"HEAD:" + path)
    found["index_b64"] = built.git("cat-file", "blob", b":" + path)
    for name, content in found.items():
        if name in want:
            assert content == base64.b64decode(want[name]), name
    assert before["files"].pop(disk)[0] == after["files"].pop(disk)[0]
    assert after["files"] == before["files"]
    one, two = _entries(before["index"]), _entries(after["index"])
    one.pop(path, None)
    two.pop(path, None)
    assert two == one


def _check_message(built, message):
    text = built.git("-c", "i18n.logOutputEncoding=UTF-8", "log", "-1", "--format=%B").decode()
    assert text.startswith(message.rstrip("\n"))
    assert built.git(*_TRAILER, _RECORD).strip() != b""


def _entries(raw):
    rows = [row.split(b"\t", 1) for row in raw.split(b"\0") if row]
    return {path: meta for meta, path in rows}


def _files(root):
    found = {}
    for folder, folders, names in os.walk(os.fsencode(root)):
        folders[:] = [name for name in folders if name != b".git"]
        for name in names:
            path = os.path.join(folder, name)
            mode = os.lstat(path).st_mode
            if os.path.islink(path):
                body = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as stream:
                    body = stream.read()
            else:
                body = b""
            found[path] = (mode, body)
    return found
