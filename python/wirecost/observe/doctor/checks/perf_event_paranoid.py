# SPDX-License-Identifier: Apache-2.0
"""Permission to read performance counters, the kernel's part included."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict

PARANOID = "proc/sys/kernel/perf_event_paranoid"


class PerfEventParanoid(Check):
    name = "perf_event_paranoid"
    title = "performance counters allowed"
    order = 62
    settings = (Setting(PARANOID, r"-?[0-9]"),)

    def available(self) -> bool:
        return self.system.number(PARANOID) is not None

    def value(self) -> str:
        level = str(self.system.number(PARANOID))
        return f"{level}, not applied (CAP_PERFMON)" if self._free() else level

    def verdict(self) -> Verdict:
        """Warn from 2 on, where counting in kernel mode is refused: page faults go uncounted."""
        level = self.system.number(PARANOID)
        return Verdict.OK if (level is not None and level <= 1) or self._free() else Verdict.WARN

    def advice(self) -> str:
        return f"write 1 to /{PARANOID}: counters of one's own programs, kernel part included"

    def fix(self) -> list[Change]:
        return [Change(PARANOID, "1")]

    def _free(self) -> bool:
        return self.machine.capable("PERFMON") or self.machine.capable("SYS_ADMIN")
