# SPDX-License-Identifier: Apache-2.0
"""Transparent huge pages, which the kernel makes behind a program's back."""

from __future__ import annotations

from wirecost.observe.doctor.check import Change, Check, Setting, Verdict

ENABLED = "sys/kernel/mm/transparent_hugepage/enabled"


class TransparentHugePages(Check):
    name = "thp"
    title = "transparent huge pages"
    order = 50
    settings = (Setting(ENABLED, r"always|madvise|never"),)

    def available(self) -> bool:
        return self.system.choice(ENABLED) is not None

    def value(self) -> str:
        return (self.system.choice(ENABLED) or "")[:20]

    def verdict(self) -> Verdict:
        """Warn of ``always``: faults and compaction stop a thread while 2 MiB are cleared."""
        return Verdict.WARN if self.value() == "always" else Verdict.OK

    def advice(self) -> str:
        return f"write madvise to /{ENABLED}: huge pages for those who ask"

    def fix(self) -> list[Change]:
        return [Change(ENABLED, "madvise")]
