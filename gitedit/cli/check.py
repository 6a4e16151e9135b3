"""`gitedit check`."""

import sys
from typing import Annotated

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit check batch.json                 would 'gitedit apply' take it?
  gitedit check --against-staged b.gitedit.json
  gitedit check --json                     every batch that the repository keeps

Exit codes:
  0   nothing is wrong
  1   something is: printed as file:line: code: message
  2   usage
  5   not a repository
  74  reading failed
""",
)
def check(
    context: typer.Context,
    batches: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[BATCH]...", help="Batch files, or - for one; none: *.gitedit.json and .jsonl.", show_default=False
        ),
    ] = None,
    *,
    staged: Annotated[
        bool,
        typer.Option(
            "--staged", help="As a hook: take batches from the index, and unchanged ones for their shape only."
        ),
    ] = False,
    against_staged: Annotated[
        bool,
        typer.Option("--against-staged", help="Their files' staged changes must be what the batches do, nothing more."),
    ] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Judge batches by what is staged, without writing anything.

    The shape of a batch is always judged. A batch that is named, or that the commit under way adds or changes, must
    also apply to the staged version of its files, or have been applied to them already. A .jsonl file holds one batch
    a line.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    from gitedit.commands import check as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.report import complaints  # noqa: PLC0415

    names = tuple(batches or ())
    stdin = streams.read_batch("-", started.directory) if "-" in names and not staged else b""
    found = command.check(
        command.CheckRequest(
            batches=names,
            directory=started.directory,
            staged=staged,
            against_staged=against_staged,
            stdin=stdin,
        )
    )
    if started.json:
        streams.write(complaints.checked_document(found.judged, found.complaints))
    else:
        streams.write(complaints.lines(found.complaints))
        if not (started.quiet or staged):
            failed = sum(one.state == "failed" for one in found.judged)
            streams.say(f"{len(found.judged)} batch{'es' * (len(found.judged) != 1)} judged, {failed} failed\n")
    sys.stdout.flush()
    raise typer.Exit(int(bool(found.complaints)))
