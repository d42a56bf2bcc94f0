# SPDX-License-Identifier: Apache-2.0
"""Hypervisor: another system may share the CPUs unseen."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine_files import whole

DMI = "sys/class/dmi/id"
TICKS_PER_S = 100
"""USER_HZ: the unit of /proc/stat on every Linux port in use."""


class Hypervisor(Check):
    name = "hypervisor"
    title = "virtual machine"
    order = 70

    def available(self) -> bool:
        return self.system.exists("proc/cpuinfo")

    def value(self) -> str:
        if not self.machine.virtual:
            return "no"
        product = (self.system.text(f"{DMI}/product_name") or "")[:30]
        stolen = self._stolen_s()
        text = "yes" if not product else f"yes ({product})"
        return text if stolen is None else f"{text}, {stolen:.1f} s stolen"

    def verdict(self) -> Verdict:
        return Verdict.WARN if self.machine.virtual else Verdict.OK

    def advice(self) -> str:
        return "measure on bare metal, or pin the virtual CPUs on the host; compare within one run"

    def _stolen_s(self) -> float | None:
        """Return the seconds since boot in which a CPU wanted to run, but the host held it."""
        for line in (self.system.text("proc/stat") or "").splitlines():
            words = line.split()
            if words[:1] == ["cpu"] and len(words) > 8:
                ticks = whole(words[8])
                return None if ticks is None else ticks / TICKS_PER_S
        return None
