"""`gitedit endings`."""

import os
from typing import Annotated

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit endings                          what did that tool do to my line endings?
  gitedit endings --fix src/mixed.txt
  gitedit endings --staged                 as the pre-commit hook does

Exit codes:
  0   no ending flipped
  1   some did, also when --fix has restored them: add and commit again
  2   usage
  5   not a repository
  74  reading or writing failed
""",
)
def endings(
    context: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="None: every file.", show_default=False)
    ] = None,
    *,
    staged: Annotated[bool, typer.Option("--staged", help="Judge what is staged, not the work tree.")] = False,
    fix: Annotated[
        bool, typer.Option("--fix", help="Restore the endings of lines whose text is unchanged; keep the real edits.")
    ] = False,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find lines whose ending (LF or CRLF) flips while their text stays.

    New and deleted lines are free, and so is an ending that a parent of the commit has, in a merge any of them.
    Whether the last line ends in a newline is not looked at. With --staged --fix, index and disk get the endings back;
    under the pre-commit framework the disk only.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    from gitedit.commands import endings as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.report import complaints  # noqa: PLC0415

    found = command.endings(
        command.EndingsRequest(
            files=tuple(files or ()),
            directory=started.directory,
            staged=staged,
            fix=fix,
            disk_only="PRE_COMMIT" in os.environ,
        )
    )
    if started.json:
        streams.write(complaints.endings_document(found.complaints, found.fixed))
    else:
        streams.write(complaints.lines(found.complaints))
        for path in found.fixed if not started.quiet else ():
            streams.say(complaints.fixed_line(path))
    for reason in found.left:
        streams.say(complaints.left_line(reason))
    raise typer.Exit(int(bool(found.complaints)))
