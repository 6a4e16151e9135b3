"""`gitedit blame`."""

from typing import Annotated

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit blame src/a.py
  gitedit blame --json src/a.py main~3
  gitedit blame --ignore-revs-file .git-blame-ignore-revs src/a.py

Exit codes:
  0   shown
  2   usage, or no such revision
  5   not a repository, or no such file in it
  74  reading failed
""",
)
def blame(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="As for git: relative to the current directory.")],
    revision: Annotated[
        str, typer.Argument(metavar="[REV]", help="Whose version of it; default: HEAD.", show_default=False)
    ] = "HEAD",
    *,
    ignored: Annotated[
        str | None,
        typer.Option("--ignore-revs-file", metavar="FILE", help="Commits to look through, as for 'git blame'."),
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write finished verdicts.")] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show which commit each line comes from, and whether a recorded edit wrote it, by which agent and how.

    A line is recorded only where the audit has verified its commit and a recorded region wrote in it; every other
    line is unrecorded, whoever wrote it. Configuration (blame.*, textconv, replace refs) bends nothing.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    from gitedit.commands import blame as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.report.blamed import blame_document, blame_lines  # noqa: PLC0415

    request = command.BlameRequest(file, revision, started.directory, ignored, cache=not no_cache)
    found = command.blamed(request)
    if started.json:
        streams.write_pieces(blame_document(found))
    elif not started.quiet:
        streams.write_pieces(blame_lines(found))
