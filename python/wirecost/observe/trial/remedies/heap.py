# SPDX-License-Identifier: Apache-2.0
"""The allocator of wirecost heap: memory touched before the first callback and kept."""

from __future__ import annotations

from wirecost.observe.heap import launch
from wirecost.observe.trial.remedy import Change

POOL_BYTES = 64 << 20
WARMUP_S = 5


class Heap:
    name = "heap"
    about = "wirecost heap, a pool of 64 MiB"
    price = "holds 64 MiB"

    def refusal(self) -> str | None:
        return None

    def change(self) -> Change:
        return Change(heap=launch.Options(POOL_BYTES, False, False, False, None, WARMUP_S))


REMEDY = Heap()
