"""What `gitedit apply` does once its options are read, by typer or by `argv`; imports neither."""

import sys
from typing import TYPE_CHECKING, NamedTuple

from gitedit.cli import streams
from gitedit.cli.invocation import Invocation
from gitedit.commands.request import ApplyRequest
from gitedit.edits.model import Mode

if TYPE_CHECKING:
    from gitedit.commands.stream import Outcome
    from gitedit.publish.result import Result


class Asked(NamedTuple):
    """The options of one command line; None: not given."""

    batch: str | None = None
    stream: bool = False
    diff: bool = False
    commit: bool = False
    stage: bool = False
    dry_run: bool = False
    message: str | None = None
    mode: Mode | None = None
    exact: bool | None = None
    agent: str | None = None
    session: str | None = None
    encoding: str | None = None
    no_verify: bool = False
    sign: bool | None = None
    signoff: bool = False
    require_clean: bool = False
    strict_eol: bool | None = None


def misuse(asked: Asked) -> str | None:
    """Return what is wrong with this combination of options, or None."""
    if asked.commit and asked.stage:
        return "--commit and --stage exclude each other"
    if not asked.commit:
        given = {"--message": asked.message is not None, "--sign": asked.sign, "--signoff": asked.signoff}
        for name, is_given in {**given, "--no-verify": asked.no_verify}.items():
            if is_given:
                return f"{name} is about a commit: it needs --commit"
    if asked.stream and asked.diff:
        return "--stream prints JSON lines; the patch is in each"
    if asked.batch is None and streams.is_terminal(0):
        return "no batch: name a file, or send one to standard input"
    return None


def run(asked: Asked, started: Invocation) -> int:
    """Apply, print, and return the exit status of what was done; a refusal of a single batch is raised."""
    request = ApplyRequest(
        batch=b"" if asked.stream else streams.read_batch(asked.batch, started.directory),
        directory=started.directory,
        commit=asked.commit,
        stage=asked.stage,
        dry_run=asked.dry_run,
        message=asked.message,
        mode=asked.mode,
        exact=asked.exact,
        agent=asked.agent,
        session=asked.session,
        encoding=asked.encoding,
        verify=not asked.no_verify,
        sign=asked.sign,
        signoff=asked.signoff,
        require_clean=asked.require_clean,
        strict_eol=asked.strict_eol,
    )
    if asked.stream:
        return _stream(asked, request, started)
    from gitedit.commands.apply import apply  # noqa: PLC0415 - help and completion do not pay for it

    _tell(apply(request), started, diff=asked.diff)
    return 0


def _stream(asked: Asked, request: ApplyRequest, started: Invocation) -> int:
    """Print an outcome a line, as it happens; return the highest exit status. The summary goes to standard error."""
    from gitedit.commands.stream import stream  # noqa: PLC0415

    started.json = True
    done = failed = worst = 0
    try:
        with streams.open_batch(asked.batch, started.directory) as source:
            for outcome in stream(source, request):
                streams.write(_line(outcome))
                worst = max(worst, outcome.exit_status)
                done += outcome.error is None
                failed += outcome.error is not None
    finally:
        if not started.quiet and (streams.is_terminal(2) or sys.exception() is not None):
            streams.say(f"{done} applied, {failed} refused\n")
    return worst


def _line(outcome: "Outcome") -> str:
    from gitedit.report.documents import applied, refused  # noqa: PLC0415

    if outcome.error is not None:
        return refused(outcome.error)
    if outcome.result is None:
        raise TypeError("an outcome is a result or an error")
    return applied(outcome.result)


def _tell(result: "Result", started: Invocation, *, diff: bool) -> None:
    """Print the result: data on standard output, the rest on standard error."""
    # Each form of output imports what it needs: json, text or rich.
    if started.json:
        from gitedit.report.documents import applied  # noqa: PLC0415

        streams.write(applied(result))
        return
    from gitedit.report import text  # noqa: PLC0415

    if diff:
        streams.write(_patch(result))
    if not started.quiet:
        if diff:
            streams.say(text.plain(result))
        elif streams.is_terminal(1):
            from gitedit.report.terminal import rendered  # noqa: PLC0415

            streams.write(rendered(result, streams.width(), colour=streams.colour(1)))
        else:
            streams.write(text.plain(result))
        streams.say(text.notes(result, colour=streams.colour(2)))


def _patch(result: "Result") -> str:
    from gitedit.report.patch import unified  # noqa: PLC0415
    from gitedit.report.text import painted_patch, visible_patch  # noqa: PLC0415

    patch = "".join(unified(file.path, file.old, file.new, file.regions) for file in result.files)
    if not streams.is_terminal(1):
        return patch
    return painted_patch(patch) if streams.colour(1) else visible_patch(patch)
