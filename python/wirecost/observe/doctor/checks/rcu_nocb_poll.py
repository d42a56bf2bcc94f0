# SPDX-License-Identifier: Apache-2.0
"""Polling for offloaded RCU callbacks, which saves the CPUs from waking their threads."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict


class RcuNocbPoll(Check):
    name = "rcu_nocb_poll"
    title = "RCU callbacks polled"
    order = 23

    def available(self) -> bool:
        return len(self.machine.online) > 1

    def value(self) -> str:
        return "yes" if self._polled() else "no"

    def verdict(self) -> Verdict:
        return Verdict.OK if self._polled() else Verdict.WARN

    def advice(self) -> str:
        return "boot with rcu_nocb_poll"

    def boot(self) -> list[str]:
        return ["rcu_nocb_poll"]

    def _polled(self) -> bool:
        return "rcu_nocb_poll" in self.machine.parameters
