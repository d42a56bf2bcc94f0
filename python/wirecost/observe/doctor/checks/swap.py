# SPDX-License-Identifier: Apache-2.0
"""Swap, to which memory may go under a measurement."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict
from wirecost.observe.doctor.machine_files import whole

SWAPS = "proc/swaps"
SWAPPINESS = "proc/sys/vm/swappiness"


class Swap(Check):
    name = "swap"
    title = "swap"
    order = 52
    settings = (Setting(SWAPPINESS, r"[0-9]{1,3}"),)

    def available(self) -> bool:
        return self.system.text(SWAPS) is not None

    def value(self) -> str:
        size, used = self._kib()
        if size == 0:
            return "none"
        eager = self.system.number(SWAPPINESS)
        return f"{used >> 10} of {size >> 10} MiB used, swappiness {eager}"

    def verdict(self) -> Verdict:
        size, used = self._kib()
        if used:
            return Verdict.FAIL
        return Verdict.WARN if size and self.system.number(SWAPPINESS) != 0 else Verdict.OK

    def advice(self) -> str:
        return "swapoff -a; else write 0 to /proc/sys/vm/swappiness, and lock what is measured"

    def fix(self) -> list[Change]:
        return [Change(SWAPPINESS, "0")] if self.system.number(SWAPPINESS) else []

    def _kib(self) -> tuple[int, int]:
        """Return the size of all swap, and the used part of it, in KiB."""
        size = used = 0
        for line in (self.system.text(SWAPS) or "").splitlines()[1:]:
            columns = [whole(word) for word in line.split()[-3:-1]]
            if len(columns) == 2:
                size += columns[0] or 0
                used += columns[1] or 0
        return size, used
