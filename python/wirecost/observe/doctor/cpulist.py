# SPDX-License-Identifier: Apache-2.0
"""Lists of CPUs as the kernel writes and reads them: ``0-3,8``, ``0-15:2/4``, ``all``, ``N``."""

from __future__ import annotations

from collections.abc import Iterable

from wirecost.observe.doctor.machine_files import whole

MOST_CPUS = 8192
"""CPUs that Linux can be built for at most; a list that names more is no list of CPUs."""


def parse(text: str, online: Iterable[int] = ()) -> tuple[int, ...]:
    """Return the CPUs in order; ``all`` and ``N`` (the last) refer to ``online``.

    Raises ValueError.
    """
    in_order = sorted(online)
    cpus: set[int] = set()
    for raw in text.split(","):
        part = raw.strip()
        if part == "all":
            cpus.update(in_order)
        elif part:
            cpus.update(_range(part, in_order))
    return tuple(sorted(cpus))


def lenient(text: str | None, online: Iterable[int] = ()) -> tuple[int, ...]:
    """Parse as ``parse`` does; return none where the text is missing or no list."""
    try:
        return parse(text or "", online)
    except ValueError:
        return ()


def render(cpus: Iterable[int]) -> str:
    """Return the shortest list: ``0-3,8``."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and runs[-1][1] == cpu - 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


def _range(part: str, online: list[int]) -> list[int]:
    span, _, groups = part.partition(":")
    first, dash, last = span.partition("-")
    low = _cpu(first, online)
    high = _cpu(last, online) if dash else low
    cpus = list(range(low, high + 1))
    if not cpus:
        raise ValueError(part)
    if not groups:
        return cpus
    used, _, size = groups.partition("/")
    count, of = whole(used), whole(size)
    if not count or not of or count < 0 or of < count:
        raise ValueError(part)
    return [cpu for cpu in cpus if (cpu - low) % of < count]


def _cpu(text: str, online: list[int]) -> int:
    if text == "N" and online:
        return online[-1]
    cpu = whole(text)
    if cpu is None or not 0 <= cpu < MOST_CPUS:
        raise ValueError(text)
    return cpu
