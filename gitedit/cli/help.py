"""Help in plain text: the part behind the options is printed as it is written, not wrapped."""

import inspect
from typing import TYPE_CHECKING

import typer
import typer.core

if TYPE_CHECKING:
    from typer._click.core import Context
    from typer._click.formatting import HelpFormatter


class Command(typer.core.TyperCommand):
    """A command whose epilog (examples, exit codes) stands as written."""

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002 - as the base has it
        """Write the epilog."""
        write_epilog(self.epilog, formatter)


class Group(typer.core.TyperGroup):
    """A command with commands of its own, whose epilog stands as written."""

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002 - as the base has it
        """Write the epilog."""
        write_epilog(self.epilog, formatter)


def write_epilog(epilog: str | None, formatter: "HelpFormatter") -> None:
    """Write an epilog line by line."""
    if epilog:
        formatter.write("\n" + inspect.cleandoc(epilog) + "\n")


def new_app() -> typer.Typer:
    """Return the `app` of a command's module. Without markup, rich is not imported for help and usage errors."""
    return typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
