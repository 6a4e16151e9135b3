"""A progress bar on standard error, for runs that take longer than people wait: nothing before a second has passed."""

import os
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Self

from gitedit.cli import streams

if TYPE_CHECKING:
    from rich.progress import Progress

_SECONDS = 1.0


class Bar:
    """Shows what it is told while its block runs; only at a terminal that can take a line back, and never if quiet."""

    def __init__(self, what: str, *, quiet: bool) -> None:
        self._what = what
        self._shown: Progress | None = None
        self._lock = threading.Lock()
        self._over = quiet or not streams.is_terminal(2) or os.environ.get("TERM", "dumb") == "dumb"
        self._done = 0
        self._total: int | None = None
        self._timer: threading.Timer | None = None

    def __enter__(self) -> Self:
        """Begin to wait."""
        if not self._over:
            self._timer = threading.Timer(_SECONDS, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Take the bar away."""
        with self._lock:
            self._over = True
        if self._timer:
            self._timer.cancel()
        if self._shown:
            self._shown.stop()

    def __call__(self, done: int, total: int | None = None) -> None:
        """Say how much is done, and of how much where that is known."""
        self._done, self._total = done, total
        if self._shown:
            self._shown.update(self._shown.task_ids[0], completed=done, total=total)

    def _show(self) -> None:
        from rich.console import Console  # noqa: PLC0415 - for long runs only
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,}"), TimeElapsedColumn())
        bar = Progress(*columns, console=Console(stderr=True, no_color=not streams.colour(2)), transient=True)
        bar.add_task(self._what, total=self._total, completed=self._done)
        with self._lock:
            if not self._over:
                bar.start()
                self._shown = bar
