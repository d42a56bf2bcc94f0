# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench heap``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.heap.choices import HeapSettings

EXAMPLE = "wirecost bench heap --study callback"

command = scenario_command(
    "Allocators: turnaround of a lidar callback, threads.",
    HeapSettings,
    "wirecost.measure.bench.heap.scenario",
)
