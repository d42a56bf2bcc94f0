# SPDX-License-Identifier: Apache-2.0
"""Real-time priority: the program runs before everything that has none."""

from __future__ import annotations

import os

from wirecost.observe.trial.remedy import Change, refused

PRIORITY = 50


class Fifo:
    name = "fifo"
    about = f"real-time priority, SCHED_FIFO {PRIORITY}"
    price = "needs privileges"

    def refusal(self) -> str | None:
        if len(os.sched_getaffinity(0)) < 2:
            return "on a single CPU it would keep everything else from running"
        reason = refused(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(PRIORITY)))
        if reason is None:
            return None
        return f"{reason}; run as root, or allow real-time priorities (ulimit -r)"

    def change(self) -> Change:
        return Change(fifo=PRIORITY)


REMEDY = Fifo()
