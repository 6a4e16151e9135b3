"""The process: one command, then out, without the collector's passes and the interpreter's long goodbye (14 ms)."""

import gc
import os
import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit status."""
    gc.disable()
    status = 70
    try:
        from gitedit.cli.app import run  # noqa: PLC0415 - Ctrl-C while this imports is not a traceback either

        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = 130
    finally:
        # `run` has flushed what there was to flush; a second flush here could only fail again.
        os._exit(status)


if __name__ == "__main__":
    main()
