"""The options that every command shares, for typer."""

from typing import Annotated

import typer

from gitedit.cli.invocation import Invocation

Directories = Annotated[
    list[str] | None,
    typer.Option("-C", metavar="DIR", help="Run as if started in DIR; each further -C is relative to the one before."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, also for an error.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Print only errors, and what --json or --diff asks for.")]


def of(context: typer.Context) -> Invocation:
    """Return the invocation that a command runs in."""
    found = context.obj
    if not isinstance(found, Invocation):
        raise TypeError("the command line was not started by gitedit.cli.app.run")
    return found
