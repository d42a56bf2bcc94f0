# SPDX-License-Identifier: Apache-2.0
"""Randomization of the addresses of every process."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict

RANDOMIZE = "proc/sys/kernel/randomize_va_space"
KINDS = {"0": "off", "1": "stack and libraries", "2": "full"}


class AddressLayout(Check):
    """A fixed layout looks steadier, but one lucky or unlucky layout is then in every number.

    Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!", ASPLOS 2009.
    """

    name = "aslr"
    title = "address randomization (ASLR)"
    order = 51
    settings = (Setting(RANDOMIZE, r"[012]"),)

    def available(self) -> bool:
        return self.system.text(RANDOMIZE) is not None

    def value(self) -> str:
        return KINDS.get(self.system.text(RANDOMIZE) or "", "unknown")

    def verdict(self) -> Verdict:
        return Verdict.OK if self.value() == "full" else Verdict.WARN

    def advice(self) -> str:
        return f"write 2 to /{RANDOMIZE}: a single layout biases every run alike"

    def fix(self) -> list[Change]:
        return [Change(RANDOMIZE, "2")]
