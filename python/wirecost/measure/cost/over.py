# SPDX-License-Identifier: Apache-2.0
"""What a transport adds: processor time of sending and receiving, by the size of a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from wirecost.measure.at_rate.carrying import RateRequest, carrying
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

SIZES = (64, 4 << 10, 64 << 10, 1 << 20)
"""Bytes of the messages that are sent."""
RATE_HZ = 100.0

Say = Callable[[str], None]


@dataclass(frozen=True)
class CarryingPrice:
    """Nanoseconds of processor time for a message of a size, of its sender and of a receiver.

    Those of a server between them are the sender's.
    """

    size: int
    send_ns: float
    take_ns: float


def carrying_prices(transport: str, say: Say) -> list[CarryingPrice]:
    """Send messages of several sizes, which takes half a minute. Raises UserError."""
    found = []
    for size in SIZES:
        say(f"sending {size:,} bytes over {transport}")
        try:
            cost = carrying(RateRequest(RATE_HZ, 1, transport), [bytes(size)])
        except ProgramFailedError as error:
            raise UserError(f"--over {transport}: {error}; choose another transport") from error
        found.append(CarryingPrice(size, cost.sender_ns + cost.server_ns, cost.subscriber_ns))
    return found


def with_carrying(cost: SystemCost, transport: str, prices: Sequence[CarryingPrice]) -> SystemCost:
    """Return the same with what carrying each topic takes of a core."""
    topics = [_carried(topic, prices) for topic in cost.topics]
    topics.sort(key=lambda topic: (-topic.share, -topic.bytes_per_s, topic.topic))
    return msgspec.structs.replace(cost, topics=topics, over=transport)


def _carried(topic: TopicCost, prices: Sequence[CarryingPrice]) -> TopicCost:
    sizes = [price.size for price in prices]
    mean = topic.mean_bytes
    send, take = (
        float(np.interp(mean, sizes, times)) * max(1.0, mean / sizes[-1])
        for times in ([one.send_ns for one in prices], [one.take_ns for one in prices])
    )
    return msgspec.structs.replace(topic, carry_ns=send + take * topic.subscribers)
