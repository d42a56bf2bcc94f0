# SPDX-License-Identifier: Apache-2.0
"""Pool that limits how many received samples may be held at once."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Any

from wirecost.system.errors import UserError


class Loan:
    """A borrowed sample, the ``owner`` for ``decode``: given back when nothing refers to it."""

    __slots__ = ("__weakref__", "_give_back", "_release", "sample")

    def __init__(
        self,
        sample: Any,
        give_back: Callable[[Any, Callable[[Any], object] | None], None],
        release: Callable[[Any], object] | None,
    ) -> None:
        """Hold what ``SamplePool.borrow`` lends."""
        self.sample = sample
        self._give_back = give_back
        self._release = release

    def __del__(self) -> None:
        # While the interpreter ends, a middleware may be gone already; its own end frees all.
        if not _ENDS:
            self._give_back(self.sample, self._release)


_ENDS: list[bool] = []
atexit.register(_ENDS.append, True)


class SamplePool:
    """Counter of samples whose memory is in use. A middleware has room for a few only."""

    def __init__(self, limit: int) -> None:
        """Let ``limit`` samples be borrowed at once."""
        self._limit = limit
        # Reentrant: the garbage collector may give a loan back while one is taken.
        self._lock = threading.RLock()
        self._held = 0

    @property
    def held(self) -> int:
        """Return the number of samples that are borrowed now."""
        return self._held

    def borrow(self, sample: Any, release: Callable[[Any], object] | None = None) -> Loan:
        """Lend a sample; ``release(sample)`` is called once no array lies on it any more.

        Raises UserError if the limit is reached.
        """
        with self._lock:
            if self._held >= self._limit:
                raise UserError(
                    f"{self._limit} received samples are held by arrays in use, which is the"
                    " maximum: delete arrays, or decode with copy=True"
                )
            self._held += 1
        return Loan(sample, self._give_back, release)

    def _give_back(self, sample: Any, release: Callable[[Any], object] | None) -> None:
        with self._lock:
            self._held -= 1
        if release is not None:
            release(sample)
