# SPDX-License-Identifier: Apache-2.0
"""Activity of a process: whether it has read everything it was sent and has nothing left to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from wirecost.replay.play.sockets_of import bytes_wait
from wirecost.system.waiting import Deadline

BETWEEN_LOOKS_S = 0.0005


class Activity:
    """Looks at one process through proc(5).

    It is idle when two looks in a row find all its threads asleep, no byte waiting in its sockets,
    and no thread that ran in between: a message handed from one thread to another wakes the other.
    """

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._folder = Path(f"/proc/{pid}")

    def wait_idle(self, timeout_s: float, unless: Callable[[], bool] = lambda: False) -> bool:
        """Return False if it was busy after ``timeout_s``, or is gone, or ``unless`` was true."""
        deadline = Deadline(timeout_s)
        former: tuple[int, ...] | None = None
        while not deadline.passed and not unless():
            now = self._quiet()
            if now is not None and now == former:
                return True
            former = now
            time.sleep(BETWEEN_LOOKS_S)
        return False

    def _quiet(self) -> tuple[int, ...] | None:
        """Return how often each thread ran so far; None while one runs or bytes wait."""
        try:
            if bytes_wait(self._pid):
                return None
            ran = []
            for task in sorted((self._folder / "task").iterdir()):
                if (task / "stat").read_bytes().rpartition(b")")[2].split()[0] not in {b"S", b"Z"}:
                    return None
                ran.append(int((task / "schedstat").read_bytes().split()[2]))
        except (OSError, IndexError):
            return None
        return tuple(ran) or None
