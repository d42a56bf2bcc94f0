# SPDX-License-Identifier: Apache-2.0
"""Intel's frequency driver, which may leave the frequency to a governor."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict
from wirecost.observe.doctor.machine import CPU

STATUS = f"{CPU}/intel_pstate/status"


class IntelPstate(Check):
    name = "intel_pstate"
    title = "intel_pstate"
    order = 30
    settings = (Setting(STATUS, r"active|passive|off"),)

    def available(self) -> bool:
        return self.system.exists(STATUS)

    def value(self) -> str:
        return (self.system.text(STATUS) or "unknown")[:20]

    def verdict(self) -> Verdict:
        """Active mode moves the frequency by itself and knows no userspace governor."""
        return Verdict.WARN if self.value() == "active" else Verdict.OK

    def advice(self) -> str:
        return "boot with intel_pstate=disable, or set it to passive"

    def fix(self) -> list[Change]:
        return [Change(STATUS, "passive")]

    def boot(self) -> list[str]:
        return ["intel_pstate=disable"]
