"""`gitedit recover`."""

import typer

from gitedit.cli import options, streams
from gitedit.cli.help import Command, new_app

app = new_app()


@app.command(
    cls=Command,
    epilog="""\
Examples:
  gitedit recover
  gitedit -C ../other-repository recover

Exit codes:
  0   nothing is left behind (any more)
  5   not a repository, or no work tree
  6   another gitedit is running: try again
  74  reading or writing failed
""",
)
def recover(
    context: typer.Context,
    *,
    directories: options.Directories = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Take back, or finish, what a killed run left behind.

    A run that was killed in the middle leaves a journal. If its commit is on the branch, the rest is finished; if the
    branch is where it was, files and index get back what they had. A file that somebody has changed since is left
    alone and named. 'gitedit apply' does the same before it writes anything, so this is for when you want to know.
    """
    started = options.of(context)
    started.add(directories, json=json, quiet=quiet)
    from gitedit.commands import recover as command  # noqa: PLC0415 - help and completion do not pay for it

    lines = command.recover(started.directory)
    if started.json:
        from gitedit.report.documents import document  # noqa: PLC0415

        streams.write(document({"ok": True, "lines": lines}))
    elif not started.quiet:
        from gitedit.report.escapes import visible  # noqa: PLC0415

        streams.write("".join(visible(line) + "\n" for line in lines))
