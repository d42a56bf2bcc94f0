# SPDX-License-Identifier: Apache-2.0
"""Assignment of outputs to the inputs that they answer, and so how long the node took."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.replay.play.outputs import Output

STAMP, LATEST = "stamp", "latest"


@dataclass(frozen=True)
class Sent:
    """An input as it was played. Times by CLOCK_MONOTONIC; ``stamp_ns`` as of an output.

    ``ready_ns``: when the player was done with the input before and had slept enough.
    """

    topic: str
    index: int
    stamp_ns: int | None
    due_ns: int
    ready_ns: int
    before_ns: int
    after_ns: int
    bytes: int


@dataclass(frozen=True)
class Latency:
    """``ns`` from the start of sending the input to the receipt of the output."""

    output: Output
    input: Sent
    rule: str
    ns: int


def latencies(sent: Sequence[Sent], outputs: Sequence[Output]) -> list[Latency]:
    """Return one for each output that came after an input; ``sent`` in the order of sending.

    The input is the latest one before the output with the same stamp in its header; where there is
    none, the latest one before the output.
    """
    begins = [message.before_ns for message in sent]
    by_stamp: dict[int, list[Sent]] = {}
    for message in sent:
        if message.stamp_ns is not None:
            by_stamp.setdefault(message.stamp_ns, []).append(message)
    matched = []
    for output in outputs:
        count = bisect_right(begins, output.received_ns)
        if count == 0:
            continue
        source, rule = sent[count - 1], LATEST
        if output.stamp_ns is not None:
            same = by_stamp.get(output.stamp_ns, [])
            earlier = [message for message in same if message.before_ns <= output.received_ns]
            if earlier:
                source, rule = earlier[-1], STAMP
        matched.append(Latency(output, source, rule, output.received_ns - source.before_ns))
    return matched
