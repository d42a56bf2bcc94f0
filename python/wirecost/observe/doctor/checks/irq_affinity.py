# SPDX-License-Identifier: Apache-2.0
"""Affinity of interrupts: the CPUs that devices may interrupt."""

from __future__ import annotations

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Change, Check, Setting, Verdict

IRQS = "proc/irq"


class IrqAffinity(Check):
    name = "irq_affinity"
    title = "interrupts routed elsewhere"
    order = 40
    settings = (Setting(rf"{IRQS}/[0-9]+/smp_affinity_list", r"[0-9][0-9,:/-]*"),)

    def available(self) -> bool:
        return bool(self._numbers())

    def value(self) -> str:
        here = self._allowed()
        return f"{len(here)} of {len(self._numbers())} interrupts allowed" if here else "yes"

    def verdict(self) -> Verdict:
        return Verdict.WARN if self._allowed() else Verdict.OK

    def advice(self) -> str:
        if not self.machine.housekeeping:
            return "leave a CPU for interrupts: give fewer CPUs in --cpus"
        rest = cpulist.render(self.machine.housekeeping)
        return f"write {rest} to /proc/irq/*/smp_affinity_list and ban the CPUs in irqbalance"

    def fix(self) -> list[Change]:
        rest = cpulist.render(self.machine.housekeeping)
        # Interrupts that a driver spreads itself refuse any change.
        return [Change(self._file(n), rest, optional=True) for n in self._allowed() if rest]

    def _allowed(self) -> list[str]:
        """Interrupts that are allowed here; of one in use, that are routed here."""
        measured = set(self.machine.cpus)
        return [number for number in self._numbers() if measured & set(self._cpus(number))]

    def _cpus(self, number: str) -> tuple[int, ...]:
        effective = self.system.text(f"{IRQS}/{number}/effective_affinity_list")
        return cpulist.lenient(effective or self.system.text(self._file(number)))

    def _numbers(self) -> list[str]:
        return [name for name in self.system.names(IRQS) if name.isdigit()]

    def _file(self, number: str) -> str:
        return f"{IRQS}/{number}/smp_affinity_list"
