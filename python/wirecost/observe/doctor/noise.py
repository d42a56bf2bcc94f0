# SPDX-License-Identifier: Apache-2.0
"""Noise: what the operating system takes from a thread that only reads the clock, and why."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

from wirecost import _core
from wirecost.observe.doctor.counts import INTERRUPTS, SOFTIRQS, Counts, busiest, counts, since
from wirecost.observe.doctor.machine import Machine
from wirecost.observe.doctor.machine_files import System, whole
from wirecost.results.records.recorded_machine import CpuNoise
from wirecost.system.errors import UserError

THRESHOLD_NS = 1024
"""Shorter gaps are the clock's and the loop's own; a bound of the histogram."""
LONGEST = 1000
MOST_SOURCES = 5
STEAL_FIELD = 8
TICK_NS = 10_000_000
"""The unit of /proc/stat: USER_HZ is 100."""


@dataclass(frozen=True)
class _Counters:
    """Counts of the kernel up to now."""

    interrupts: Counts
    softirqs: Counts
    stolen_ns: dict[int, int]


def measure_noise(machine: Machine, seconds: float) -> list[CpuNoise]:
    """Spin on all CPUs of the machine at once. Raises UserError where one may not be used."""
    if not 0 < seconds <= 3600:
        raise UserError(f"--noise {seconds:g}: give more than 0 and at most 3600 seconds")
    spun: dict[int, tuple[_core.Noise, int | None]] = {}
    refused: dict[int, str] = {}

    def work(cpu: int) -> None:
        try:
            os.sched_setaffinity(0, {cpu})
        except OSError as error:
            refused[cpu] = error.strerror or str(error)
            return
        before = _waited_ns(machine.system)
        noise = _core.spin(int(seconds * 1e9), THRESHOLD_NS, LONGEST)
        after = _waited_ns(machine.system)
        waited = None if before is None or after is None else after - before
        spun[cpu] = (noise, waited)

    before = _counters(machine.system)
    # They are daemons, which do not keep an interrupted program alive.
    threads = [threading.Thread(target=work, args=(cpu,), daemon=True) for cpu in machine.cpus]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    after = _counters(machine.system)
    for cpu, reason in refused.items():
        raise UserError(f"--noise: CPU {cpu}: {reason}; name CPUs this process may use in --cpus")
    return [_noise(cpu, *spun[cpu], before, after) for cpu in machine.cpus]


def _noise(
    cpu: int, noise: _core.Noise, waited: int | None, before: _Counters, after: _Counters
) -> CpuNoise:
    stolen = after.stolen_ns.get(cpu)
    return CpuNoise(
        cpu=cpu,
        elapsed_ns=noise.elapsed_ns,
        threshold_ns=THRESHOLD_NS,
        step_ns=noise.step_ns,
        gaps=noise.gaps,
        lost_ns=noise.lost_ns,
        histogram=[(1 << power, count) for power, count in enumerate(noise.histogram) if count],
        longest=[(start, length) for length, start in noise.longest],
        switches=noise.voluntary_switches + noise.involuntary_switches,
        waited_ns=waited,
        stolen_ns=None if stolen is None else stolen - before.stolen_ns.get(cpu, 0),
        interrupts=_added(before.interrupts, after.interrupts, cpu),
        softirqs=_added(before.softirqs, after.softirqs, cpu),
    )


def _added(before: Counts, after: Counts, cpu: int) -> dict[str, int]:
    return dict(busiest(since(before, after), cpu, MOST_SOURCES))


def _counters(system: System) -> _Counters:
    return _Counters(counts(system, INTERRUPTS), counts(system, SOFTIRQS), _stolen_ns(system))


def _stolen_ns(system: System) -> dict[int, int]:
    stolen: dict[int, int] = {}
    for line in (system.text("proc/stat") or "").splitlines():
        words = line.split()
        cpu = whole(words[0].removeprefix("cpu")) if words else None
        if cpu is not None and words[0].startswith("cpu") and len(words) > STEAL_FIELD:
            stolen[cpu] = (whole(words[STEAL_FIELD]) or 0) * TICK_NS
    return stolen


def _waited_ns(system: System) -> int | None:
    """Time this thread has spent ready to run but not running (sched-stats in the kernel)."""
    words = (system.text("proc/thread-self/schedstat") or "").split()
    return whole(words[1]) if len(words) == 3 else None
