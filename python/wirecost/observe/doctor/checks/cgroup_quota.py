# SPDX-License-Identifier: Apache-2.0
"""CPU quota of a container, which stops threads in the middle of a period."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from wirecost.observe.doctor.check import Check, Verdict
from wirecost.observe.doctor.machine_files import whole

ROOT = "sys/fs/cgroup"


class CgroupQuota(Check):
    name = "cgroup_quota"
    title = "CPU quota of the cgroup"
    order = 71

    def available(self) -> bool:
        return self.system.text("proc/self/cgroup") is not None

    def value(self) -> str:
        quota = min(self._quotas(), default=None)
        return "none" if quota is None else f"{float(quota):.3g} CPUs"

    def verdict(self) -> Verdict:
        return Verdict.FAIL if any(True for _ in self._quotas()) else Verdict.OK

    def advice(self) -> str:
        return "run without a quota; give the container CPUs instead (docker --cpuset-cpus)"

    def _quotas(self) -> Iterator[Fraction]:
        """Yield the CPUs' worth of every limit up to the root; the smallest counts."""
        for line in (self.system.text("proc/self/cgroup") or "").splitlines():
            number, _, rest = line.partition(":")
            controllers, _, path = rest.partition(":")
            if number == "0" and not controllers:
                for folder in self._way([ROOT, f"{ROOT}/unified"], path):
                    yield from _ratio((self.system.text(f"{folder}/cpu.max") or "").split())
            elif "cpu" in controllers.split(","):
                for folder in self._way([f"{ROOT}/cpu", f"{ROOT}/{controllers}"], path):
                    names = (f"{folder}/cpu.cfs_{name}_us" for name in ("quota", "period"))
                    yield from _ratio([self.system.text(name) or "" for name in names])

    def _way(self, mounts: list[str], path: str) -> Iterator[str]:
        # A cgroup outside the namespace's own is written with ".."; it cannot be looked into.
        parts = [part for part in path.split("/") if part not in {"", ".", ".."}][:64]
        for mount in mounts:
            for depth in range(len(parts) + 1):
                yield "/".join([mount, *parts[:depth]])


def _ratio(words: list[str]) -> Iterator[Fraction]:
    if len(words) != 2:
        return
    quota, period = whole(words[0]), whole(words[1])
    if quota is not None and period is not None and quota > 0 and period > 0:
        yield Fraction(quota, period)
