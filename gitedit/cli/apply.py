"""`gitedit apply`."""

from typing import Annotated

import typer

from gitedit.cli import options
from gitedit.cli.applying import asked, misuse, run
from gitedit.cli.help import Command, new_app
from gitedit.edits.model import Mode

app = new_app()

_EPILOG = """\
A batch is JSON; 'gitedit schema' prints all that it may hold. One file, or several in "files":
  {"path": "src/a.py", "edits": [{"oldText": "foo(1)", "newText": "foo(2)"}]}

Settings, weakest first:
  git config  gitedit.mode, match, agent, sign, strictEol, assistedBy, summary
  environment GITEDIT_MODE, _MATCH, _AGENT, _SESSION, _SIGN, _STRICT_EOL, ...
  the batch's own keys mode, message, agent, session; then options

Examples:
  gitedit apply batch.json                       change files, commit nothing
  gitedit apply --commit -m "Fix typo" <batch.json
  gitedit apply --commit --agent Claude:claude-opus-4 --json <batch.json
  gitedit apply --dry-run --diff batch.json | git apply --stat
  gitedit apply --stream --commit <batches.jsonl

Exit codes:
  0  done                                 6   somebody else changed something
  2  wrong usage                          7   a hook or signing said no
  3  bad batch                            8   verification failed
  4  an edit missed its one place         70  a bug
  5  repository or file in an unfit state 74  reading or writing failed
                                          130, 143  interrupted
After any of them but 0, files, index and branch are as they were. 6 is safe to
retry. (141, or 74 about standard output: done, but the result was not read.)
With --stream the run goes on after 3, 4 and 6, and the highest code wins.
"""


@app.command(cls=Command, epilog=_EPILOG)
def apply(
    context: typer.Context,
    batch: Annotated[
        str | None, typer.Argument(metavar="BATCH", help="A file, or - or nothing for standard input.")
    ] = None,
    *,
    commit: Annotated[bool, typer.Option("--commit", help="Commit the batch's lines, and nothing else.")] = False,
    stage: Annotated[bool, typer.Option("--stage", help="Put the batch's lines into the index as well.")] = False,
    message: Annotated[
        str | None, typer.Option("-m", "--message", metavar="MSG", help="Commit message; the record is appended.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option(help="How edits refer to the file.  [default: strict]")] = None,
    exact: Annotated[
        bool | None, typer.Option("--exact/--no-exact", help="Match exactly (line endings aside), never fuzzily.")
    ] = None,
    agent: Annotated[str | None, typer.Option(metavar="NAME:MODEL", help="Who wrote the edits.")] = None,
    session: Annotated[str | None, typer.Option(metavar="ID", help="Where they come from; kept in the record.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", "-n", help="Do everything but write.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Print the change as a patch that 'git apply' takes.")] = False,
    no_verify: Annotated[bool, typer.Option("--no-verify", help="Skip the pre-commit and commit-msg hooks.")] = False,
    sign: Annotated[
        bool | None, typer.Option("--sign/--no-sign", "-S", help="Sign the commit.  [default: as commit.gpgSign says]")
    ] = None,
    signoff: Annotated[bool, typer.Option("--signoff", "-s", help="Add your Signed-off-by.")] = False,
    require_clean: Annotated[
        bool, typer.Option("--require-clean", help="Refuse files with changes of your own.")
    ] = False,
    strict_eol: Annotated[
        bool | None, typer.Option("--strict-eol/--no-strict-eol", help="Refuse where git would convert line endings.")
    ] = None,
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Codec of the files, where it is not UTF-8.")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="One batch a line in, one result a line out, one commit each.")
    ] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Apply a batch of search-and-replace edits to files, byte for byte.

    Each oldText must be found in exactly one place; all edits of all files are applied, or none. Bytes outside the
    replaced text never change: no line ending, no encoding, no final newline. With --commit, the commit holds the
    batch's lines and nothing else, whatever else is staged or unsaved in the same files, and its message carries a
    record that proves it.

    Paths in the batch are relative to the current directory.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    said = asked(
        batch=batch,
        stream=stream,
        diff=diff,
        commit=commit,
        stage=stage,
        dry_run=dry_run,
        message=message,
        mode=mode,
        exact=exact,
        agent=agent,
        session=session,
        encoding=encoding,
        no_verify=no_verify,
        sign=sign,
        signoff=signoff,
        require_clean=require_clean,
        strict_eol=strict_eol,
    )
    wrong = misuse(said)
    if wrong is not None:
        context.fail(wrong)
    status = run(said, started)
    if status:
        raise typer.Exit(status)
