# SPDX-License-Identifier: Apache-2.0
"""Limit of the memory that can be locked."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict

ENOUGH = 1 << 30


class Memlock(Check):
    name = "memlock"
    title = "memory lock limit"
    order = 60

    def available(self) -> bool:
        return self.machine.limit("Max locked memory") is not None

    def value(self) -> str:
        limit = self.machine.limit("Max locked memory") or 0
        text = "unlimited" if limit < 0 else f"{limit / (1 << 20):.4g} MiB"
        return f"{text}, not applied (CAP_IPC_LOCK)" if self._free() else text

    def verdict(self) -> Verdict:
        limit = self.machine.limit("Max locked memory") or 0
        return Verdict.OK if limit < 0 or limit >= ENOUGH or self._free() else Verdict.WARN

    def advice(self) -> str:
        return 'add "<user> - memlock unlimited" to /etc/security/limits.d/wirecost.conf'

    def _free(self) -> bool:
        return self.machine.capable("IPC_LOCK")
