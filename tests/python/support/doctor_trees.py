# SPDX-License-Identifier: Apache-2.0
"""Lays the machines of tests/data/doctor out as folders."""

from __future__ import annotations

import gzip
from pathlib import Path

from wirecost.observe.doctor.examine import Finding, examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System

MACHINES = Path(__file__).parents[2] / "data" / "doctor"


def contents(name: str) -> dict[str, str]:
    """Path → text of a recorded machine."""
    files: dict[str, str] = {}
    path = ""
    for line in (MACHINES / f"{name}.txt").read_text().splitlines():
        if line.startswith("==> ") and line.endswith(" <=="):
            path = line[4:-4]
            files[path] = ""
        else:
            files[path] += line + "\n"
    return files


def lay_out(root: Path, files: dict[str, str]) -> System:
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith(".gz"):
            target.write_bytes(gzip.compress(text.encode()))
        else:
            target.write_text(text)
    return System(root)


def findings(system: System, cpus: str | None = None) -> dict[str, Finding]:
    return {finding.name: finding for finding in examine(machine(system, cpus)).findings}
