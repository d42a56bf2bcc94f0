# SPDX-License-Identifier: Apache-2.0
"""Python client beside the native one: the same transport, case and settings by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.transport.measured_transport import MeasuredTransport

PYTHON, NATIVE = "python", "native"


@dataclass(frozen=True)
class BoundPair:
    python: MeasuredTransport
    native: MeasuredTransport


def pairs(found: Sequence[MeasuredTransport]) -> list[BoundPair]:
    """Pair them in the order of the cases."""
    native = {
        (case.case, case.who.mware, case.who.settings): case
        for case in found
        if case.who.client == NATIVE
    }
    return [
        BoundPair(case, other)
        for case in found
        if case.who.client == PYTHON
        and (other := native.get((case.case, case.who.mware, case.who.settings)))
    ]
