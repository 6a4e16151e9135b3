"""`gitedit apply --stream`: a batch a line in, an outcome each out, one repository kept open for all of them."""

from collections.abc import Iterator
from typing import IO, NamedTuple

from gitedit.commands.apply import Session
from gitedit.commands.request import ApplyRequest
from gitedit.edits.batch import MAX_BYTES
from gitedit.errors import BatchError, EditError
from gitedit.publish import signals
from gitedit.publish.result import Result

# A batch that is wrong, an edit that missed, somebody who was quicker: the next batch may be better.
_GOES_ON_AFTER = {3, 4, 6}


class Outcome(NamedTuple):
    """What became of one batch: one of the two is None."""

    result: Result | None
    error: EditError | None

    @property
    def exit_status(self) -> int:
        """What `apply` of that batch alone would exit with."""
        return self.error.exit_status if self.error else 0


def stream(source: IO[bytes], request: ApplyRequest) -> Iterator[Outcome]:
    """Apply each line of `source` as one batch, with the request's flags; yield each outcome as it happens.

    Goes on after exit statuses 3, 4 and 6, ends after any other. An interrupt takes effect between two batches.
    """
    session = Session(request.directory).for_many()
    try:
        # A line may be as long as a batch, and one byte more to be told that it is longer.
        while line := source.readline(MAX_BYTES + 2):
            if not line.strip():
                continue
            outcome = None
            interrupt = None
            try:
                with signals.interrupt_held():
                    outcome = _apply(session, request, line)
            except KeyboardInterrupt as error:
                if outcome is None:
                    raise
                # The batch is done, and is told, before the interrupt that came meanwhile.
                interrupt = error
            yield outcome
            if interrupt is not None:
                raise interrupt
            signals.raise_noted()
            if outcome.exit_status and outcome.exit_status not in _GOES_ON_AFTER:
                return
            _skip_rest(source, line)
    finally:
        session.close()


def _apply(session: Session, request: ApplyRequest, line: bytes) -> Outcome:
    try:
        if len(line) > MAX_BYTES + 1 and not line.endswith(b"\n"):
            raise BatchError("bad-batch", f"the line is larger than {MAX_BYTES // 2**20} MiB")
        return Outcome(session.apply(request._replace(batch=line)), None)
    except EditError as error:
        return Outcome(None, error)


def _skip_rest(source: IO[bytes], line: bytes) -> None:
    """Read to the end of a line that was too long to be read whole."""
    while len(line) > MAX_BYTES + 1 and line and not line.endswith(b"\n"):
        line = source.readline(MAX_BYTES + 2)
