# SPDX-License-Identifier: Apache-2.0
"""The environment that every result carries."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System
from wirecost.results.records.schemas.common import Entry
from wirecost.system.allocation import malloc_file, variables


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def _cpu() -> dict[str, str]:
    """Return what the kernel reports of the first CPU."""
    first = (_read("/proc/cpuinfo") or "").split("\n\n")[0]
    pairs = (line.partition(":") for line in first.splitlines())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _cache_bytes(level: int) -> int | None:
    """Return the bytes of the unified cache of that level that CPU 0 uses."""
    for index in range(8):
        cache = f"/sys/devices/system/cpu/cpu0/cache/index{index}"
        size = re.fullmatch(r"(\d+)([KM])", _read(f"{cache}/size") or "")
        if size and _read(f"{cache}/level") == str(level):
            return int(size[1]) << {"K": 10, "M": 20}[size[2]]
    return None


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def environment() -> dict[str, Entry]:
    """Return machine, operating system and versions; what is unknown is None."""
    cpu = _cpu()
    return {
        "cpu": cpu.get("model name") or platform.processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "l2_cache_bytes": _cache_bytes(2),
        "l3_cache_bytes": _cache_bytes(3),
        "memory_bytes": psutil.virtual_memory().total,
        "virtual_machine": "hypervisor" in cpu.get("flags", "").split(),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "transparent_huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load_average": [*os.getloadavg()],
        "kernel": platform.release(),
        "os": platform.freedesktop_os_release().get("PRETTY_NAME"),
        "python": platform.python_version(),
        "fmpy": _version("FMPy"),
        "wirecost": version("wirecost"),
        "malloc": malloc_file(),
        "malloc_settings": {**variables(os.environ)},
        "doctor": {**examine(machine(System())).summary()},
    }
