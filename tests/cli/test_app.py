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


OFFERS = {
    "gitedit nothing-like-it": [],
    "gitedit ap": ["apply"],
    "gitedit ": NAMES,
    "gitedit apply --mo": ["--mode"],
    "gitedit apply --mode ": ["strict", "anchored"],
    "gitedit --json apply --st": ["--stage", "--strict-eol", "--stream"],
    "gitedit schema --tool a": ["anthropic"],
    "gitedit apply some-f": [],
}


def test_bash_completes_when_tab_is_pressed(environment):
    script = run(environment, "--show-completion", "bash").out
    code = f"""
        # The script asks the command itself, by name, through env.
        gitedit() {{ :; }}
        env() {{ command env "${{@:1:$#-1}}" {sys.executable} -m gitedit; }}
        {script}
        complete -p gitedit | grep -q -- '-F _gitedit_completion' || exit 9
        while IFS= read -r line; do
            IFS=' ' read -r -a COMP_WORDS <<<"$line"
            [[ $line == *' ' ]] && COMP_WORDS+=("")
            COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
            _gitedit_completion gitedit </dev/null
            echo "${{COMPREPLY[*]}}"
        done
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
        input="\n".join(OFFERS) + "\n",
    )
    assert dict(zip(OFFERS, map(str.split, done.stdout.splitlines()), strict=True)) == OFFERS


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown_or_installed_when_a_shell_is_named(environment, shell):
    script = run(environment, "--show-completion", shell)
    assert (script.status, script.err) == (0, "")
    assert "_GITEDIT_COMPLETE" in script.out
    said = run(environment, "--install-completion", shell)
    assert (said.status, said.out.count("\n")) == (0, 1)
    files = [os.path.join(base, name) for base, _, names in os.walk(environment["HOME"]) for name in names]
    assert any("gitedit" in os.path.basename(name) for name in files)


def test_completion_is_a_usage_error_when_the_shell_is_unknown(environment):
    for option in ("--show-completion", "--install-completion"):
        said = run(environment, option, "tcsh")
        assert (said.status, said.out) == (2, "")
        assert said.err == f"error: invalid value for '{option}': 'tcsh' is none of bash, zsh, fish, powershell, pwsh\n"
