"""A typer app with the options of `gitedit apply` that does nothing: what a command of that shape costs at least."""

from typing import Annotated, Literal

import typer

app = typer.Typer()


@app.callback()
def root(
    context: typer.Context,
    *,
    directories: Annotated[list[str] | None, typer.Option("-C", metavar="DIR")] = None,
    json: Annotated[bool, typer.Option("--json")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet")] = False,
    version: Annotated[bool, typer.Option("--version")] = False,
):
    """Root."""


@app.command()
def apply(
    batch: Annotated[str | None, typer.Argument(metavar="BATCH")] = None,
    *,
    commit: Annotated[bool, typer.Option("--commit")] = False,
    stage: Annotated[bool, typer.Option("--stage")] = False,
    message: Annotated[str | None, typer.Option("-m", "--message")] = None,
    mode: Annotated[Literal["strict", "anchored"] | None, typer.Option()] = None,
    exact: Annotated[bool | None, typer.Option("--exact/--no-exact")] = None,
    agent: Annotated[str | None, typer.Option()] = None,
    session: Annotated[str | None, typer.Option()] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n")] = False,
    diff: Annotated[bool, typer.Option("--diff")] = False,
    no_verify: Annotated[bool, typer.Option("--no-verify")] = False,
    sign: Annotated[bool | None, typer.Option("--sign/--no-sign", "-S")] = None,
    signoff: Annotated[bool, typer.Option("--signoff", "-s")] = False,
    require_clean: Annotated[bool, typer.Option("--require-clean")] = False,
    strict_eol: Annotated[bool | None, typer.Option("--strict-eol/--no-strict-eol")] = None,
    encoding: Annotated[str | None, typer.Option()] = None,
    directories: Annotated[list[str] | None, typer.Option("-C", metavar="DIR")] = None,
    json: Annotated[bool, typer.Option("--json")] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet")] = False,
):
    """Do nothing."""


if __name__ == "__main__":
    app()
