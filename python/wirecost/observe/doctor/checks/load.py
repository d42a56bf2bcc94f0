# SPDX-License-Identifier: Apache-2.0
"""Load: something else that runs right now."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict

QUIET = 0.5


class Load(Check):
    name = "load"
    title = "load"
    order = 72

    def available(self) -> bool:
        return self._mean() is not None

    def value(self) -> str:
        return f"{self._mean() or 0.0:.2f} on {len(self.machine.online)} CPUs"

    def verdict(self) -> Verdict:
        mean = self._mean() or 0.0
        if mean >= len(self.machine.online):
            return Verdict.FAIL
        return Verdict.WARN if mean > QUIET else Verdict.OK

    def advice(self) -> str:
        return "stop other programs and wait a minute; top shows them"

    def _mean(self) -> float | None:
        """Threads that ran or wanted to, over the last minute."""
        try:
            return float((self.system.text("proc/loadavg") or "").split()[0])
        except (ValueError, IndexError):
            return None
