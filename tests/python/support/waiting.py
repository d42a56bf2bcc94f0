# SPDX-License-Identifier: Apache-2.0
"""Waiting in tests, which fail where nothing comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from wirecost.system.waiting import wait_until

WAIT_S = 30.0
T = TypeVar("T")


def until(condition: Callable[[], T], what: str = "the condition", seconds: float = WAIT_S) -> T:
    """Wait for something true, and return it."""
    values: list[T] = []

    def holds() -> T:
        values[:] = [condition()]
        return values[0]

    assert wait_until(holds, seconds), f"{what} did not come true in {seconds:g} s: {values}"
    return values[0]
