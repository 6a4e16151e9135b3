"""One transaction on refs: compare-and-swap, locks of a child that died, refusals told by looking."""

import os
import time

import pytest

from gitedit.errors import ConflictError, HookError, OperationError
from gitedit.git import process, refs, repository
from gitedit.git.refs import RefTransaction

MAIN = "refs/heads/main"


@pytest.fixture
def found(repo, monkeypatch):
    """A repository with two commits, and a third that no ref has; git is asked as the program asks it."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in repo.env.items():
        monkeypatch.setenv(name, value)
    repo.commit({"f": "1\n"})
    repo.commit({"f": "2\n"})
    return repository.find(process.for_apply(repo.path))


@pytest.fixture
def new(repo, found):
    return repo.git("commit-tree", "-p", found.head, "-m", "new", "HEAD^{tree}").decode()


@pytest.fixture
def begin(found):
    """Return a function that starts a transaction and asks for a move of main."""
    lock = os.open(os.devnull, os.O_RDONLY)
    started = []

    def start(ref, new, old, created=None):
        transaction = RefTransaction(found.at_top, "reason", lock)
        transaction.ask(ref, new, old, created or {})
        started.append(transaction)
        return transaction

    yield start
    for transaction in started:
        transaction.abort()
    os.close(lock)


def test_ref_moves_when_it_has_the_old_value(repo, found, new, begin):
    transaction = begin(MAIN, new, found.head, {"refs/gitedit/x": found.head})
    assert transaction.prepared()
    assert repo.oid() == found.head
    assert transaction.commit()
    assert (repo.oid(), repo.oid("refs/gitedit/x")) == (new, found.head)
    assert repo.git("reflog", "-1", "--format=%gs") == b"reason"


def test_ref_stays_when_it_has_another_value(repo, found, new, begin):
    transaction = begin(MAIN, new, repo.oid("HEAD~1"))
    assert not transaction.prepared()
    answer = transaction.abort()
    error = refs.refused(found, MAIN, repo.oid("HEAD~1"), answer)
    assert isinstance(error, ConflictError)
    assert error.code == "ref-moved"
    assert repo.oid() == found.head


def test_ref_stays_and_locks_go_when_it_is_aborted(repo, found, new, begin):
    transaction = begin(MAIN, new, found.head)
    assert transaction.prepared()
    assert os.path.exists(os.path.join(repo.path, ".git/refs/heads/main.lock"))
    transaction.abort()
    assert repo.oid() == found.head
    assert not os.path.exists(os.path.join(repo.path, ".git/refs/heads/main.lock"))


def test_nobody_can_switch_or_commit_when_it_is_prepared(repo, found, new, begin):
    assert begin(MAIN, new, found.head).prepared()
    assert repo.git("checkout", "-q", "-b", "other", check=False) != 0
    assert repo.git("commit", "-q", "--allow-empty", "-m", "x", check=False) != 0


@pytest.mark.parametrize("name", ["refs/heads/main.lock", "HEAD.lock"])
def test_refusal_is_locked_when_somebody_has_the_lock(repo, found, new, begin, name):
    with open(os.path.join(repo.path, ".git", name), "wb"):
        pass
    transaction = begin(MAIN, new, found.head)
    assert not transaction.prepared()
    error = refs.refused(found, MAIN, found.head, transaction.abort())
    assert isinstance(error, ConflictError)
    assert error.code == "locked"


def test_refusal_is_the_hook_s_when_it_vetoes(repo, found, new, begin):
    hook = os.path.join(repo.path, ".git/hooks/reference-transaction")
    os.makedirs(os.path.dirname(hook), exist_ok=True)
    with open(hook, "w", encoding="ascii") as stream:
        stream.write("#!/bin/sh\nexit 1\n")
    os.chmod(hook, 0o700)
    transaction = begin(MAIN, new, found.head)
    assert not transaction.prepared()
    assert isinstance(refs.refused(found, MAIN, found.head, transaction.abort()), HookError)


@pytest.mark.parametrize("refused", [False, True])
def test_answer_is_heard_when_the_hook_says_more_than_a_pipe_holds(repo, found, new, begin, refused):
    hook = os.path.join(repo.path, ".git/hooks/reference-transaction")
    os.makedirs(os.path.dirname(hook), exist_ok=True)
    with open(hook, "w", encoding="ascii") as stream:
        stream.write(f"#!/bin/sh\nhead -c 200000 /dev/zero | tr '\\0' x >&2\nexit {int(refused)}\n")
    os.chmod(hook, 0o700)
    transaction = begin(MAIN, new, found.head)
    assert transaction.prepared() != refused
    if refused:
        assert transaction.abort().err.endswith(b"\n")
    else:
        assert transaction.commit()
        assert repo.oid() == new


def test_child_ends_when_another_process_holds_its_input_open(found, new, begin):
    transaction = begin(MAIN, new, found.head)
    assert transaction.prepared()
    assert transaction.commit()
    held = os.dup(transaction._child.stdin.fileno())
    try:
        transaction.abort()
    finally:
        os.close(held)
    assert transaction._child.returncode is not None


def test_refusal_is_a_failure_when_there_is_nothing_to_see(found):
    assert isinstance(refs.refused(found, MAIN, found.head, process.Answer(128, b"", b"x")), OperationError)


def lock(repo, name, content=b""):
    path = os.path.join(repo.path, ".git", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as stream:
        stream.write(content)
    return path


def test_stale_locks_go_when_they_hold_our_id(repo, found, new):
    paths = [lock(repo, f"{MAIN}.lock", new.encode() + b"\n"), lock(repo, "HEAD.lock")]
    paths.append(lock(repo, "refs/gitedit/x.lock", found.head.encode() + b"\n"))
    refs.remove_stale_locks(found, {"refs/gitedit/x": found.head, MAIN: new})
    assert [path for path in paths if os.path.exists(path)] == []


def test_empty_head_lock_goes_when_the_child_died_after_it_had_moved_the_branch(repo, found, new):
    repo.git("update-ref", MAIN, new)
    path = lock(repo, "HEAD.lock")
    refs.remove_stale_locks(found, {MAIN: new})
    assert not os.path.exists(path)


@pytest.mark.parametrize("content", [b"", b"0" * 40 + b"\n", b"ref: refs/heads/x\n"])
def test_foreign_ref_lock_stays_when_it_does_not_hold_our_id(repo, found, new, content):
    paths = [lock(repo, f"{MAIN}.lock", content), lock(repo, "HEAD.lock", content)]
    refs.remove_stale_locks(found, {MAIN: new})
    assert all(os.path.exists(path) for path in paths)


def test_foreign_head_lock_stays_when_it_was_made_at_another_time(repo, found, new):
    ours = lock(repo, f"{MAIN}.lock", new.encode() + b"\n")
    os.utime(ours, (time.time() - 60,) * 2)
    path = lock(repo, "HEAD.lock")
    refs.remove_stale_locks(found, {MAIN: new})
    assert os.path.exists(path)
    assert not os.path.exists(ours)


def test_detached_head_lock_goes_when_it_holds_our_id(repo, found, new):
    repo.git("checkout", "-q", "--detach")
    path = lock(repo, "HEAD.lock", new.encode() + b"\n")
    refs.remove_stale_locks(found, {"HEAD": new})
    assert not os.path.exists(path)
