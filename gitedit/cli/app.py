"""The root command: the list of commands, what stands before a subcommand, and how a run ends."""

import importlib
import os
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
import typer.core
import typer.main

from gitedit import __version__
from gitedit.cli import completion, invocation, options, running, streams
from gitedit.cli.help import write_epilog

if TYPE_CHECKING:
    from typer._click.core import Command, Context
    from typer._click.formatting import HelpFormatter


class Entry(NamedTuple):
    """One command."""

    name: str
    section: str
    """Heading under which the root's help lists it; entries of a section stand together."""
    summary: str
    """One line."""

    @property
    def module(self) -> str:
        """Where its `app` is."""
        return f"gitedit.cli.{self.name}"


ENTRIES = (
    Entry("apply", "Edit", "Apply a batch of edits; commit exactly those lines"),
    Entry("check", "Edit", "Judge batches by what is staged; write nothing"),
    Entry("endings", "Edit", "Find line endings that a change flipped, and restore them"),
    Entry("recover", "Edit", "Take back, or finish, what a killed run left behind"),
    Entry("audit", "Look at history", "Prove what every recorded commit did"),
    Entry("log", "Look at history", "List the recorded commits, and what became of them"),
    Entry("show", "Look at history", "Show a commit's record, and whether it holds"),
    Entry("blame", "Look at history", "Show which lines of a file recorded edits wrote"),
    Entry("stats", "Look at history", "Count what agents wrote, by agent, path and month"),
    Entry("hook", "Set up", "Judge commits and pushes from git's hooks; install them"),
    Entry("schema", "Set up", "Print the JSON schema of a batch, also as a tool for models"),
)


class LazyGroup(typer.core.TyperGroup):
    """A group that knows its commands' names and summaries, and imports a command when it is called."""

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - handed through
        named = {e.name: typer.core.TyperCommand(e.name, short_help=e.summary, rich_markup_mode=None) for e in ENTRIES}
        super().__init__(**{**attributes, "commands": named})
        self._names_only = False

    def get_command(self, ctx: "Context", cmd_name: str) -> "Command | None":
        """Return the whole command, or its name and summary while names are completed."""
        entry = next((entry for entry in ENTRIES if entry.name == cmd_name), None)
        if entry is None or self._names_only:
            return super().get_command(ctx, cmd_name)
        return typer.main.get_command(importlib.import_module(entry.module).app)

    def list_commands(self, ctx: "Context") -> list[str]:  # noqa: ARG002 - as the base has it
        """Return the names in the order of the help."""
        return [entry.name for entry in ENTRIES]

    def shell_complete(self, ctx: "Context", incomplete: str) -> list[Any]:
        """Complete names and options."""
        self._names_only = True
        return super().shell_complete(ctx, incomplete)

    def format_commands(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002 - as the base has it
        """Write one list of commands per section."""
        width = max(len(entry.name) for entry in ENTRIES)
        for section in dict.fromkeys(entry.section for entry in ENTRIES):
            with formatter.section(section):
                formatter.write_dl([(e.name.ljust(width), e.summary) for e in ENTRIES if e.section == section])

    def format_epilog(self, ctx: "Context", formatter: "HelpFormatter") -> None:  # noqa: ARG002 - as the base has it
        """Write the epilog as it is."""
        write_epilog(self.epilog, formatter)

    def format_options(self, ctx: "Context", formatter: "HelpFormatter") -> None:
        """Write the commands first: they are what people look for."""
        self.format_commands(ctx, formatter)
        typer.core.TyperCommand.format_options(self, ctx, formatter)  # type: ignore[arg-type]


def _version(value: bool) -> None:  # noqa: FBT001 - typer calls it so
    if value:
        streams.write(f"gitedit {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    cls=LazyGroup,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(
    invoke_without_command=True,
    epilog="""\
Examples:
  gitedit apply batch.json                 change files, commit nothing
  gitedit apply --commit -m "Fix typo" <batch.json
  gitedit apply --dry-run --diff - <batch.json
  gitedit show HEAD                        what the record says, and whether it holds

'gitedit COMMAND --help' explains a command, its options and its exit codes.
""",
)
def root(
    context: typer.Context,
    *,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    version: Annotated[  # noqa: ARG001 - its callback does it
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Apply batches of search-and-replace edits byte for byte, and commit exactly the lines they change.

    The commit message carries a record of the edits, which anybody can later hold against the commit itself.
    """
    options.of(context).add(directories, json=json, quiet=quiet)
    if context.invoked_subcommand is None:
        streams.say(context.get_help() + "\n")
        raise typer.Exit(2)


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit status."""

    def invoke(started: invocation.Invocation) -> None:
        command = typer.main.get_command(app)
        words = completion.prepare(arguments)
        if completion.COMPLETE in os.environ:
            command.main(words, "gitedit")
        with command.make_context("gitedit", words, obj=started) as context:
            command.invoke(context)

    return running.run(invoke)
