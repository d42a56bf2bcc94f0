# SPDX-License-Identifier: Apache-2.0
"""Deferred kernel work of the CPUs since boot."""

from __future__ import annotations

from wirecost.observe.doctor.checks.interrupts import Interrupts
from wirecost.observe.doctor.counts import SOFTIRQS


class Softirqs(Interrupts):
    name = "softirqs"
    title = "soft interrupts since boot"
    order = 42
    path = SOFTIRQS

    def advice(self) -> str:
        return "TIMER, SCHED: nohz_full; RCU: rcu_nocbs; NET, BLOCK: the devices' interrupts"
