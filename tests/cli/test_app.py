"""The root command: help that teaches, options on both sides of the subcommand, completion, a quick start."""

import os
import re
import subprocess
import sys

import pytest

from gitedit import __version__
from gitedit.cli.app import ENTRIES

from .command import driven, run

NAMES = [entry.name for entry in ENTRIES]


def test_help_comes_on_standard_error_when_nothing_is_asked(environment):
    said = run(environment)
    assert (said.status, said.out) == (2, "")
    assert said.err == run(environment, "--help").out


def test_version_is_one_line_when_asked(environment):
    assert run(environment, "--version") == (0, f"gitedit {__version__}\n", "")


def test_help_lists_every_command_in_one_line_when_asked(environment):
    said = run(environment, "-h")
    assert (said.status, said.err) == (0, "")
    for entry in ENTRIES:
        assert re.search(rf"(?m)^  {entry.name} +{re.escape(entry.summary)}$", said.out)
    assert max(map(len, said.out.splitlines())) < 90


@pytest.mark.parametrize("name", NAMES)
def test_command_teaches_when_asked_for_help(environment, name):
    said = run(environment, name, "--help")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith(f"Usage: gitedit {name} ")
    assert "\nExamples:\n  gitedit " in said.out
    assert "\nExit codes:\n  0  " in said.out
    assert "\x1b" not in said.out
    assert max(map(len, said.out.splitlines())) < 100


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["aply"], "error: no such command 'aply'. Did you mean 'apply'?"),
        (["--nonsense"], "error: no such option: --nonsense"),
        (["apply", "--mode", "loose"], "error: invalid value for '--mode': 'loose' is not one of 'strict', 'anchored'"),
        (["apply", "--commit", "--stage"], "error: --commit and --stage exclude each other"),
        (["apply", "-m", "x"], "error: --message is about a commit: it needs --commit"),
        (["apply", "-S"], "error: --sign is about a commit: it needs --commit"),
        (["apply", "a", "b"], "error: got unexpected extra argument(s) (b)"),
        (["apply", "--json", "-s"], "error: --signoff is about a commit: it needs --commit"),
        (["show"], "error: missing argument 'COMMIT'"),
        (["x\x1b[2J\udcff"], r"error: no such command 'x\x1b[2J\udcff'"),
    ],
)
def test_usage_error_is_text_when_the_command_line_is_wrong(environment, arguments, sentence):
    said = run(environment, "--json", *arguments)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(sentence + "\n\nUsage: gitedit")
    assert said.err.splitlines()[-1].startswith("Try 'gitedit ")
    assert "\x1b" not in said.err


@pytest.mark.parametrize(
    ("arguments", "directory"),
    [
        (["apply"], "."),
        (["-C", "a", "apply"], "./a"),
        (["apply", "-C", "a"], "./a"),
        (["-C", "a", "-C", "b", "apply", "-C", "c", "-C", ""], "./a/b/c"),
        (["-C", "a", "apply", "-C", "/b"], "/b"),
    ],
)
def test_directories_add_up_when_given_on_both_sides(environment, arguments, directory):
    said = driven(environment, "request", *arguments)
    assert f"directory='{directory}'" in said.out


@pytest.mark.parametrize("arguments", [["--json", "apply"], ["apply", "--json"], ["-q", "--json", "apply", "-q"]])
def test_json_is_printed_when_asked_on_either_side(environment, arguments):
    said = driven(environment, "committed", *arguments)
    assert said.out.startswith('{"ok": true, ')
    assert (said.status, said.err) == (0, "")


@pytest.mark.parametrize("arguments", [["-q", "apply"], ["apply", "-q"], ["--quiet", "apply", "--quiet"]])
def test_nothing_is_printed_when_quiet_on_either_side(environment, arguments):
    assert driven(environment, "warned", *arguments) == (0, "", "")


def modules_of(environment, *arguments):
    """Return the modules that a command line imports."""
    code = (
        "import os, sys\n"
        "leave = os._exit\n"
        "def tell(status):\n"
        "    os.write(2, ' '.join(sys.modules).encode())\n"
        "    leave(status)\n"
        "os._exit = tell\n"
        "sys.argv[0] = 'gitedit'\n"
        "from gitedit.__main__ import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], check=False, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["apply", "--help"], ["schema"]])
def test_start_imports_only_what_it_needs_when_no_repository_is_read(environment, arguments):
    loaded = modules_of(environment, *arguments)
    assert not loaded & {"rich", "git", "unidiff", "pydantic", "tempfile", "gitedit.git.process", "asyncio"}
    commands = {name for name in NAMES if f"gitedit.cli.{name}" in loaded}
    assert commands == {name for name in arguments if name in NAMES}


def completed(environment, line):
    """Return what bash offers at the end of a command line, through the script that gitedit prints for it."""
    script = run(environment, "--show-completion", "bash")
    assert script.status == 0, script.err
    words = line.split(" ")
    code = (
        f'gitedit() {{ {sys.executable} -m gitedit "$@"; }}\n'
        f'env() {{ command env "${{@:1:$#-1}}" {sys.executable} -m gitedit; }}\n'
        f"{script.out}\n"
        f"COMP_WORDS=({' '.join(repr(word) for word in words)}); COMP_CWORD={len(words) - 1}\n"
        "complete -p gitedit | grep -q -- '-F _gitedit_completion' || exit 9\n"
        "_gitedit_completion gitedit\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    done = subprocess.run(["bash", "--norc", "-c", code], check=True, capture_output=True, text=True, env=environment)
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("gitedit nothing-like-it", []),
        ("gitedit ap", ["apply"]),
        ("gitedit ", NAMES),
        ("gitedit apply --mo", ["--mode"]),
        ("gitedit apply --mode ", ["strict", "anchored"]),
        ("gitedit --json apply --st", ["--stage", "--strict-eol"]),
        ("gitedit schema --tool a", ["anthropic"]),
        ("gitedit apply some-f", []),
    ],
)
def test_bash_completes_when_tab_is_pressed(environment, line, offers):
    assert completed(environment, line) == offers


def test_completion_is_installed_when_asked(environment):
    said = run({**environment, "SHELL": "/bin/bash"}, "--install-completion", "bash")
    if said.status:  # typer detects the shell from the parent process where it takes no name
        pytest.skip("no shell around")
    files = [os.path.join(base, name) for base, _, names in os.walk(environment["HOME"]) for name in names]
    assert any(name.endswith("gitedit.sh") for name in files)
