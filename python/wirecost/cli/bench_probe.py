# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench probe``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.probe.choices import ProbeSettings

EXAMPLE = "wirecost bench probe"

command = scenario_command(
    "Cost of timing a section: the probe, pmu_analyzer, floors.",
    ProbeSettings,
    "wirecost.measure.bench.probe.scenario",
)
