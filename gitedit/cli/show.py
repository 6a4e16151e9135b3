"""`gitedit show`."""

from typing import Annotated

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit show HEAD
  gitedit show --json main~3

Exit codes:
  0   shown, whatever it says; 'gitedit audit' is the judge that exits with 1
  2   no such revision
  5   not a repository
  74  reading failed
""",
)
def show(
    context: typer.Context,
    commit: Annotated[str, typer.Argument(metavar="COMMIT", help="Any name that git knows for one commit.")],
    *,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write finished verdicts.")] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Show a commit's record in words, and whether the commit is exactly what it says.

    "Holds" means: held against the objects themselves, the commit changes the recorded bytes of the recorded files
    and nothing else, also where a rebase, cherry-pick or squash has brought them. A commit without a record is an
    ordinary commit, and no error.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    from gitedit.commands import show as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.report.record import shown_document, words  # noqa: PLC0415

    found = command.show(started.directory, commit, cache=not no_cache)
    if started.json:
        streams.write(shown_document(found))
    elif not started.quiet:
        streams.write(words(found))
