"""`gitedit stats`."""

from typing import Annotated, Literal

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app
from gitedit.cli.progress import Bar
from gitedit.errors import EditError

Format = Literal["table", "json", "csv"]

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit stats
  gitedit stats --format csv main >stats.csv
  gitedit stats v1.0..main                 what this release holds

Exit codes:
  0   counted, whatever the verdicts
  2   usage, or no such revision
  5   not a repository
  74  reading or writing failed
""",
)
def stats(
    context: typer.Context,
    revisions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REVISIONS]...", help="As for 'git log'; none: HEAD.", show_default=False),
    ] = None,
    *,
    form: Annotated[Format | None, typer.Option("--format", help="Default: table.", show_default=False)] = None,
    first_parent: Annotated[bool, typer.Option("--first-parent", help="Follow only first parents.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write finished verdicts.")] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Count what recorded edits did and what is left of it, by agent, path and month.

    Lines are counted for verified commits only. A line at the head (the first revision named) counts as recorded
    where git's blame leads to a verified commit and a recorded region wrote in it.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    if started.json and form not in (None, "json"):
        raise EditError("usage", f"--json and --format {form} exclude each other", "leave one of them out")
    form = "json" if started.json else form or "table"
    started.json = form == "json"
    from gitedit.commands import stats as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.commands.audit import AuditRequest  # noqa: PLC0415
    from gitedit.report import counted  # noqa: PLC0415

    request = AuditRequest(started.directory, tuple(revisions or ()), first_parent=first_parent, cache=not no_cache)
    with Bar("reading files", quiet=started.quiet) as bar:
        found = command.stats(request, bar)
    if form == "json":
        streams.write(counted.stats_document(found))
    elif form == "csv":
        streams.write_pieces(counted.stats_rows(found))
    elif started.quiet:
        return
    elif streams.is_terminal(1):
        from gitedit.report.richtable import stats_tables  # noqa: PLC0415

        streams.write_pieces(stats_tables(found, streams.width(), colour=streams.colour(1)))
    else:
        streams.write_pieces(counted.stats_lines(found))
