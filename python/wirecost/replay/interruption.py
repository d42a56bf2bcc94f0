# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C and SIGTERM while something is measured: it ends, and what was measured is kept."""

from __future__ import annotations

import signal
import threading
from types import FrameType
from typing import Any, Self


class Interruption:
    """While its context is open, the signals are ``seen`` instead of raising KeyboardInterrupt.

    In a thread other than the main one, which signals do not reach, nothing changes.
    """

    def __init__(self) -> None:
        self.seen = False
        self._former: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._former[number] = signal.signal(number, self._heard)
        return self

    def __exit__(self, *raised: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _heard(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.seen = True
