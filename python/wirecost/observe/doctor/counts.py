# SPDX-License-Identifier: Apache-2.0
"""The kernel's own counts of interrupts and soft interrupts, CPU by CPU."""

from __future__ import annotations

from wirecost.observe.doctor.machine_files import System, whole

Counts = dict[str, dict[int, int]]
"""Source → CPU → count since boot."""

INTERRUPTS = "proc/interrupts"
SOFTIRQS = "proc/softirqs"


def counts(system: System, path: str) -> Counts:
    """Return a table like /proc/interrupts; what is not a table gives no rows.

    A device's interrupt is named as its driver calls it, the architecture's by the kernel's words.
    """
    lines = (system.text(path) or "").splitlines()
    header = lines[0].split() if lines else []
    cpus = [whole(word.removeprefix("CPU")) for word in header if word.startswith("CPU")]
    table: Counts = {}
    for line in lines[1:]:
        key, colon, rest = line.partition(":")
        words = rest.split()
        numbers = [whole(word) for word in words[: len(cpus)]]
        if not colon or len(numbers) < len(cpus) or None in numbers:
            continue
        row = table.setdefault(_source(key.strip(), words[len(cpus) :]), {})
        for cpu, count in zip(cpus, numbers, strict=True):
            if cpu is not None and count is not None:
                row[cpu] = row.get(cpu, 0) + count
    return table


def since(before: Counts, after: Counts) -> Counts:
    """Return what was added in between; a source that is new counts from zero."""
    return {
        source: {cpu: n - before.get(source, {}).get(cpu, 0) for cpu, n in row.items()}
        for source, row in after.items()
    }


def busiest(table: Counts, cpu: int, most: int = 3) -> list[tuple[str, int]]:
    """Return the sources a CPU saw most of, with their counts."""
    here = [(source, row.get(cpu, 0)) for source, row in table.items()]
    return sorted((pair for pair in here if pair[1] > 0), key=lambda pair: -pair[1])[:most]


def total(table: Counts, cpu: int) -> int:
    return sum(row.get(cpu, 0) for row in table.values())


def _source(key: str, rest: list[str]) -> str:
    if not rest:
        return key
    return rest[-1] if key.isdigit() else " ".join(rest)
