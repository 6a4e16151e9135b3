"""How every command line runs: streams and signals set up before it, whatever ends it turned into an exit status."""

import signal
from collections.abc import Callable

from gitedit.cli import failures, streams
from gitedit.cli.invocation import Invocation
from gitedit.errors import interrupted


def run(command: Callable[[Invocation], None]) -> int:
    """Run a command and return its exit status; everything is written and flushed by then."""
    streams.open_standard_streams()
    started = Invocation()
    try:
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # Under nohup it is ignored, and stays so.
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, interrupted)
        command(started)
    except BaseException as error:  # noqa: BLE001 - whatever it is, it ends in an exit status
        return failures.end(error, started)
    return 0
