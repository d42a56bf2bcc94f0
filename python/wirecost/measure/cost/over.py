# SPDX-License-Identifier: Apache-2.0
"""The path of a transport of ours that no other price knows: its Python client sends and takes."""

from __future__ import annotations

from collections.abc import Callable

from wirecost.measure.at_rate.carrying import RateRequest, carrying
from wirecost.measure.cost.path_fit import PathObservation, fitted_path
from wirecost.measure.cost.paths import PLAIN, PathPrice
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

SIZES = (64, 4 << 10, 64 << 10, 1 << 20)
"""Bytes of the messages that are sent."""
RATE_HZ = 100.0

Say = Callable[[str], None]


def measured_path(transport: str, say: Say) -> PathPrice:
    """Send messages of several sizes, which takes half a minute. Raises UserError.

    What a server between the ends takes is the sender's.
    """
    seen = []
    for size in SIZES:
        say(f"sending {size:,} bytes over {transport}")
        try:
            cost = carrying(RateRequest(RATE_HZ, 1, transport), [bytes(size)])
        except ProgramFailedError as error:
            raise UserError(f"--over {transport}: {error}; choose another middleware") from error
        sent_ns = cost.sender_ns + cost.server_ns
        seen.append(PathObservation(size, 1, sent_ns, cost.subscriber_ns, RATE_HZ))
    return fitted_path(PLAIN, transport, seen, {})
