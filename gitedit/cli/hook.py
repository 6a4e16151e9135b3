"""`gitedit hook`: what git and the pre-commit framework call, and putting it in place."""

import os
from typing import Annotated

import typer

from gitedit import concern
from gitedit.cli import options, streams
from gitedit.cli.help import Command, Group, new_app

app = new_app()

_Require = Annotated[
    list[str] | None,
    typer.Option("--require", metavar="RULE", help="agent:GLOB, author:GLOB or path:GLOB must have a verified record."),
]
_Unverifiable = Annotated[
    bool, typer.Option("--allow-unverifiable", help="Let pass what cannot be judged, as where history is cut off.")
]
_Shared = Annotated[
    bool, typer.Option("--shared", help="Also where core.hooksPath names a folder outside this repository.")
]
_CODES = """
Exit codes:
  0   nothing is wrong
  1   refused
  2   usage
  5   not a repository
  74  reading failed
"""


@app.callback(
    cls=Group,
    epilog="""\
Examples:
  gitedit hook install                     in this repository
  gitedit hook install pre-receive         on a server
  git config core.hooksPath .../hooks      the same scripts, as files

Exit codes:
  0   nothing is wrong
  1   refused
  2   usage
  5   not a repository
  74  reading failed
""",
)
def hook() -> None:
    """Run as a git hook, or put the hooks in place.

    'gitedit hook install' writes a few lines of shell for each hook; git and the pre-commit framework then call the
    others. What cannot concern gitedit is let pass in the time that Python takes to start.
    """


@app.command("pre-commit", cls=Command, short_help="Refuse bad batches and flipped line endings", epilog=_CODES)
def pre_commit(
    context: typer.Context,
    *,
    fix: Annotated[
        bool, typer.Option("--fix", help="Restore flipped line endings; also: git config gitedit.fixEndings true.")
    ] = False,
    directories: options.Directories = None,
) -> None:
    """Refuse batches that are wrong and line endings that flip, in what is staged."""
    started = options.of(context)
    started.add(directories)
    from gitedit.commands import hook as command  # noqa: PLC0415 - help and completion do not pay for it
    from gitedit.report import complaints  # noqa: PLC0415

    found = command.pre_commit(started.directory, fix=fix)
    streams.say(complaints.lines(found.complaints))
    streams.say("".join(map(complaints.fixed_line, found.fixed)) + "".join(map(complaints.left_line, found.left)))
    raise typer.Exit(int(bool(found.complaints)))


@app.command("prepare-commit-msg", cls=Command, short_help="Keep the records of a squash", epilog=_CODES)
def prepare_commit_msg(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE")],
    source: Annotated[str | None, typer.Argument(metavar="[SOURCE]", show_default=False)] = None,
    commit: Annotated[str | None, typer.Argument(metavar="[COMMIT]", show_default=False)] = None,  # noqa: ARG001 - git's
    *,
    directories: options.Directories = None,
) -> None:
    """On a squash, collect the records in the message into its trailer block."""
    started = options.of(context)
    started.add(directories)
    from gitedit.commands import hook as command  # noqa: PLC0415

    said = source or os.environ.get("PRE_COMMIT_COMMIT_MSG_SOURCE", "")
    command.prepare_commit_msg(started.directory, file, said)


@app.command("commit-msg", cls=Command, short_help="Refuse a record that does not fit the commit", epilog=_CODES)
def commit_msg(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE")],
    *,
    directories: options.Directories = None,
) -> None:
    """Refuse a message whose record does not fit what is committed."""
    started = options.of(context)
    started.add(directories)
    from gitedit.commands import hook as command  # noqa: PLC0415
    from gitedit.report.pushes import message_refused  # noqa: PLC0415

    problems = command.commit_msg(started.directory, file)
    if problems:
        streams.say(message_refused(problems, file))
        raise typer.Exit(1)


@app.command("pre-push", cls=Command, short_help="Stop a push of tampered commits", epilog=_CODES)
def pre_push(
    context: typer.Context,
    remote: Annotated[str | None, typer.Argument(metavar="[REMOTE]", show_default=False)] = None,
    url: Annotated[str | None, typer.Argument(metavar="[URL]", show_default=False)] = None,  # noqa: ARG001 - git's
    *,
    require: _Require = None,
    allow_unverifiable: _Unverifiable = False,
    directories: options.Directories = None,
) -> None:
    """Stop a push of commits that are not what they record."""
    started = options.of(context)
    started.add(directories)
    from gitedit.commands import push as command  # noqa: PLC0415
    from gitedit.report.pushes import push_refused  # noqa: PLC0415

    request = command.PushRequest(
        lines=concern.standard_input(),
        remote=remote or os.environ.get("PRE_COMMIT_REMOTE_NAME", ""),
        directory=started.directory,
        require=tuple(require or ()),
        allow_unverifiable=allow_unverifiable,
    )
    refused = command.pre_push(request, os.environ)
    if refused:
        streams.say(push_refused(refused, server=False))
        raise typer.Exit(1)


@app.command("pre-receive", cls=Command, short_help="On a server: refuse tampered commits", epilog=_CODES)
def pre_receive(
    context: typer.Context,
    *,
    require: _Require = None,
    allow_unverifiable: _Unverifiable = False,
    directories: options.Directories = None,
) -> None:
    """On a server, refuse pushed commits that are not what they record. Whatever goes wrong, the push is refused."""
    started = options.of(context)
    started.add(directories)
    from gitedit.commands import push as command  # noqa: PLC0415
    from gitedit.report.pushes import push_refused  # noqa: PLC0415

    request = command.PushRequest(
        lines=concern.standard_input(),
        directory=started.directory,
        require=tuple(require or ()),
        allow_unverifiable=allow_unverifiable,
    )
    refused = command.pre_receive(request)
    if refused:
        streams.say(push_refused(refused, server=True))
        raise typer.Exit(1)


@app.command("install", cls=Command, short_help="Put the hooks in place, beside others", epilog=_CODES)
def install(
    context: typer.Context,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[HOOK]...", help="None: those of a client; in a bare repository pre-receive."),
    ] = None,
    *,
    shared: _Shared = False,
    directories: options.Directories = None,
    quiet: options.Quiet = False,
) -> None:
    """Put the hooks in place; another hook that is there already is kept and runs first."""
    started = options.of(context)
    started.add(directories, quiet=quiet)
    from gitedit.commands import shims as command  # noqa: PLC0415

    unknown = [name for name in names or () if name not in command.NAMES]
    if unknown:
        context.fail(f"there is no hook {unknown[0]!a}: it must be one of {', '.join(command.NAMES)}")
    steps = command.install(started.directory, names or (), shared=shared)
    if not started.quiet:
        streams.write("".join(step.said + "\n" for step in steps))


@app.command("uninstall", cls=Command, short_help="Take the hooks away, put others back", epilog=_CODES)
def uninstall(
    context: typer.Context,
    *,
    shared: _Shared = False,
    directories: options.Directories = None,
    quiet: options.Quiet = False,
) -> None:
    """Take the hooks away, and put back the hooks from before."""
    started = options.of(context)
    started.add(directories, quiet=quiet)
    from gitedit.commands import shims as command  # noqa: PLC0415

    steps = command.uninstall(started.directory, shared=shared)
    if not started.quiet:
        streams.write("".join(step.said + "\n" for step in steps) or "gitedit has no hook here\n")
