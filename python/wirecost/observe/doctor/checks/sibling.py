# SPDX-License-Identifier: Apache-2.0
"""Hyper-threads that share a core with the CPUs; they are kept free as well."""

from __future__ import annotations

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine import CPU


class Sibling(Check):
    name = "sibling"
    title = "hyper-thread siblings"
    order = 24

    def available(self) -> bool:
        first = self.machine.cpus[0]
        return self.system.exists(f"{CPU}/cpu{first}/topology/thread_siblings_list")

    def value(self) -> str:
        if not self._others():
            return "none"
        cpus = cpulist.render(self._others())
        return f"{cpus}, not isolated" if self._busy() else f"{cpus}, isolated"

    def verdict(self) -> Verdict:
        return Verdict.FAIL if self._busy() else Verdict.OK

    def advice(self) -> str:
        busy = self._busy()
        off = f"write 0 to /{CPU}/cpu{busy[-1]}/online"
        return f"isolate CPU {cpulist.render(busy)} as well, or switch it off: {off}"

    def _others(self) -> tuple[int, ...]:
        """Return the threads beyond the first of all cores that run more than one."""
        measured = set(self.machine.cpus)
        beside = set(self.machine.with_siblings) - measured
        return tuple(sorted(beside)) if beside else self._shared()

    def _shared(self) -> tuple[int, ...]:
        """Siblings among the CPUs to measure on."""
        seen: set[str] = set()
        shared = []
        for cpu in self.machine.cpus:
            core = self.system.text(f"{CPU}/cpu{cpu}/topology/thread_siblings_list") or str(cpu)
            if core in seen:
                shared.append(cpu)
            seen.add(core)
        return tuple(shared)

    def _busy(self) -> tuple[int, ...]:
        isolated = cpulist.lenient(self.system.text(f"{CPU}/isolated"))
        return tuple(cpu for cpu in self._others() if cpu not in isolated)
