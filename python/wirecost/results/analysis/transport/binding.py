# SPDX-License-Identifier: Apache-2.0
"""Python client beside the native one: the same transport, case and settings by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.transport.measured import MeasuredTransport

PYTHON, NATIVE = "python", "native"


@dataclass(frozen=True)
class BoundPair:
    python: MeasuredTransport
    native: MeasuredTransport


def pairs(found: Sequence[MeasuredTransport]) -> list[BoundPair]:
    """Pair them in the order of the cases."""
    native = {
        (one.case, one.who.mware, one.who.settings): one
        for one in found
        if one.who.client == NATIVE
    }
    return [
        BoundPair(one, other)
        for one in found
        if one.who.client == PYTHON
        and (other := native.get((one.case, one.who.mware, one.who.settings)))
    ]
