# SPDX-License-Identifier: Apache-2.0
"""Python client beside the native one: the same transport, case and settings by both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.results.analysis.transport.measured import Measured

PYTHON, NATIVE = "python", "native"


@dataclass(frozen=True)
class Pair:
    python: Measured
    native: Measured


def pairs(found: Sequence[Measured]) -> list[Pair]:
    """Pair them in the order of the cases."""
    native = {
        (one.case, one.who.mware, one.who.settings): one
        for one in found
        if one.who.client == NATIVE
    }
    return [
        Pair(one, other)
        for one in found
        if one.who.client == PYTHON
        and (other := native.get((one.case, one.who.mware, one.who.settings)))
    ]
