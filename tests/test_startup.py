"""What a one-shot `gitedit apply --commit` loads and starts: start-up is a feature."""

import json
import subprocess
import sys

import pytest

HEAVY = {"git", "pydantic", "rich", "difflib", "shutil", "tempfile", "dataclasses", "typer", "pathlib", "logging"}
HEAVY |= {"random", "secrets"}
MOST_CHILDREN = 13


@pytest.fixture
def work(repo):
    repo.commit({"a.txt": "one\r\ntwo\n", "src/b.txt": "one\n", "src/c.txt": "one\n"})
    return repo


def batch(*names):
    files = [{"path": name, "edits": [{"oldText": "one", "newText": "1"}]} for name in names]
    return json.dumps({"files": files}).encode()


def apply(repo, data, *options, **variables):
    return subprocess.run(
        [sys.executable, *options, "-m", "gitedit", "apply", "-", "--commit", "--json"],
        cwd=repo.path,
        env={**repo.env, **variables},
        input=data,
        check=True,
        capture_output=True,
    )


def children(trace):
    """Return the subcommands that were started by gitedit itself, not by git."""
    with open(trace, encoding="utf-8") as stream:
        events = [json.loads(line) for line in stream]
    # A child of a child has its parent's session id in front of its own.
    return [event["argv"] for event in events if event["event"] == "start" and "/" not in event["sid"]]


def test_nothing_heavy_is_imported_when_a_batch_is_committed(work):
    table = apply(work, batch("a.txt"), "-X", "importtime").stderr.decode()
    rows = [line.split("|") for line in table.splitlines() if line.startswith("import time:") and "[us]" not in line]
    loaded = {name.strip() for _, _, name in rows}
    slowest = sorted(((int(total), name.strip()) for _, total, name in rows), reverse=True)[:15]
    print(*(f"{total / 1000:8.1f} ms  {name}" for total, name in slowest), sep="\n")  # noqa: T201 (shown when it fails)
    assert "gitedit.publish.transaction" in loaded
    assert not {name.partition(".")[0] for name in loaded} & HEAVY


@pytest.mark.parametrize("names", [("a.txt",), ("a.txt", "src/b.txt", "src/c.txt")])
def test_few_children_run_whatever_the_number_of_files_when_a_batch_is_committed(work, tmp_path, names):
    trace = tmp_path / "trace"
    apply(work, batch(*names), GIT_TRACE2_EVENT=str(trace))
    # The clean room has an empty environment, so its one diff-tree leaves no trace.
    assert len(children(trace)) + 1 <= 11


def test_children_stay_within_bounds_when_git_must_be_asked_about_line_endings(work, tmp_path):
    work.git("config", "core.autocrlf", "true")
    trace = tmp_path / "trace"
    apply(work, batch("a.txt", "src/b.txt"), GIT_TRACE2_EVENT=str(trace))
    assert len(children(trace)) + 1 <= MOST_CHILDREN


def test_one_child_a_commit_is_started_when_batches_are_streamed(work, tmp_path):
    trace = tmp_path / "trace"
    steps = [(f"{old}\r\n", f"{new}\r\n") for old, new in zip(["one", *"abcdef"], "abcdefg", strict=True)]
    lines = [{"path": "a.txt", "edits": [{"oldText": old, "newText": new}]} for old, new in steps]
    data = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    subprocess.run(
        [sys.executable, "-m", "gitedit", "apply", "--stream", "--commit"],
        cwd=work.path,
        env={**work.env, "GIT_TRACE2_EVENT": str(trace)},
        input=data,
        check=True,
        capture_output=True,
    )
    assert work.git("rev-list", "--count", "HEAD") == b"8"
    words = [next(word for word in argv[1:] if word[0] != "-" and "=" not in word) for argv in children(trace)]
    started = {name: words.count(name) for name in words}
    # One `update-ref` may live for a second, so that the reflog tells the time.
    assert started.pop("update-ref") <= len(lines)
    assert started.pop("update-index") == len(lines)
    assert started.pop("hash-object") == len({"blob", "tree", "commit"})
    # The first commit tells who commits.
    assert started.pop("commit-tree") == 1
    assert set(started.values()) == {1}
