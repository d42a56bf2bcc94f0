# SPDX-License-Identifier: Apache-2.0
"""Options of the kernel's build by which CPUs can be left alone."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict

NEEDED = ("CONFIG_NO_HZ_FULL", "CONFIG_RCU_NOCB_CPU")


class KernelConfig(Check):
    name = "kernel_config"
    title = "kernel build"
    order = 10

    def available(self) -> bool:
        return self.machine.config is not None

    def value(self) -> str:
        missing = self._missing()
        return f"without {', '.join(missing)}" if missing else "full dynticks, RCU offload"

    def verdict(self) -> Verdict:
        return Verdict.FAIL if self._missing() else Verdict.OK

    def advice(self) -> str:
        lines = " ".join(f"{name}=y" for name in self._missing())
        return (
            f"build the kernel with {lines}, or boot one that has it; otherwise isolation is weaker"
        )

    def _missing(self) -> list[str]:
        return [name for name in NEEDED if self.machine.lacks(name)]
