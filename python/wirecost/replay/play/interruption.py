# SPDX-License-Identifier: Apache-2.0
"""Signals while something is measured: it ends, and what was measured is kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self

from wirecost import interruption


class Interruption:
    """While its context is open, the signals are ``seen`` instead of raising KeyboardInterrupt; the
    command that they came to learns of them all the same.

    In a thread other than the main one, which signals do not reach, nothing changes.
    """

    def __init__(self) -> None:
        self.seen = False
        self._former: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in interruption.SIGNALS:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._former[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *raised: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        del frame
        self.seen = True
        interruption.note(number)
