# SPDX-License-Identifier: Apache-2.0
"""Turbo, by which CPUs exceed their nominal frequency while it is cool enough."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict
from wirecost.observe.doctor.machine import CPU

OFF = {f"{CPU}/intel_pstate/no_turbo": "1", f"{CPU}/cpufreq/boost": "0"}
"""Intel's own driver; AMD's and every other driver. What to write to switch it off."""


class Turbo(Check):
    name = "turbo"
    title = "turbo, boost"
    order = 31
    settings = tuple(Setting(path, r"[01]") for path in OFF)

    def available(self) -> bool:
        return bool(self._files())

    def value(self) -> str:
        return "on" if self.fix() else "off"

    def verdict(self) -> Verdict:
        return Verdict.FAIL if self.fix() else Verdict.OK

    def advice(self) -> str:
        return "; ".join(f"write {c.value} to /{c.path}" for c in self.fix())

    def fix(self) -> list[Change]:
        return [
            Change(path, OFF[path]) for path in self._files() if self.system.text(path) != OFF[path]
        ]

    def _files(self) -> list[str]:
        return [path for path in OFF if self.system.text(path) is not None][:1]
