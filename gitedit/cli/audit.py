"""`gitedit audit`."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app
from gitedit.cli.progress import Bar
from gitedit.errors import EditError

if TYPE_CHECKING:
    from gitedit.audit.model import AuditReport

Format = Literal["table", "json", "jsonl", "csv", "markdown", "sarif", "junit"]
Level = Literal["error", "warning", "note"]

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit audit                            all of HEAD's history
  gitedit audit main..topic                what a pull request brings
  gitedit audit --require 'agent:Claude:*' --first-parent main
  gitedit audit --batch batch.json         which commits did this, and to the byte?
  gitedit audit --format sarif main >audit.sarif
  gitedit audit -- --branches --not main   behind --, as for 'git log'

Exit codes:
  0   nothing at or above --fail-on
  1   something is, a commit lies at the edge of a shallow clone, or no commit records the batch
  2   usage, or no such revision
  3   not a batch
  5   not a repository
  74  reading or writing failed
""",
)
def audit(
    context: typer.Context,
    revisions: Annotated[
        list[str] | None,
        typer.Argument(metavar="[REVISIONS]...", help="As for 'git log'; none: HEAD.", show_default=False),
    ] = None,
    *,
    form: Annotated[Format | None, typer.Option("--format", help="Default: table.", show_default=False)] = None,
    batch: Annotated[
        str | None, typer.Option("--batch", metavar="FILE", help="Only commits that record this batch; - for stdin.")
    ] = None,
    fail_on: Annotated[Level, typer.Option("--fail-on", help="The weakest finding to exit with 1 for.")] = "error",
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:GLOB", help="Who owes a record: agent:GLOB, author:GLOB or path:GLOB; repeatable."),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="List ordinary commits, too.")] = False,
    first_parent: Annotated[bool, typer.Option("--first-parent", help="Follow only first parents.")] = False,
    signatures: Annotated[
        bool,
        typer.Option(
            "--signatures", help="Have git verify signatures, by the program you configured; a bad one is an error."
        ),
    ] = False,
    allow_unverifiable: Annotated[
        bool, typer.Option("--allow-unverifiable", help="Missing objects and cut off history are warnings.")
    ] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor write finished verdicts.")] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Prove from git objects alone what every recorded commit did.

    The record in a commit's message is held against the commit's own bytes, wherever rebase, cherry-pick or squash
    brought them. Nothing is run, fetched or believed. docs/provenance.md says what each verdict means.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    form = _form(form, json=started.json)
    started.json = form in ("json", "jsonl")
    if batch == "-" and streams.is_terminal(0):
        raise EditError("usage", "no batch: send one to standard input", "as in 'gitedit audit --batch - <batch.json'")
    from gitedit.commands import audit as command  # noqa: PLC0415 - help and completion do not pay for it

    request = command.AuditRequest(
        directory=started.directory,
        revisions=tuple(revisions or ()),
        every_commit=every,
        first_parent=first_parent,
        require=tuple(require or ()),
        allow_unverifiable=allow_unverifiable,
        signatures=signatures,
        cache=not no_cache,
        batch=None if batch is None else streams.read_batch(batch, started.directory),
    )
    with Bar("reading commits", quiet=started.quiet) as bar:
        report = command.audit(request, bar)
    if form != "table" or not started.quiet:
        streams.write_pieces(_rendered(report, form, fail_on=fail_on, allow_unverifiable=allow_unverifiable))
    raise typer.Exit(command.exit_status(report, fail_on=fail_on, allow_unverifiable=allow_unverifiable))


def _form(form: Format | None, *, json: bool) -> Format:
    if json and form not in (None, "json"):
        raise EditError("usage", f"--json and --format {form} exclude each other", "leave one of them out")
    return "json" if json else form or "table"


def _rendered(report: "AuditReport", form: Format, *, fail_on: Level, allow_unverifiable: bool) -> Iterable[str]:
    # Each form imports what it needs, rich last of all.
    match form:
        case "json":
            pieces = report.json_pieces()
        case "jsonl":
            from gitedit.report.audited import lines  # noqa: PLC0415

            pieces = lines(report)
        case "csv":
            from gitedit.report.rows import audit_rows  # noqa: PLC0415

            pieces = audit_rows(report)
        case "markdown":
            from gitedit.report.markdown import audit_markdown  # noqa: PLC0415

            pieces = audit_markdown(report)
        case "sarif":
            from gitedit.report.sarif import audit_sarif  # noqa: PLC0415

            pieces = audit_sarif(report)
        case "junit":
            from gitedit.report.junit import audit_junit  # noqa: PLC0415

            pieces = audit_junit(report, fail_on=fail_on, allow_unverifiable=allow_unverifiable)
        case "table" if streams.is_terminal(1):
            from gitedit.report.richtable import audit_table  # noqa: PLC0415

            pieces = audit_table(report, streams.width(), colour=streams.colour(1))
        case "table":
            from gitedit.report.table import audit_lines  # noqa: PLC0415

            pieces = audit_lines(report)
    return pieces
