# SPDX-License-Identifier: Apache-2.0
"""Work of threads comes in order, and no more of it lies ready than is allowed."""

from __future__ import annotations

import threading

from wirecost.system.ahead import ahead


def test_results_are_in_order_and_errors_are_where_they_happened() -> None:
    results = [
        (item, future.result() if item else type(future.exception()))
        for item, future in ahead(range(-5, 6), lambda n: 60 // n, lambda _: 1, 100)
    ]
    assert results == [(n, 60 // n if n else ZeroDivisionError) for n in range(-5, 6)]


def test_what_lies_ready_is_bounded() -> None:
    lock = threading.Lock()
    held = most = 0

    def work(size: int) -> int:
        nonlocal held, most
        with lock:
            held += size
            most = max(most, held)
        return size

    for _, future in ahead([3, 3, 3, 50, 3, 3, 3, 3] * 20, work, lambda size: size, 9):
        size = future.result()
        with lock:
            held -= size
    assert (held, most) == (0, 50)


def test_a_reader_that_stops_ends_the_threads() -> None:
    before = threading.active_count()
    reading = ahead(range(1000), lambda n: n, lambda _: 1, 100)
    next(reading)
    reading.close()
    assert threading.active_count() == before
