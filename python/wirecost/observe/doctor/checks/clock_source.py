# SPDX-License-Identifier: Apache-2.0
"""Clock source: some are read without a system call."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict

FOLDER = "sys/devices/system/clocksource/clocksource0"
IN_USER_SPACE = ("tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page")


class ClockSource(Check):
    name = "clock_source"
    title = "clock source"
    order = 81
    settings = (Setting(f"{FOLDER}/current_clocksource", r"[\w-]+"),)

    def available(self) -> bool:
        return self.system.text(f"{FOLDER}/current_clocksource") is not None

    def value(self) -> str:
        return (self.system.text(f"{FOLDER}/current_clocksource") or "")[:40]

    def verdict(self) -> Verdict:
        return Verdict.OK if self.value() in IN_USER_SPACE else Verdict.FAIL

    def advice(self) -> str:
        better = self._better()
        if better is None:
            return "no clock here is readable in user space: each timestamp costs a system call"
        return f"write {better} to /{FOLDER}/current_clocksource"

    def fix(self) -> list[Change]:
        better = self._better()
        return [] if better is None else [Change(f"{FOLDER}/current_clocksource", better)]

    def _better(self) -> str | None:
        offered = (self.system.text(f"{FOLDER}/available_clocksource") or "").split()
        return next((name for name in IN_USER_SPACE if name in offered), None)
