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
"""After so long, an Interrupted that was lost is raised again."""


class Interrupted(KeyboardInterrupt):
    """One of the signals came; Ctrl-C sends the first of them."""

    def __init__(self, number: signal.Signals) -> None:
        super().__init__(number.name)
        self.number = number

    @property
    def status(self) -> int:
        """The command's exit status, as a shell has it."""
        return 128 + self.number


class Watch:
    """What came. A first signal raises Interrupted; while the command ends in order because of it,
    further ones are only noted, until ``resume``."""

    def __init__(self) -> None:
        self.seen: Interrupted | None = None
        self._held = False
        self._again: threading.Timer | None = None

    def hold(self) -> None:
        """Signals are only noted from here on: what is being done is done to its end."""
        self._held = True

    def resume(self) -> None:
        """The next signal raises again."""
        self._held = False

    def check(self) -> None:
        """Raises Interrupted if a signal came. What a signal raised may have been lost where Python
        ignores exceptions, as in a destructor."""
        if self.seen is not None:
            raise self.seen

    def receive(self, number: int, frame: FrameType | None) -> None:
        """The signals' handler."""
        del frame
        self.seen = self.seen or Interrupted(signal.Signals(number))
        if not self._held:
            self._held = True
            raise self.seen

    def lost(self, args: sys.UnraisableHookArgs) -> None:
        """Python's hook for an exception that nobody can catch: one raised in a destructor or in
        another of its callbacks. An Interrupted is raised again once Python has left that."""
        if not isinstance(args.exc_value, Interrupted):
            sys.__unraisablehook__(args)
            return
        self._held = False
        number = args.exc_value.number
        self._again = threading.Timer(AGAIN_S, _thread.interrupt_main, (number,))
        self._again.daemon = True
        self._again.start()

    def end(self) -> None:
        """Nothing is raised any more."""
        if self._again is not None:
            self._again.cancel()
            self._again.join()


_current: Watch | None = None


def note(number: int) -> None:
    """A signal came that somebody else has handled: the command knows what to end with."""
    if _current is not None:
        _current.seen = _current.seen or Interrupted(signal.Signals(number))


@contextmanager
def watched() -> Iterator[Watch]:
    """Signals raise Interrupted within; those that this process was started to ignore, as by nohup,
    are still ignored. Within another such context, that one goes on."""
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
