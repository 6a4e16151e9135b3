import os
import random
import subprocess

import pytest

from gitedit.record.trailers import is_blank, is_trailer, trailer_block

CUT = "# ------------------------ >8 ------------------------"
SOB = "Signed-off-by: T <t@example.invalid>"


@pytest.fixture(scope="module")
def git(tmp_path_factory):
    home = str(tmp_path_factory.mktemp("home"))
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {"NAME": "T", "EMAIL": "t@example.invalid", "DATE": "1700000000 +0000"}
    people = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in who.items()}
    config = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
    env = kept | people | config | {"HOME": home, "LC_ALL": "C.UTF-8"}

    def run(*args, stdin=""):
        done = subprocess.run(["git", *args], input=stdin.encode(), capture_output=True, cwd=home, env=env, check=True)
        return done.stdout.decode()

    run("init", "-q", "-b", "main")
    return run


def trailers_of(message):
    """What `git interpret-trailers --parse` prints, from our block."""
    lines = message.split("\n")
    block = trailer_block(lines)
    found = []
    last = False
    for line in lines[block.start : block.end]:
        if last and line[:1] in (" ", "\t", "\r"):
            found[-1] += " " + line
        elif not line.startswith("#"):
            last = is_trailer(line)
            if last:
                found.append(line)
    pairs = (line.split(":", 1) for line in found)
    return [(key.strip(" \t"), value.split()) for key, value in pairs]


def parsed(output):
    return [(key, value.split()) for key, value in (line.split(":", 1) for line in output.split("\n") if line)]


NONE = [
    "",
    "a",
    "Foo: bar",
    f"{SOB}",
    f"a\n{SOB}",
    "a\n\nb",
    "a\n\nBREAKING CHANGE: y\n",
    "a\n\nBREAKING CHANGE: y\nFoo: bar",
    "a\n\nFoo: bar\nb",
    "a\n\nFoo: bar\n\nb",
    "a\n\n: x",
    "a\n\n cont: x\n",
    "a\n\né: x",
    "a\n\nFoo_bar: x",
    "a\n\nFoo bar: x",
    f"a\n\n{SOB}\nb\nc\nd\ne\n",
    "a\n\nb\n cont\nFoo: x\n",
    f"# c\n{SOB}\n",
]
SOME = [
    "a\n\nFoo: bar",
    "a\n\nFoo: bar\n\n\n \n",
    "a\n\nFoo :bar",
    "a\n\nFoo: bar\n cont\n\tcont",
    f"a\n\nb\n{SOB}",
    f"a\n\n{SOB}\nb\nc\nd\n",
    f"a\n\n{SOB}\nb\nc\nd\ne\nFoo: x\n",
    "a\n\n(cherry picked from commit 1234)\nFoo: x\nb",
    "a\n\nFoo: x\n# comment\nBar: y\n",
    "a\n\nFoo: x\n# comment\n# comment\n",
    "a\n\nFoo: x\n\n# comment\n\n",
    "a\n\nFoo: x\n\nConflicts:\n\tsrc/a.py\n",
    "a\n\nFoo: x\n" + CUT + "\nb\n\nBar: y\n",
    "a\r\n\r\nFoo: x\r\n",
    "a\n\nb\n\n---\n\nFoo: x\n",
    "#1 a\n\nFoo: x\n",
    "#1 a\n#2 b\n\nFoo: x\n\n#3",
    "a\n\n-: x",
]


@pytest.mark.parametrize("message", NONE)
def test_no_block(message, git):
    lines = message.split("\n")
    block = trailer_block(lines)
    assert block.start == block.end
    assert parsed(git("interpret-trailers", "--parse", "--no-divider", stdin=message)) == []


@pytest.mark.parametrize("message", SOME)
def test_block_is_that_of_git(message, git):
    assert trailers_of(message) == parsed(git("interpret-trailers", "--parse", "--no-divider", stdin=message)) != []


def test_scissors_cut():
    assert trailer_block(["a", CUT, "b", ""]) == (1, 1, True)
    assert not trailer_block(["a", CUT]).cut


@pytest.mark.parametrize(
    "message",
    [
        f"\n\n{SOB}\n",
        f"\n \na\n\n{SOB}\n",
        "a\n\nb\n\n---\n\nFoo: x\n",
        f"{SOB}\n\nFoo: x",
        f"a\n\n{SOB}\n" + CUT + "\nx",
    ],
)
def test_block_is_that_of_git_log(message, git):
    tree = git("mktree").strip()
    commit = git("commit-tree", tree, "-F", "-", stdin=message).strip()
    shown = git("log", "-1", "--format=%(trailers:only,unfold)", commit).strip("\n")
    assert trailers_of(message) == parsed(shown)


POOL = [
    *["", "", "", " ", "\t", "\r", "Foo: bar", "Foo: bar", "Foo : x", "Foo: x\r", SOB, "signed-off-by: x"],
    *["Signed-off-by:x", "(cherry picked from commit 1)", " cont", "\tsrc/a.py", "# c", "#Foo: x", "Conflicts:"],
    *["---", "--- a", CUT, "a", "b", "BREAKING CHANGE: y", "é: x", ": x", "-: x", "* Foo: x", "\x0b", "\x0cFoo: x"],
    *["Gitedit-Record: v1", " delta=x", "1: 2"],
]


def test_random_messages_have_the_block_of_git(git):
    chosen = random.Random(20)  # noqa: S311 - the same messages each time
    for _ in range(500):
        lines = [chosen.choice(["a", "#a", "Foo:x"]), *chosen.choices(POOL, k=chosen.randrange(1, 10))]
        message = "\n".join(lines) + chosen.choice(["", "\n", "\n\n"])
        theirs = parsed(git("interpret-trailers", "--parse", "--no-divider", stdin=message))
        assert trailers_of(message) == theirs, message


def test_random_messages_end_where_git_adds(git):
    chosen = random.Random(21)  # noqa: S311 - the same messages each time
    for _ in range(200):
        lines = ["a", *chosen.choices(POOL, k=chosen.randrange(1, 10))]
        message = "\n".join(lines) + "\n"
        lines = message.split("\n")
        block = trailer_block(lines)
        added = git("interpret-trailers", "--no-divider", "--where", "end", "--trailer", "Mark: 1", stdin=message)
        before, _, after = added.partition("Mark: 1\n")
        assert before.startswith("\n".join(lines[: block.start])), message
        assert after == "\n".join(lines[block.end :]), message


@pytest.mark.parametrize(
    ("line", "blank"), [("", True), (" \t\r", True), ("\x0b", False), ("\u00a0", False), (" a", False)]
)
def test_is_blank(line, blank):
    assert is_blank(line) == blank


def test_hostile_messages_take_linear_time():
    assert trailer_block(["a", *["#"] * 300_000, ""]).end == 1
    assert trailer_block(["a", *[""] * 300_000, ""]).end == 1
    assert trailer_block(["a", "", *["Foo: x"] * 300_000, ""]).start == 2
    assert trailer_block(["a", "", *["\tb"] * 300_000, ""]).start == 300_002
