# SPDX-License-Identifier: Apache-2.0
"""Waits for mutexes and who held them, by interposition of pthread_mutex_lock."""

from __future__ import annotations

from wirecost.observe.probe.run.counting import CountingHook

HOOK = CountingHook(
    name="locks",
    about="lock-waits and lock-wait-ns, where WIRECOST_PROBE_COUNTERS has them",
    library="libwirecost-hook-locks.so",
    counters=("lock-waits", "lock-wait-ns"),
)
