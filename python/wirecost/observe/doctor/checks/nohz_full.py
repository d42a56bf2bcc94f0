# SPDX-License-Identifier: Apache-2.0
"""Scheduler's tick, which can stop on CPUs while one thread runs."""

from __future__ import annotations

from wirecost.observe.doctor import cpulist
from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine import CPU


class NohzFull(Check):
    name = "nohz_full"
    title = "tick stopped (nohz_full)"
    order = 21

    def available(self) -> bool:
        return len(self.machine.online) > 1

    def value(self) -> str:
        return cpulist.render(self._tickless()) or "none"

    def verdict(self) -> Verdict:
        return Verdict.OK if set(self.machine.cpus) <= set(self._tickless()) else Verdict.FAIL

    def advice(self) -> str:
        if not self.machine.housekeeping:
            return "one core must keep its tick: give fewer CPUs in --cpus"
        return f"boot with {self.boot()[0]}; the tick returns where two threads share a CPU"

    def boot(self) -> list[str]:
        if not self.machine.housekeeping:
            return []
        return [f"nohz_full={cpulist.render(self.machine.with_siblings)}"]

    def _tickless(self) -> tuple[int, ...]:
        # A kernel built without it ignores the parameter and has no such file, or "(null)" in it.
        if self.machine.lacks("CONFIG_NO_HZ_FULL"):
            return ()
        cpus = self.system.text(f"{CPU}/nohz_full")
        if cpus is None:
            cpus = self.machine.parameters.get("nohz_full")
        return cpulist.lenient(cpus, self.machine.online)
