# SPDX-License-Identifier: Apache-2.0
"""Interrupts of the CPUs since boot."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.counts import INTERRUPTS, busiest, counts, total

QUIET_PER_S = 10.0


class Interrupts(Check):
    name = "interrupts"
    title = "interrupts since boot"
    order = 41
    path = INTERRUPTS

    def available(self) -> bool:
        return bool(counts(self.system, self.path)) and self.machine.uptime_s() is not None

    def value(self) -> str:
        rate, cpu = self._worst()
        table = counts(self.system, self.path)
        sources = ", ".join(name[:30] for name, _ in busiest(table, cpu, 2))
        return f"{rate:.3g}/s on CPU {cpu}" + (f": {sources}" if sources else "")

    def verdict(self) -> Verdict:
        return Verdict.WARN if self._worst()[0] > QUIET_PER_S else Verdict.OK

    def advice(self) -> str:
        return "mean since boot; depends on nohz_full and on where interrupts are routed"

    def _worst(self) -> tuple[float, int]:
        """Return the highest rate among the CPUs, and the CPU that has it."""
        table, seconds = counts(self.system, self.path), self.machine.uptime_s() or 1.0
        return max((total(table, cpu) / seconds, cpu) for cpu in self.machine.cpus)
