# SPDX-License-Identifier: Apache-2.0
"""SIGINT, SIGTERM and SIGHUP alike: the command ends in order, with the signal's exit status."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
AGAIN_S = 0.01
"""Seconds after which a lost Interrupted is raised again."""


class Interrupted(KeyboardInterrupt):
    """Arrival of one of the signals; Ctrl-C sends the first of them."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.number = number

    @property
    def status(self) -> int:
        """Exit status of the command, as a shell has it."""
        return 128 + self.number


class Watch:
    """Signals that came.

    A first one raises Interrupted; while the command ends in order because of it, further ones are
    only noted, until ``resume``.
    """

    def __init__(self) -> None:
        self.seen: Interrupted | None = None
        self._held = False
        self._again: threading.Timer | None = None

    def hold(self) -> None:
        """Only note signals from here on, so that the work at hand comes to its end."""
        self._held = True

    def resume(self) -> None:
        """Let the next signal raise again."""
        self._held = False

    def check(self) -> None:
        """Raise Interrupted if a signal came.

        The exception of a signal may have been lost where Python ignores exceptions, as in a
        destructor.
        """
        if self.seen is not None:
            raise self.seen

    def receive(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        del frame
        self.seen = self.seen or Interrupted(signal.Signals(number))
        if not self._held:
            self._held = True
            raise self.seen

    def lost(self, args: sys.UnraisableHookArgs) -> None:
        """Handle an exception that nobody can catch, as Python's hook.

        It was raised in a destructor or in another of Python's callbacks. An Interrupted is raised
        again once Python has left that.
        """
        if not isinstance(args.exc_value, Interrupted):
            sys.__unraisablehook__(args)
            return
        self._held = False
        number = args.exc_value.number
        self._again = threading.Timer(AGAIN_S, _thread.interrupt_main, (number,))
        self._again.daemon = True
        self._again.start()

    def end(self) -> None:
        """Raise nothing any more."""
        if self._again is not None:
            self._again.cancel()
            self._again.join()


_current: Watch | None = None


def note(number: int) -> None:
    """Note a signal that other code has handled, for the command's exit status."""
    if _current is not None:
        _current.seen = _current.seen or Interrupted(signal.Signals(number))


@contextmanager
def watched() -> Iterator[Watch]:
    """Let signals raise Interrupted within the context.

    Signals that this process was started to ignore, as by nohup, are still ignored. Within another
    such context, the outer one goes on.
    """
    global _current  # noqa: PLW0603 - handlers of signals are the process's, too
    if _current is not None:
        yield _current
        return
    watch = _current = Watch()
    former = {}
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                former[number] = signal.signal(number, watch.receive)
    hook, sys.unraisablehook = sys.unraisablehook, watch.lost
    try:
        yield watch
    finally:
        watch.end()
        sys.unraisablehook = hook
        for number, handler in former.items():
            signal.signal(number, handler)
        _current = None
