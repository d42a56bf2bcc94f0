# SPDX-License-Identifier: Apache-2.0
"""Isolation of the CPUs from other threads by the scheduler."""

from __future__ import annotations

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine import CPU


class Isolcpus(Check):
    name = "isolcpus"
    title = "isolated from the scheduler"
    order = 20

    def available(self) -> bool:
        return len(self.machine.online) > 1

    def value(self) -> str:
        return cpulist.render(self._isolated()) or "none"

    def verdict(self) -> Verdict:
        return Verdict.OK if set(self.machine.cpus) <= set(self._isolated()) else Verdict.FAIL

    def advice(self) -> str:
        if not self.machine.housekeeping:
            return "leave at least one core to the system: give fewer CPUs in --cpus"
        return f"boot with {self.boot()[0]}; then run what is measured under taskset"

    def boot(self) -> list[str]:
        if not self.machine.housekeeping:
            return []
        return [f"isolcpus={cpulist.render(self.machine.with_siblings)}"]

    def _isolated(self) -> tuple[int, ...]:
        """Return what the kernel reports, cpuset partitions included; else as it was booted."""
        reported = self.system.text(f"{CPU}/isolated")
        if reported is not None:
            return cpulist.lenient(reported)
        # Flags such as "domain" and "managed_irq" stand before the list.
        words = self.machine.parameters.get("isolcpus", "").split(",")
        listed = ",".join(word for word in words if word[:1].isdigit())
        return cpulist.lenient(listed, self.machine.online)
