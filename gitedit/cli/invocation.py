"""What `-C`, `--json` and `-q` say before and after the subcommand, and the options that every command shares."""

import os
from typing import Annotated

import typer

Directories = Annotated[
    list[str] | None,
    typer.Option("-C", metavar="DIR", help="Run as if started in DIR; each further -C is relative to the one before."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, also for an error.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only errors, and what --json or --diff asks for.")]


class Invocation:
    """The one mutable thing here: filled while options are read, and asked again when something goes wrong."""

    def __init__(self) -> None:
        self.directory = "."
        """What paths are relative to."""
        self.json = False
        self.quiet = False

    def add(self, directories: list[str] | None, *, json: bool = False, quiet: bool = False) -> None:
        """Take in what one level of the command line said."""
        for directory in directories or ():
            # As git's: an empty -C changes nothing.
            self.directory = os.path.join(self.directory, directory) if directory else self.directory
        self.json |= json
        self.quiet |= quiet


def of(context: typer.Context) -> Invocation:
    """Return the invocation that a command runs in."""
    found = context.obj
    if not isinstance(found, Invocation):
        raise TypeError("the command line was not started by gitedit.cli.app.run")
    return found
