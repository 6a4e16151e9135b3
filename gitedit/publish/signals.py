"""Signals as exceptions while a run is under way, and none at all while it takes its last step or is taken back."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from gitedit.errors import InterruptedBySignal

_ENDING = (signal.SIGTERM, signal.SIGHUP)
_HELD = (signal.SIGINT, *_ENDING)


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into InterruptedBySignal, as SIGINT already is a KeyboardInterrupt."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, _raise) for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let no ending signal in; one that comes is delivered afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def interrupt_held() -> Iterator[None]:
    """Let no SIGINT in, nor into children started meanwhile; one that comes is a KeyboardInterrupt at the end."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _raise(number: int, _frame: FrameType | None) -> None:
    raise InterruptedBySignal(number)
