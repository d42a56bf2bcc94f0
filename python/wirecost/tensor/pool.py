# SPDX-License-Identifier: Apache-2.0
"""How many received samples may be held at once."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

from wirecost.errors import UserError


class Loan:
    """A borrowed sample, the ``owner`` for ``decode``: given back when nothing refers to it."""

    __slots__ = ("__weakref__", "sample")

    def __init__(self, sample: Any) -> None:
        self.sample = sample


class SamplePool:
    """Counts samples whose memory is in use. A middleware has room for a few only."""

    def __init__(self, limit: int) -> None:
        """``limit``: samples that may be borrowed at once."""
        self._limit = limit
        # Reentrant: the garbage collector may give a loan back while one is taken.
        self._lock = threading.RLock()
        self._held = 0

    @property
    def held(self) -> int:
        """Samples that are borrowed now."""
        return self._held

    def borrow(self, sample: Any, release: Callable[[Any], object] | None = None) -> Loan:
        """Lends a sample; ``release(sample)`` is called once no array lies on it any more.

        Raises UserError if the limit is reached.
        """
        with self._lock:
            if self._held >= self._limit:
                raise UserError(
                    f"{self._limit} received samples are held by arrays in use, the most there"
                    " may be: let go of them, or decode with copy=True"
                )
            self._held += 1
        loan = Loan(sample)
        weakref.finalize(loan, self._give_back, sample, release).atexit = False
        return loan

    def _give_back(self, sample: Any, release: Callable[[Any], object] | None) -> None:
        with self._lock:
            self._held -= 1
        if release is not None:
            release(sample)
