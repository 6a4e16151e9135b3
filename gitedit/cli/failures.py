"""Whatever ends a command becomes an exit status and words: text on standard error, with --json a document as well."""

import signal
import sys
from collections.abc import Iterator

from gitedit import __version__
from gitedit.cli import streams
from gitedit.cli.invocation import Invocation
from gitedit.errors import EXIT_STATUS, EditError
from gitedit.report.escapes import shown_path, visible

CLOSED_PIPE = 128 + 13
_USAGE = "usage"


def end(error: BaseException, invocation: Invocation) -> int:
    """Say what there is to say about the exception that ended a command; return the exit status."""
    try:
        return _ended(error, invocation)
    except OSError as output:
        return _output_failed(output)
    except Exception as second:  # noqa: BLE001 - the last net there is
        streams.say(f"error: gitedit failed ({type(second).__name__}) while it reported {type(error).__name__}\n")
        return EXIT_STATUS["internal"]


def _ended(error: BaseException, invocation: Invocation) -> int:
    if isinstance(error, EditError):
        return _refuse(error, invocation)
    if isinstance(error, KeyboardInterrupt):
        number = getattr(error, "signal", signal.SIGINT)
        # What was kept of files that were in the way must be named here, too.
        hint = "; ".join(getattr(error, "__notes__", ()))
        _refuse(EditError("interrupted", f"interrupted by {signal.Signals(number).name}", hint), invocation)
        return 128 + number
    if isinstance(error, OSError):
        return _system_failed(error, invocation)
    if hasattr(error, "format_message"):
        return _misused(error)
    # typer.Exit; typer itself is not imported for the plain forms of apply.
    if isinstance(error, SystemExit) or hasattr(error, "exit_code"):
        return _left(error)
    return _bug(error, invocation)


def _left(error: BaseException) -> int:
    sys.stdout.flush()
    # SystemExit: how typer ends its own --install-completion and --show-completion.
    status = getattr(error, "exit_code", getattr(error, "code", None))
    return status if isinstance(status, int) else int(status is not None)


def _refuse(error: EditError, invocation: Invocation) -> int:
    """A usage error is text only: who calls it wrong did not ask for a document in a way that can be relied on."""
    if invocation.json and error.code != _USAGE:
        from gitedit.report.documents import refused  # noqa: PLC0415 - json is not for those who read text

        streams.write(refused(error))
    else:
        from gitedit.report.text import refusal  # noqa: PLC0415 - nor text for those who read json

        sys.stdout.flush()
        streams.say(refusal(error, colour=streams.colour(2)))
    return error.exit_status


def _system_failed(error: OSError, invocation: Invocation) -> int:
    if streams.reader_is_gone(error):
        return CLOSED_PIPE
    if isinstance(error, streams.OutputError):
        return _output_failed(error)
    path = f"{shown_path(str(error.filename))}: " if isinstance(error.filename, str) else ""
    return _refuse(EditError("io-error", f"{path}{error.strerror or error}"), invocation)


def _output_failed(error: OSError) -> int:
    """The command did its work; only its result did not get out."""
    if streams.reader_is_gone(error):
        return CLOSED_PIPE
    streams.say(f"error: cannot write to standard output: {error.strerror or error}\n")
    return EXIT_STATUS["io-error"]


def _misused(error: BaseException) -> int:
    """Say what typer found wrong with the command line, as git does: the sentence, then the usage."""
    context = getattr(error, "ctx", None)
    sentence = error.format_message() if hasattr(error, "format_message") else str(error)
    lines = [f"error: {_lower(sentence.rstrip('.'))}"]
    if context is not None:
        lines += ["", *context.get_usage().splitlines(), f"Try '{context.command_path} --help'."]
    streams.say("".join(visible(line) + "\n" for line in lines))
    return EXIT_STATUS[_USAGE]


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _bug(error: BaseException, invocation: Invocation) -> int:
    name = type(error).__name__
    found = EditError("internal", f"gitedit itself failed ({name})", "this is a bug: please report the text below")
    status = _refuse(found, invocation)
    streams.say("".join(visible(line) + "\n" for line in _report(error)))
    return status


def _report(error: BaseException) -> Iterator[str]:
    import platform  # noqa: PLC0415 - for the one case that should not be
    import traceback  # noqa: PLC0415

    yield "--- please report ---"
    yield f"gitedit {__version__}, Python {platform.python_version()}, {platform.platform()}"
    for entry in traceback.format_exception(error):
        yield from entry.rstrip("\n").split("\n")
    yield "---"
