# SPDX-License-Identifier: Apache-2.0
"""The gate's table of faults: what one run finds, and the page."""

from __future__ import annotations

from pathlib import Path

from wirecost_scenarios.gate import runs
from wirecost_scenarios.gate.faults import FAULTS, Fault
from wirecost_scenarios.gate.page import Load, Result, text


def test_a_fault_is_found_in_a_plugin(tmp_path: Path) -> None:
    there = runs.built(tmp_path)
    source = runs.SOURCE.read_text()
    assert all(f'"{fault.name}"' in source for fault in FAULTS)
    assert runs.exceeded(there, "new, delete", in_plugin=True) == ["allocations", "frees"]
    assert runs.used_ns(there, 20, gated=False) > 0


def test_faults_that_look_alike_share_a_row() -> None:
    results = [
        Result(Fault("none", rtsan=False, is_fault=False), [], []),
        Result(Fault("poll"), ["system-calls"], ["system-calls"]),
        Result(Fault("sleep"), ["system-calls"], ["system-calls"]),
        Result(Fault("missed"), ["frees"], []),
    ]
    page = text(results, Load(added_ns=5000, cycle_ns=100_000), [False, True, False], 1000)
    assert "Of 3 clean runs of 1,000 cycles it fails 1." in page
    assert (
        "**The gate finds 2 of 3 faults, in a program and in a plugin, and reports 0 of 1" in page
    )
    assert "without the gate   100 µs\nadded by the gate  5.0 µs, 0.5 % of the period\n" in page
    assert page.endswith(
        "| nothing | none | no |\n| system-calls | poll; sleep | yes |\n"
        "| frees / in the plugin nothing | missed | yes |\n"
    )
