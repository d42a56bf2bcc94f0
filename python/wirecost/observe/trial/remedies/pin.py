# SPDX-License-Identifier: Apache-2.0
"""One CPU for the program: no migrations, warm caches."""

from __future__ import annotations

import os

from wirecost.observe.trial.remedy import Change


class Pin:
    name = "pin"
    about = "pinned to the last CPU that may be used"
    price = "uses one CPU"

    def refusal(self) -> str | None:
        if len(os.sched_getaffinity(0)) < 2:
            return "only one CPU may be used"
        return None

    def change(self) -> Change:
        return Change(cpu=max(os.sched_getaffinity(0)))


REMEDY = Pin()
