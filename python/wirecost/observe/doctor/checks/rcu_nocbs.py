# SPDX-License-Identifier: Apache-2.0
"""Offloading of the CPUs' RCU callbacks to other CPUs."""

from __future__ import annotations

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Check, Verdict


class RcuNocbs(Check):
    name = "rcu_nocbs"
    title = "RCU callbacks offloaded"
    order = 22

    def available(self) -> bool:
        return len(self.machine.online) > 1

    def value(self) -> str:
        return cpulist.render(self._offloaded()) or "none"

    def verdict(self) -> Verdict:
        return Verdict.OK if set(self.machine.cpus) <= set(self._offloaded()) else Verdict.FAIL

    def advice(self) -> str:
        if not self.machine.housekeeping:
            return "one core must run the callbacks: give fewer CPUs in --cpus"
        return f"boot with {self.boot()[0]}"

    def boot(self) -> list[str]:
        if not self.machine.housekeeping:
            return []
        return [f"rcu_nocbs={cpulist.render(self.machine.with_siblings)}"]

    def _offloaded(self) -> tuple[int, ...]:
        config, parameters = self.machine.config or {}, self.machine.parameters
        if self.machine.lacks("CONFIG_RCU_NOCB_CPU"):
            return ()
        online = self.machine.online
        if "rcu_nocbs" in parameters and not parameters["rcu_nocbs"]:
            # Without a list only later offloading is made possible.
            return ()
        default = "all" if config.get("CONFIG_RCU_NOCB_CPU_DEFAULT_ALL") == "y" else ""
        listed = cpulist.lenient(parameters.get("rcu_nocbs", default), online)
        # The kernel offloads the CPUs whose tick stops, whether they are listed or not.
        tickless = None if self.machine.lacks("CONFIG_NO_HZ_FULL") else parameters.get("nohz_full")
        return tuple(sorted({*listed, *cpulist.lenient(tickless, online)}))
