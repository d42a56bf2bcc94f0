# SPDX-License-Identifier: Apache-2.0
"""Resolution of timers: they expire when they are set to, or at the next tick."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine_files import whole


class TimerResolution(Check):
    name = "timer_resolution"
    title = "timer resolution"
    order = 80

    def available(self) -> bool:
        return self._ns() is not None or self.machine.config is not None

    def value(self) -> str:
        ns = self._ns()
        if ns is not None:
            return f"{ns} ns"
        return "high resolution" if self._built() else "one tick"

    def verdict(self) -> Verdict:
        ns = self._ns()
        good = ns <= 1000 if ns is not None else self._built()
        return Verdict.OK if good else Verdict.FAIL

    def advice(self) -> str:
        if self.machine.parameters.get("highres") == "off":
            return "boot without highres=off"
        return "boot a kernel with CONFIG_HIGH_RES_TIMERS=y and a clock source that carries it"

    def _ns(self) -> int | None:
        """Return the coarsest of the kernel's timer bases, which only root may read."""
        lines = (self.system.text("proc/timer_list") or "").splitlines()
        resolutions = (line.partition(":")[2].split() for line in lines if ".resolution:" in line)
        numbers = [ns for words in resolutions if words and (ns := whole(words[0])) is not None]
        return max(numbers, default=None)

    def _built(self) -> bool:
        config = self.machine.config or {}
        off = self.machine.parameters.get("highres") == "off"
        return config.get("CONFIG_HIGH_RES_TIMERS") == "y" and not off
