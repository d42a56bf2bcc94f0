# SPDX-License-Identifier: Apache-2.0
"""How long Python code takes."""

from __future__ import annotations

import gc
from collections.abc import Callable
from time import perf_counter_ns
from typing import Any


def timed(action: Callable[[], Any]) -> int:
    """Nanoseconds an action takes while the cyclic garbage collector stands still."""
    gc.collect()
    gc.disable()
    try:
        begin = perf_counter_ns()
        action()
        return perf_counter_ns() - begin
    finally:
        gc.enable()
