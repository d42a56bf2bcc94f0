# SPDX-License-Identifier: Apache-2.0
"""The environment that every result carries."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cpuinfo
import psutil

from wirecost.doctor.examine import examine
from wirecost.doctor.machine import machine
from wirecost.doctor.system import System


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None


def environment() -> dict[str, Any]:
    """Machine, operating system and versions; what cannot be told is None."""
    cpu: dict[str, Any] = cpuinfo.get_cpu_info()
    flags = cpu.get("flags", [])
    return {
        "cpu": cpu.get("brand_raw") or platform.processor(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)),
        "l2_cache_bytes": cpu.get("l2_cache_size"),
        "l3_cache_bytes": cpu.get("l3_cache_size"),
        "memory_bytes": psutil.virtual_memory().total,
        "virtual_machine": "hypervisor" in flags,
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "transparent_huge_pages": _read("/sys/kernel/mm/transparent_hugepage/enabled"),
        "load_average": list(os.getloadavg()),
        "kernel": platform.release(),
        "os": platform.freedesktop_os_release().get("PRETTY_NAME"),
        "python": platform.python_version(),
        "fmpy": version("FMPy"),
        "wirecost": version("wirecost"),
        "doctor": examine(machine(System())).summary(),
    }
