"""The table of `argv` against typer's own, and what it leaves to typer."""

import pytest
import typer.main

from gitedit.cli import apply as typed
from gitedit.cli import argv
from gitedit.cli.applying import asked

COMMAND = typer.main.get_command(typed.app)


def names_of_typer():
    """Return every option of typer's `apply`: name -> (parameter, what the flag sets, takes a value)."""
    found = {}
    for parameter in COMMAND.params:
        if not hasattr(parameter, "secondary_opts") or parameter.param_type_name != "option":
            continue
        for name in parameter.opts:
            found[name] = (parameter.name, True if parameter.is_flag else None)
        for name in parameter.secondary_opts:
            found[name] = (parameter.name, False)
    return found


def test_every_option_of_the_table_is_typers_when_compared():
    known = names_of_typer()
    assert {name: known[name] for name in argv.FLAGS} == argv.FLAGS
    assert {name: known[name] for name in argv.VALUES} == {name: (set_, None) for name, set_ in argv.VALUES.items()}


def test_every_long_option_of_typer_is_in_the_table_when_it_is_not_help():
    missing = set(names_of_typer()) - set(argv.FLAGS) - set(argv.VALUES)
    assert {name for name in missing if name.startswith("--")} <= {"--help"}


PLAIN = [
    ["apply", "b.json"],
    ["apply", "-", "--commit", "--json"],
    ["apply", "--commit", "-m", "Fix it", "--agent", "A:b", "--session", "s", "b.json", "-C", "x", "-C", "y", "-q"],
    ["apply", "--mode", "anchored", "--exact", "--encoding", "latin-1", "--dry-run", "--diff", "b.json"],
    ["apply", "b", "--commit", "--no-verify", "--no-sign", "--signoff", "--require-clean", "--strict-eol"],
    ["apply", "--stream", "--no-exact", "--no-strict-eol", "b"],
]


@pytest.mark.parametrize("words", PLAIN)
def test_plain_form_means_the_same_when_typer_reads_it(words, monkeypatch):
    told = []
    monkeypatch.setattr(typed, "run", lambda said, started: told.append((said, started.directory, started.quiet)))
    with COMMAND.make_context("apply", words[1:], obj=argv.Invocation()) as context:
        COMMAND.invoke(context)
    plain = argv.read(words)
    started = argv.Invocation()
    started.add(plain.directories, json=plain.json, quiet=plain.quiet)
    assert told == [(plain.said, started.directory, started.quiet)]


LEFT = [
    [],
    ["--version"],
    ["check", "b.json"],
    ["-C", "x", "apply", "b.json"],
    ["apply", "--help"],
    ["apply", "--comm", "b"],
    ["apply", "--message=x", "b", "--commit"],
    ["apply", "-qn", "b"],
    ["apply", "--", "b"],
    ["apply", "a", "b"],
    ["apply", "b", "--mode", "loose"],
    ["apply", "b", "--commit", "--stage"],
    ["apply", "b", "-m", "without --commit"],
    ["apply", "b", "--commit", "-m"],
    ["apply", "b", "--commit", "-m", "--json"],
]


@pytest.mark.parametrize("words", LEFT)
def test_command_line_is_left_to_typer_when_it_is_not_plain(words):
    assert argv.read(words) is None


def test_nothing_is_asked_when_only_a_batch_is_named():
    assert argv.read(["apply", "b"]) == argv.Plain(asked(batch="b"), [], json=False, quiet=False)
