# SPDX-License-Identifier: Apache-2.0
"""Allocations, their bytes, and frees, by interposition of malloc and its kin."""

from __future__ import annotations

from wirecost.observe.probe.run.counting import CountingHook

HOOK = CountingHook(
    name="allocations",
    about="allocations, allocated-bytes and frees, where WIRECOST_PROBE_COUNTERS has them",
    library="libwirecost-hook-allocations.so",
    counters=("allocations", "allocated-bytes", "frees"),
)
