# SPDX-License-Identifier: Apache-2.0
"""Both ends' stamps of a block, joined by the messages' numbers: stages, losses and the rate."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.measure.bench.engine.deliveries import Deliveries

Row = list[int]
_LEAVING = {"cuda": "to_host"}
"""Stage before encoding, by device."""


@dataclass
class TensorCounts(Deliveries):
    """Counts of a block's messages, or of several blocks'."""

    LARGEST = "most_lag_ns"

    late: int = 0
    """Messages that were started late, by a tenth of a period or more: a contender that fell behind
    sends the next ones back to back."""
    most_lag_ns: int = 0
    """Most nanoseconds that a message was started later than due."""


LATE = 0.1
"""Share of a period from which on a message is late."""


def count(sent: list[Row], arrived: list[Row], rate: float) -> TensorCounts:
    """Return the counts of a block; ``rate``: messages per second asked for, 0 is back to back.

    Raises ValueError for a message that nobody sent.
    """
    numbers = {row[0] for row in sent}
    seen: set[int] = set()
    counts = TensorCounts(sent=len(sent))
    latest = -1
    for number, *_ in arrived:
        if number not in numbers:
            raise ValueError(f"message {number} was received, but not sent")
        if number in seen:
            counts.duplicates += 1
            continue
        seen.add(number)
        counts.reordered += number < latest
        latest = max(latest, number)
    counts.received = len(seen)
    counts.lost = counts.sent - counts.received
    if rate:
        lags = [begin - due for _, due, begin, *_ in sent]
        counts.late = sum(lag >= LATE * 1e9 / rate for lag in lags)
        counts.most_lag_ns = max(lags, default=0)
    if len(sent) > 1:
        # From when the first one was due: had it started late, the rest would look too quick.
        counts.begun_ns = sent[-1][2] - sent[0][1]
        counts.intervals = len(sent) - 1
    return counts


def stages(sent: list[Row], arrived: list[Row], device: str) -> list[dict[str, int]]:
    """Return nanoseconds of each stage of each message that arrived, in the order of sending.

    ``transit`` is from the start of sending until the listener has the message, so it holds the
    part of ``publish`` that happens before; ``total`` from the finished object to the received one.
    Rows of compressed objects have a stamp more, with which ``compress`` and ``decompress`` end;
    those for a device have one when the object is there.
    """
    first = {row[0]: row for row in reversed(arrived)}
    times = []
    for number, due, begin, constructed, hosted, ready, published, *compressed in sent:
        if number not in first:
            continue
        _, received, decoded, read, *expanded = first[number]
        there = (expanded or [decoded])[0]
        times.append(
            {
                **_sending(due, begin, constructed, hosted, ready, compressed, device),
                "publish": published - ready,
                "transit": received - ready,
                **_decoding(received, decoded, expanded, device),
                "access": read - there,
                "total": there - constructed,
            }
        )
    return times


def round_trips(sent: list[Row], answered: list[Row], device: str) -> list[dict[str, int]]:
    """Return the stages of requests in nanoseconds.

    ``reply`` is from the decoded request to the decoded reply, ``total`` the whole round trip.
    """
    there = {row[0]: row for row in answered}
    times = []
    for number, due, begin, constructed, hosted, ready, _, back, *compressed in sent:
        if number not in there:
            continue
        _, received, decoded, _, *expanded = there[number]
        times.append(
            {
                **_sending(due, begin, constructed, hosted, ready, compressed, device),
                "transit": received - ready,
                **_decoding(received, decoded, expanded, "cpu"),
                "reply": back - (expanded or [decoded])[0],
                "total": back - constructed,
            }
        )
    return times


def _sending(
    due: int, begin: int, constructed: int, hosted: int, ready: int, compressed: Row, device: str
) -> dict[str, int]:
    """Return the stages before a message or request is sent."""
    there = constructed if device == "cpu" else hosted
    return {
        "lateness": begin - due,
        "construct": constructed - begin,
        **({_LEAVING[device]: hosted - constructed} if device in _LEAVING else {}),
        **({"compress": compressed[0] - there} if compressed else {}),
        "encode": ready - (compressed or [there])[0],
    }


def _decoding(received: int, decoded: int, ready: Row, device: str) -> dict[str, int]:
    """Return the stages after a message or request has come."""
    last = "to_device" if device == "cuda" else "decompress"
    return {"decode": decoded - received, **({last: ready[0] - decoded} if ready else {})}
