"""The process: one command, then out, without the collector's passes and the interpreter's long goodbye (14 ms)."""

import gc
import os
import sys

from gitedit import concern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line of this process and leave with its exit status."""
    gc.disable()
    status = 70
    try:
        # A hook with nothing to judge is gone before the import of typing alone would be done.
        status = 0 if concern.none(sys.argv[1:]) else _run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    finally:
        # `run` has flushed what there was to flush; a second flush here could only fail again.
        os._exit(status)


def _run(arguments: list[str]) -> int:
    # Imported here: Ctrl-C while this imports is not a traceback either.
    from gitedit.cli import argv  # noqa: PLC0415

    plain = argv.read(arguments)
    if plain is None:
        from gitedit.cli import app  # noqa: PLC0415

        return app.run(arguments)
    from gitedit.cli import running  # noqa: PLC0415

    return running.run(plain.run)


if __name__ == "__main__":
    main()
