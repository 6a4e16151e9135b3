"""`gitedit schema`."""

from typing import Annotated

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app
from gitedit.commands.schema import Tool

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit schema >batch.schema.json
  gitedit schema --tool anthropic

Exit codes:
  0   done
  2   no such tool format
""",
)
def schema(
    context: typer.Context,
    *,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    tool: Annotated[
        Tool | None, typer.Option(help="Wrap the schema of one file's edits as a tool definition of that kind.")
    ] = None,
) -> None:
    """Print the JSON schema of a batch.

    Without --tool: everything that 'gitedit apply' takes by its canonical names, one file or several. With --tool: the
    definition of a tool 'edit' that a language model can call; its arguments are a batch as they are.
    """
    options.of(context).add(directories, json=json, quiet=quiet)
    from gitedit.commands import schema as command  # noqa: PLC0415

    streams.write(command.schema(tool))
