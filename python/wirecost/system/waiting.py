# SPDX-License-Identifier: Apache-2.0
"""Time limits, and waiting for conditions and processes that send no notice."""

from __future__ import annotations

import math
import os
import select
import time
from collections.abc import Callable, Iterable


class Deadline:
    """A moment, ``seconds`` from now; None: never."""

    def __init__(self, seconds: float | None) -> None:
        self._end = math.inf if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then, 0 afterwards; infinite where it never comes."""
        return max(0.0, self._end - time.monotonic())

    @property
    def passed(self) -> bool:
        return time.monotonic() >= self._end


def wait_until(condition: Callable[[], object], timeout: float, interval: float = 0.01) -> bool:
    """Return whether ``condition`` came true within ``timeout`` seconds.

    It is evaluated every ``interval`` seconds.
    """
    deadline = Deadline(timeout)
    while not condition():
        if deadline.passed:
            return False
        time.sleep(interval)
    return True


def wait_for_ends(processes: Iterable[int], timeout: float) -> None:
    """Wait ``timeout`` seconds at most until processes have ended, and close their descriptors.

    The descriptors are those of ``pidfd_open``.
    """
    deadline = Deadline(timeout)
    for process in processes:
        select.select([process], [], [], deadline.left)
        os.close(process)
