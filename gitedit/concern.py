"""The quick answer of a hook: is there anything here for gitedit to judge? Only what Python has loaded anyway.

"Don't know" counts as yes: then the command is run, and judges. Git is asked once, or not at all.
"""

import os

from gitedit.git import pushed

_BATCHES = (".json", ".jsonl")
_KEY = b"gitedit-"
_PATCH = (
    *("diff-index", "--cached", "-p", "-U0", "--text", "--no-renames", "--no-relative", "--diff-filter=M"),
    *("--no-ext-diff", "--no-textconv", "--no-color", "HEAD", "--"),
)
"""New files are left out: nothing can flip there, and they may be large."""
_NAMES = ("diff-index", "--cached", "--name-only", "--no-renames", "--no-relative", "HEAD", "--", "*.gitedit.json*")
_CRLF = b"\r\n"
_MOST_TIPS = 100
_CHUNK = 1 << 16

_lines: bytes | None = None
"""What stood on standard input, once it has been read."""


def standard_input() -> bytes:
    """Return all of standard input, which git fills for pre-push and pre-receive; nothing at a terminal."""
    global _lines  # noqa: PLW0603 - it can be read but once, here or for the command
    if _lines is None:
        _lines = b"" if os.isatty(0) else _read(0)
    return _lines


def none(arguments: list[str]) -> bool:
    """Return whether this command line is a hook's, and certainly has nothing to judge."""
    name = " ".join(arguments[:2])
    answer = _ANSWERS.get(name)
    words = [word for word in arguments[2:] if (name, word) != ("endings --staged", "--fix")]
    if answer is None or any(word.startswith("-") for word in words) or not hasattr(os, "posix_spawn"):
        return False
    try:
        return answer(words)
    except (OSError, ValueError):
        return False


def _no_batch_named(names: list[str]) -> bool:
    return bool(names) and not any(name.endswith(_BATCHES) for name in names)


def _no_crlf(_: list[str]) -> bool:
    """A flip takes a line away that ended in CRLF, or brings one."""
    return _git_lacks(_PATCH, _CRLF)


def _nothing_staged(words: list[str]) -> bool:
    return not words and _git_lacks(_NAMES, b"\n") and _no_crlf(words)


def _silent_message(words: list[str]) -> bool:
    """Return whether a message file does not speak of us."""
    descriptor = os.open(words[0] if words else "", os.O_RDONLY)
    try:
        text = _read(descriptor)
    finally:
        os.close(descriptor)
    return _KEY not in text.lower() and b"\0" not in text


def _no_squash(words: list[str]) -> bool:
    source = words[1] if len(words) > 1 else os.environ.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")
    git_dir = os.environ.get("GIT_DIR", ".git")
    # Where `.git` is a file, only git knows whether a rebase squashes.
    usual = source != "squash" and os.path.isdir(git_dir) and not os.path.exists(os.path.join(git_dir, "rebase-merge"))
    return usual or _silent_message(words)


def _nothing_pushed(words: list[str]) -> bool:
    remote = words[0] if words else os.environ.get("PRE_COMMIT_REMOTE_NAME", "")
    return _silent(*pushed.by_push(standard_input(), os.environ, remote))


def _nothing_received(_: list[str]) -> bool:
    return _silent([new for _, new, _ in pushed.by_receive(standard_input())], ["--all"])


_ANSWERS = {
    "check --staged": _no_batch_named,
    "endings --staged": _no_crlf,
    "hook pre-commit": _nothing_staged,
    "hook commit-msg": _silent_message,
    "hook prepare-commit-msg": _no_squash,
    "hook pre-push": _nothing_pushed,
    "hook pre-receive": _nothing_received,
}


def _silent(tips: list[str], known: list[str]) -> bool:
    """Return whether no commit that `tips` reach, and `known` do not, speaks of us."""
    if not tips:
        return True
    if len(tips) > _MOST_TIPS:
        return False
    names, walk = _start(["rev-list", *dict.fromkeys(tips), "--not", *dict.fromkeys(known)])
    bodies, read = _start(["cat-file", "--batch", "--buffer"], names)
    os.close(names)
    # Not the text itself but what could hold it in another encoding is for the audit to look at, too.
    silent = _lacks(bodies, (_KEY, b"\0", b"\nencoding "))
    os.close(bodies)
    return all([_ended(walk), _ended(read), silent])


def _lacks(descriptor: int, texts: tuple[bytes, ...]) -> bool:
    rest = b""
    while piece := os.read(descriptor, _CHUNK):
        rest = (rest + piece).lower()
        if any(text in rest for text in texts):
            return False
        rest = rest[-16:]
    return True


def _git_lacks(arguments: tuple[str, ...], text: bytes) -> bool:
    """Return whether git succeeds and what it prints does not hold `text`."""
    out, child = _start([*arguments])
    lacks = _lacks(out, (text,))
    os.close(out)
    return _ended(child) and lacks


def _start(arguments: list[str], stdin: int | None = None) -> tuple[int, int]:
    """Start git; return its output and its process id. Importing subprocess costs more than git itself."""
    out, end = os.pipe()
    given = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull, "LC_ALL": "C"}
    given.update(dict.fromkeys(("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_LITERAL_PATHSPECS"), "0"))
    actions: list[tuple[int, ...] | tuple[int, int, str, int, int]] = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0) if stdin is None else (os.POSIX_SPAWN_DUP2, stdin, 0),
        (os.POSIX_SPAWN_DUP2, end, 1),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    words = ["git", "-c", "core.fsmonitor=false", *arguments]
    try:
        child = os.posix_spawnp("git", words, {**os.environ, **given}, file_actions=actions)
    finally:
        os.close(end)
    return out, child


def _ended(child: int) -> bool:
    return os.waitpid(child, 0)[1] == 0


def _read(descriptor: int) -> bytes:
    pieces = []
    while piece := os.read(descriptor, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)
