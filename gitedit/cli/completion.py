"""`--show-completion SHELL` and `--install-completion SHELL`; without a shell's name, typer's own options guess it."""

import os
from typing import Literal, get_args

import typer

from gitedit.cli import streams

COMPLETE = "_GITEDIT_COMPLETE"
"""The variable by which a completion script asks; typer makes its name from the command's."""
Shell = Literal["bash", "zsh", "fish", "powershell", "pwsh"]
OPTIONS = ("--show-completion", "--install-completion")


def prepare(arguments: list[str]) -> list[str]:
    """Answer an option that names a shell; return the arguments that are left for the command line."""
    if len(arguments) != 2 or arguments[0] not in OPTIONS:
        return arguments
    option, shell = arguments
    if shell not in get_args(Shell):
        raise typer.BadParameter(f"'{shell}' is none of {', '.join(get_args(Shell))}", param_hint=f"'{option}'")
    if option == "--show-completion":
        # What typer's scripts themselves may ask; nothing is guessed on this way.
        os.environ[COMPLETE] = f"source_{shell}"
        return []
    from typer.completion import install  # type: ignore[attr-defined]  # noqa: PLC0415 - once in a lifetime

    name, path = install(shell=shell, prog_name="gitedit", complete_var=COMPLETE)
    streams.write(f"{name} completion installed in {path}; it works in the next shell\n")
    raise typer.Exit
