"""Signals as exceptions while a run can still be taken back, and only noted once it can't.

A run is interrupted at most once: what takes it back must not be interrupted itself, however often Ctrl-C is pressed.
"""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from gitedit.errors import InterruptedBySignal, interrupted

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OURS = (signal.SIG_DFL, signal.default_int_handler, interrupted)
"""Handlers that are replaced for a while; one of the program that calls us is not."""


class _Noted:
    """What the handler does, and what it did."""

    only = False
    """Signals are noted, not raised."""
    number: int | None = None
    """The signal that came too late to be raised."""


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Turn SIGINT into KeyboardInterrupt, SIGTERM and SIGHUP into InterruptedBySignal: the first one only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _Noted.only, _Noted.number = False, None
    before = {number: signal.getsignal(number) for number in _ENDING}
    ours = [number for number, handler in before.items() if handler in _OURS]
    try:
        for number in ours:
            signal.signal(number, _raise)
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Let no ending signal in; one that comes is delivered afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
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


def note_only() -> None:
    """From here to the end of `raising`, note signals: what was done stands, and the caller must hear of it."""
    _Noted.only = True


def raise_noted() -> None:
    """Raise the signal that came when nothing could be interrupted any more: nothing new may begin after it."""
    number, _Noted.number = _Noted.number, None
    if number is not None:
        raise InterruptedBySignal(number)


def deliver_noted() -> None:
    """Have the program's own handlers get the signal that came when nothing could be interrupted any more."""
    number, _Noted.number = _Noted.number, None
    if number is not None:
        signal.raise_signal(number)


def _raise(number: int, _frame: FrameType | None) -> None:
    if _Noted.only:
        _Noted.number = number
        return
    _Noted.only = True
    raise KeyboardInterrupt if number == signal.SIGINT else InterruptedBySignal(number)
