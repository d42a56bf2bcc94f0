# SPDX-License-Identifier: Apache-2.0
"""Work that threads do ahead of who needs it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
MOST_THREADS = 8


def ahead(
    items: Iterable[Item], work: Callable[[Item], Result], weight: Callable[[Item], int], most: int
) -> Generator[tuple[Item, Future[Result]], None, None]:
    """Yield items with what threads make of them, in order.

    Results that nobody has yet, and the last that somebody took, have a total weight of ``most`` or
    are a single one.
    """
    threads = min(MOST_THREADS, len(os.sched_getaffinity(0)))
    waiting: deque[tuple[Item, int, Future[Result]]] = deque()
    held = 0
    executor = ThreadPoolExecutor(threads, "ahead")
    try:
        for item in items:
            added = weight(item)
            while waiting and (len(waiting) > threads or held + added > most):
                first, freed, future = waiting.popleft()
                yield first, future
                held -= freed
            waiting.append((item, added, executor.submit(work, item)))
            held += added
        for first, _, future in waiting:
            yield first, future
    finally:
        executor.shutdown(cancel_futures=True)
