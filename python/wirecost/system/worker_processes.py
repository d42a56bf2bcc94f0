# SPDX-License-Identifier: Apache-2.0
"""Functions run in several processes, which end with this one however it ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from wirecost.system.errors import UserError

T = TypeVar("T")


def each_done(
    function: Callable[..., T], orders: Sequence[tuple[object, ...]], workers: int
) -> Iterator[T]:
    """Yield results as they come; with one worker, which is this process, in order.

    The first error ends it. Raises UserError also where a process was killed.
    """
    workers = min(workers, len(orders))
    if workers <= 1:
        yield from (function(*order) for order in orders)
        return
    # Threads of this process, as those of Polars, would not be in a fork.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _end_with_parent)
    try:
        for future in as_completed([pool.submit(function, *order) for order in orders]):
            yield future.result()
    except BrokenProcessPool as error:
        why = "a worker process was killed, as where memory ends; give fewer --workers"
        raise UserError(why) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """End this process when its parent is gone; Ctrl-C is left to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
