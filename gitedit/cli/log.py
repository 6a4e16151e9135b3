"""`gitedit log`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app
from gitedit.cli.progress import Bar
from gitedit.errors import EditError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitedit.commands.log import Entry

Format = Literal["table", "json", "jsonl", "csv"]

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit log
  gitedit log --format csv main..topic
  gitedit log -- --branches --not main     behind --, as for 'git log'

Exit codes:
  0   listed, whatever the verdicts; 'gitedit audit' is the judge that exits with 1
  2   usage, or no such revision
  5   not a repository
  74  reading or writing failed
""",
)
def log(
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
    """List the recorded commits: id, date, verdict, agent, edits, files, strategies, subject."""
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    if started.json and form not in (None, "json"):
        raise EditError("usage", f"--json and --format {form} exclude each other", "leave one of them out")
    form = "json" if started.json else form or "table"
    started.json = form in ("json", "jsonl")
    from gitedit.commands import log as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.commands.audit import AuditRequest  # noqa: PLC0415

    request = AuditRequest(started.directory, tuple(revisions or ()), first_parent=first_parent, cache=not no_cache)
    with Bar("reading commits", quiet=started.quiet) as bar:
        entries = command.log(request, bar)
    if form != "table" or not started.quiet:
        streams.write_pieces(_rendered(entries, form))


def _rendered(entries: "Sequence[Entry]", form: Format) -> Iterable[str]:
    from gitedit.report import logged  # noqa: PLC0415

    match form:
        case "json":
            return logged.log_document(entries)
        case "jsonl":
            return logged.log_json_lines(entries)
        case "csv":
            return logged.log_rows(entries)
        case "table":
            pass
    if streams.is_terminal(1):
        from gitedit.report.richtable import log_table  # noqa: PLC0415

        return log_table(entries, streams.width(), colour=streams.colour(1))
    return logged.log_lines(entries)
