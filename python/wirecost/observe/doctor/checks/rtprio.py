# SPDX-License-Identifier: Apache-2.0
"""Permission to take a real-time priority."""

from __future__ import annotations

from wirecost.observe.doctor.check import Check, Verdict

NAME = "Max realtime priority"


class RealtimePriority(Check):
    name = "rtprio"
    title = "real-time priority limit"
    order = 61

    def available(self) -> bool:
        return self.machine.limit(NAME) is not None

    def value(self) -> str:
        limit = self.machine.limit(NAME) or 0
        text = "unlimited" if limit < 0 else str(limit)
        return f"{text}, not applied (CAP_SYS_NICE)" if self._free() else text

    def verdict(self) -> Verdict:
        return Verdict.OK if self.machine.limit(NAME) != 0 or self._free() else Verdict.WARN

    def advice(self) -> str:
        return 'add "<user> - rtprio 98" to /etc/security/limits.d/wirecost.conf'

    def _free(self) -> bool:
        return self.machine.capable("SYS_NICE")
