# SPDX-License-Identifier: Apache-2.0
"""Highest rate that a contender carries without loss or refusals, and with bounded latency.

Sending as fast as it goes shows where the search begins. A rate that holds is raised, one that
does not is lowered, until both are within 5 % of each other; then a longer run at 90 % must hold.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from wirecost.measure.bench.transport.joining import Arrivals
from wirecost.measure.bench.transport.session import TransportBlock, TransportOrder
from wirecost.results.records.schemas.transport import Peak
from wirecost.system.counted import counted
from wirecost.system.waiting import Deadline

WITHIN = 0.05
TRY_S, CONFIRM_S = 1.0, 3.0
CONFIRMED_AT = 0.9
LEAST_MESSAGES = 20
MOST_TRY_S = 4.0
BOUND_NS = 100_000_000
"""Lateness from which on a message has waited in a queue."""
GROWTH_NS = 20_000_000
"""Most that the last messages may have waited longer than the first ones."""
PART = 0.2
"""Share of a block that counts as the first, and the last, messages."""
SENT = 0.98
"""Share of the asked rate that must have been sent."""
LIMIT_S = 60.0
MOST_RATE = 200_000.0

Run = Callable[[TransportOrder], TransportBlock]


def find_peak(run: Run, size: int, quiet_s: float, limit_s: float = LIMIT_S) -> Peak:
    """Find the peak within ``limit_s`` seconds. ``run`` raises whatever stops the search."""
    peak, begin = Peak(), time.monotonic()
    latest = Deadline(limit_s - CONFIRM_S - 2 * quiet_s)
    start = _capacity(run, size, quiet_s)
    rate = max(1.0, 0.8 * start)
    while latest.left > TRY_S + quiet_s:
        why = _try(run, size, rate, quiet_s, peak)
        if why:
            peak.above, peak.limit = rate, why
        else:
            peak.rate = rate
        if peak.above is None:
            if rate >= MOST_RATE:
                break
            rate = min(MOST_RATE, 1.5 * rate)
        elif peak.rate == 0:
            if rate <= 0.1:
                break
            rate /= 2
        elif peak.above / peak.rate <= 1 + WITHIN:
            break
        else:
            rate = (peak.rate * peak.above) ** 0.5
    while peak.rate and not peak.confirmed:
        _confirm(run, size, quiet_s, peak)
        if not peak.confirmed:
            # A rate that held once was luck; the next lower one counts, while there is time.
            if latest.passed:
                break
            peak.above, peak.rate = peak.rate, peak.rate / (1 + WITHIN)
    peak.seconds = time.monotonic() - begin
    return peak


def _capacity(run: Run, size: int, quiet_s: float) -> float:
    """Return messages per second that arrive when they are sent as fast as possible."""
    block = run(TransportOrder(size, 0.0, seconds=TRY_S / 2, check=64, quiet_s=quiet_s))
    took = [
        arrivals.received_ns.max() - arrivals.due_ns.min()
        for arrivals in block.arrivals
        if len(arrivals.number) > 1
    ]
    if not took:
        return 1.0
    return float(min(len(arrivals.number) for arrivals in block.arrivals) * 1e9 / max(took))


def _try(run: Run, size: int, rate: float, quiet_s: float, peak: Peak) -> str:
    """Try a rate; return why it does not hold, empty if it does."""
    seconds = min(MOST_TRY_S, max(TRY_S, LEAST_MESSAGES / rate))
    block = run(TransportOrder(size, rate, seconds=seconds, check=64, quiet_s=quiet_s))
    why = fault(block, rate)
    peak.tried.append([rate, not why, why, *_latency(block)])
    return why


def _confirm(run: Run, size: int, quiet_s: float, peak: Peak) -> None:
    peak.confirmed_rate = CONFIRMED_AT * peak.rate
    order = TransportOrder(size, peak.confirmed_rate, seconds=CONFIRM_S, check=64, quiet_s=quiet_s)
    block = run(order)
    why = fault(block, peak.confirmed_rate)
    latency = _latency(block)
    peak.tried.append([peak.confirmed_rate, not why, why, *latency])
    peak.confirmed = not why
    peak.confirmed_p99_ns = latency[1]
    if why:
        peak.limit = why


def _latency(block: TransportBlock) -> tuple[float | None, float | None]:
    """Return median and 99th percentile of the latency, in nanoseconds."""
    total = [arrivals.stages["total"] for arrivals in block.arrivals if len(arrivals.number)]
    if not total:
        return None, None
    median, tail = np.percentile(np.concatenate(total), [50, 99])
    return float(median), float(tail)


def fault(block: TransportBlock, rate: float) -> str:
    """Return why a block at a rate did not hold, the plainest reason first; empty if it did."""
    counts = block.counts
    if counts.wrong:
        return f"{counted(counts.wrong, 'message')} with other content than was sent"
    if counts.lost:
        return f"{counted(counts.lost, 'message')} lost"
    if counts.refused:
        return f"{counted(counts.refused, 'message')} refused"
    if counts.rate is not None and counts.rate < SENT * rate:
        return f"sent at {counts.rate:.0f} Hz only"
    return next(filter(None, map(_waiting, block.arrivals)), "")


def _waiting(arrivals: Arrivals) -> str:
    """Return how a queue grew before a subscriber, which then has only begun to lose."""
    waited = arrivals.received_ns - arrivals.due_ns
    if not len(waited):
        return "nothing arrived"
    few = max(1, int(PART * len(waited)))
    last, first = np.median(waited[-few:]), np.median(waited[:few])
    if last > BOUND_NS:
        return f"the last came {last / 1e6:.0f} ms late"
    if last - first > GROWTH_NS:
        return f"waits grew by {(last - first) / 1e6:.0f} ms"
    return ""
