# SPDX-License-Identifier: Apache-2.0
"""Builds the faults, and runs them with and without the gate."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("faults.cc")
BUDGET = 'after = "50ms"\n[function."rt::Controller::update"]\nrealtime = true\n'
TEN = "ten functions"
TEN_BUDGET = 'after = "50ms"\n[function."rt::step*"]\nrealtime = true\n'
EXCEEDED = 3
CYCLES = 300
LONGEST_S = 120
_USED = re.compile(r"used (\d+) ns")


@dataclass(frozen=True)
class Built:
    """The program, and the plugin that it can open instead of its own controller."""

    program: Path
    plugin: Path


def built(folder: Path) -> Built:
    """Build both as a vendor does, with nothing of wirecost."""
    result = Built(folder / "faults", folder / "faults.so")
    command = ["g++", "-std=c++20", "-g", "-O2", str(SOURCE), "-pthread", "-Wl,-z,lazy"]
    subprocess.run([*command, "-o", result.program], check=True)
    subprocess.run([*command, "-DPLUGIN", "-shared", "-fPIC", "-o", result.plugin], check=True)
    return result


def exceeded(there: Built, fault: str, *, in_plugin: bool, cycles: int = CYCLES) -> list[str]:
    """Return the counters that exceed their limit of 0."""
    folder = there.program.parent
    answer = folder / "answer.json"
    words = [fault, str(there.plugin) if in_plugin else "", str(cycles)]
    done = _checked(there, BUDGET, words, "--json", str(answer))
    budgets = json.loads(answer.read_text())["budgets"]
    names = [one["quantity"] for one in budgets if one["verdict"] == "exceeded"]
    if (done.returncode == EXCEEDED) != bool(names):
        raise RuntimeError(f"{fault}: status {done.returncode}, exceeded {names}\n{done.stderr}")
    return names


def used_ns(there: Built, cycles: int, *, gated: bool) -> int:
    """Return the processor time of a loop that calls ten functions in each cycle."""
    words = [TEN, "", str(cycles)]
    if gated:
        done = _checked(there, TEN_BUDGET, words)
    else:
        done = subprocess.run(
            [there.program, *words], capture_output=True, text=True, timeout=LONGEST_S, check=True
        )
    match = _USED.search(done.stderr)
    if match is None:
        raise RuntimeError(f"{TEN}: {done.stderr}")
    return int(match[1])


def _checked(
    there: Built, budget: str, words: list[str], *options: str
) -> subprocess.CompletedProcess[str]:
    path = there.program.with_name("budget.toml")
    path.write_text(budget)
    wirecost = Path(sys.executable).with_name("wirecost")
    command = [str(wirecost), "probe", "check", "--budget", str(path), *options]
    command += ["--", str(there.program), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=LONGEST_S, check=False)
