"""What `gitedit apply` does once its options are read, by typer or by `argv`; imports neither."""

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from gitedit.cli import streams
from gitedit.cli.invocation import Invocation
from gitedit.commands.request import ApplyRequest

if TYPE_CHECKING:
    from gitedit.commands.stream import Outcome
    from gitedit.publish.result import Result


class Asked(NamedTuple):
    """What one command line asks for."""

    request: ApplyRequest
    """Without the batch and the directory."""
    batch: str | None = None
    """A file, `-`, or None for standard input."""
    stream: bool = False
    diff: bool = False


def asked(
    *,
    batch: str | None = None,
    stream: bool = False,
    diff: bool = False,
    no_verify: bool = False,
    **options: Any,  # noqa: ANN401 (as ApplyRequest has them)
) -> Asked:
    """Return the options as typer names them as one value."""
    return Asked(ApplyRequest(batch=b"", verify=not no_verify, **options), batch, stream, diff)


def misuse(said: Asked) -> str | None:
    """Return what is wrong with this combination of options, or None."""
    request = said.request
    if request.commit and request.stage:
        return "--commit and --stage exclude each other"
    if not request.commit:
        given = {"--message": request.message is not None, "--sign": request.sign, "--signoff": request.signoff}
        for name, is_given in {**given, "--no-verify": not request.verify}.items():
            if is_given:
                return f"{name} is about a commit: it needs --commit"
    if said.stream and said.diff:
        return "--stream prints JSON lines; the patch is in each"
    if said.batch is None and streams.is_terminal(0):
        return "no batch: name a file, or send one to standard input"
    return None


def run(said: Asked, started: Invocation) -> int:
    """Apply, print, and return the exit status of what was done; a refusal of a single batch is raised."""
    request = said.request._replace(directory=started.directory)
    if said.stream:
        return _stream(said, request, started)
    request = request._replace(batch=streams.read_batch(said.batch, started.directory))
    from gitedit.commands.apply import apply  # noqa: PLC0415 - help and completion do not pay for it

    _tell(apply(request), started, diff=said.diff)
    return 0


def _stream(said: Asked, request: ApplyRequest, started: Invocation) -> int:
    """Print an outcome a line, as it happens; return the highest exit status. The summary goes to standard error."""
    from gitedit.commands.stream import stream  # noqa: PLC0415

    started.json = True
    done = failed = worst = 0
    try:
        with streams.open_batch(said.batch, started.directory) as source:
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
