# SPDX-License-Identifier: Apache-2.0
"""Frequency of the CPUs, which should stay the same."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict
from wirecost.observe.doctor.machine import CPU
from wirecost.observe.doctor.machine_files import whole

POLICY = rf"{CPU}/(cpu[0-9]+/cpufreq|cpufreq/policy[0-9]+)"
"""The first is a link to the second: CPUs that share a frequency have one folder."""


class Frequency(Check):
    name = "frequency"
    title = "governor and fixed frequency"
    order = 32
    settings = (
        Setting(rf"{POLICY}/scaling_governor", r"\w+"),
        Setting(rf"{POLICY}/scaling_(min_freq|max_freq|setspeed)", r"[0-9]{1,10}"),
    )

    def available(self) -> bool:
        return any(self.system.exists(self._file(cpu, "scaling_governor")) for cpu in self._cpus())

    def value(self) -> str:
        return ", ".join(dict.fromkeys(map(self._state, self._cpus())))

    def verdict(self) -> Verdict:
        """Return no better than a warning: the performance governor may move between its bounds."""
        if all(map(self._fixed, self._cpus())):
            return Verdict.OK
        steady = {self._governor(cpu) for cpu in self._cpus()} <= {"performance", "userspace"}
        return Verdict.WARN if steady else Verdict.FAIL

    def advice(self) -> str:
        if any(self._userspace(cpu) for cpu in self._cpus()):
            return "set the governor userspace and a frequency in scaling_setspeed"
        return "set the governor performance and scaling_min_freq to scaling_max_freq"

    def fix(self) -> list[Change]:
        return [change for cpu in self._cpus() for change in self._changes(cpu)]

    def _changes(self, cpu: int) -> list[Change]:
        if self._fixed(cpu) or not self.system.exists(self._file(cpu, "scaling_governor")):
            return []
        speed = self._sustained(cpu)
        if self._userspace(cpu) and speed is not None:
            return [
                Change(self._file(cpu, "scaling_governor"), "userspace"),
                Change(self._file(cpu, "scaling_setspeed"), str(speed)),
            ]
        changes = [Change(self._file(cpu, "scaling_governor"), "performance")]
        highest = self._number(cpu, "scaling_max_freq")
        if highest is not None:
            changes.append(Change(self._file(cpu, "scaling_min_freq"), str(highest)))
        return changes

    def _cpus(self) -> tuple[int, ...]:
        """Return the siblings too: a core runs at the higher of its threads' frequencies."""
        return self.machine.with_siblings

    def _fixed(self, cpu: int) -> bool:
        low, high = self._number(cpu, "scaling_min_freq"), self._number(cpu, "scaling_max_freq")
        return self._governor(cpu) == "userspace" or (low is not None and low == high)

    def _state(self, cpu: int) -> str:
        names = ["scaling_setspeed"] if self._governor(cpu) == "userspace" else []
        names += [] if names else ["scaling_min_freq", "scaling_max_freq"]
        speeds = [self._number(cpu, name) for name in names]
        texts = dict.fromkeys(f"{kHz / 1e6:.2f}" for kHz in speeds if kHz is not None)
        return f"{self._governor(cpu)} {'–'.join(texts)} GHz" if texts else self._governor(cpu)

    def _sustained(self, cpu: int) -> int | None:
        """Return the frequency in kHz that is kept without turbo and within the bounds set."""
        base = self._number(cpu, "base_frequency") or self._number(cpu, "cpuinfo_max_freq")
        highest = self._number(cpu, "scaling_max_freq")
        limits = [kHz for kHz in (base, highest) if kHz is not None]
        return min(limits, default=None)

    def _userspace(self, cpu: int) -> bool:
        offered = self.system.text(self._file(cpu, "scaling_available_governors")) or ""
        return "userspace" in offered.split()

    def _governor(self, cpu: int) -> str:
        return (self.system.text(self._file(cpu, "scaling_governor")) or "no governor")[:20]

    def _number(self, cpu: int, name: str) -> int | None:
        return whole(self.system.text(self._file(cpu, name)))

    def _file(self, cpu: int, name: str) -> str:
        return f"{CPU}/cpu{cpu}/cpufreq/{name}"
