# SPDX-License-Identifier: Apache-2.0
"""The search for the highest rate finds what a made-up transport was given, within 5 %."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.transport.ground import WireBytes
from wirecost.measure.bench.transport.joining import Arrivals, TransportCounts
from wirecost.measure.bench.transport.peak import fault, find_peak
from wirecost.measure.bench.transport.price import Price
from wirecost.measure.bench.transport.session import TransportBlock, TransportOrder

Carry = Callable[[TransportOrder], TransportBlock]


def block(order: TransportOrder, count: int, waited: np.ndarray, **counts: int) -> TransportBlock:  # type: ignore[type-arg]
    """Return a block of messages sent at the asked rate that came so long after they were due."""
    rate = order.rate or 1e5
    due = (np.arange(count) * 1e9 / rate).astype(np.int64)
    arrived = (due + waited).astype(np.int64)
    arrivals = Arrivals(np.arange(count), {"total": arrived - due}, arrived, due)
    counted = TransportCounts(sent=count, received=count, **counts)
    counted.begun_ns, counted.intervals = int(due[-1]), count - 1
    return TransportBlock(order, counted, [arrivals], Price(), WireBytes(0, 0), 0.0)


def waits(capacity: float, loses: bool) -> Carry:
    """Return a transport that takes a message every 1/capacity s.

    Above that a queue grows, or what is too much is lost."""

    def run(order: TransportOrder) -> TransportBlock:
        rate = order.rate or 1e5
        count = max(2, int((order.seconds or 1.0) * rate))
        if rate <= capacity:
            return block(order, count, np.full(count, 50_000))
        if loses and order.rate:
            return block(order, count, np.full(count, 50_000), lost=int(count * 0.1) + 1)
        behind = np.arange(count) * (1e9 / capacity - 1e9 / rate)
        return block(order, count, behind)

    return run


@pytest.mark.parametrize("loses", [False, True])
@pytest.mark.parametrize("capacity", [40.0, 1000.0, 30_000.0])
def test_the_peak_is_found_within_5_percent_and_confirmed(capacity: float, loses: bool) -> None:
    peak = find_peak(waits(capacity, loses), 100, 0.0)
    least = 0.95 if loses else 0.93
    # A queue that grows by less than the bound in a second is not seen: slow ones are found high.
    assert least * capacity <= peak.rate <= 1.05 * capacity + 0.05 * capacity
    assert peak.above is not None
    assert peak.above <= 1.06 * peak.rate
    assert peak.confirmed
    assert peak.confirmed_rate == pytest.approx(0.9 * peak.rate)
    assert ("lost" in peak.limit) == loses


def test_a_transport_that_always_loses_has_no_peak() -> None:
    def run(order: TransportOrder) -> TransportBlock:
        return block(order, 100, np.full(100, 50_000), lost=1)

    peak = find_peak(run, 100, 0.0)
    assert peak.rate == 0
    assert not peak.confirmed
    assert "lost" in peak.limit


def test_a_rate_does_not_hold_where_messages_are_damaged(snapshot: SnapshotAssertion) -> None:
    order = TransportOrder(100, 100.0, seconds=1.0)
    damaged = block(order, 100, np.full(100, 50_000), wrong=1, lost=2)
    assert fault(damaged, 100.0) == snapshot
    twice = block(order, 100, np.full(100, 50_000), duplicates=1, reordered=1)
    assert fault(twice, 100.0) == ""


def test_what_is_late_by_a_constant_is_no_queue() -> None:
    def run(order: TransportOrder) -> TransportBlock:
        count = max(2, int((order.seconds or 1.0) * (order.rate or 1e5)))
        if order.rate > 500:
            return block(order, count, np.full(count, 40_000_000), refused=1)
        return block(order, count, np.full(count, 40_000_000))

    assert 475 <= find_peak(run, 100, 0.0).rate <= 500
