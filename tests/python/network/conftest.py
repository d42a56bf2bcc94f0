# SPDX-License-Identifier: Apache-2.0
"""Networks need a right that not every machine gives."""

from __future__ import annotations

import pytest

from wirecost.measure.network import support
from wirecost.measure.network.profiles import BUILT_IN


def _needed(name: str) -> None:
    if why := support.missing(BUILT_IN[name]):
        pytest.skip(f"no network {name}: {why}")


@pytest.fixture
def lan() -> None:
    """Make a network of the kernel's own devices."""
    _needed("lan")


@pytest.fixture
def wan() -> None:
    """Delayed, by netem or the relay."""
    _needed("wan")
