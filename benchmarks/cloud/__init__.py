# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench cloud``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.cloud.choices import CloudSettings

EXAMPLE = "wirecost bench cloud --points 30000"

command = scenario_command(
    "Two point cloud callbacks: usual, recommended, optimized.",
    CloudSettings,
    "wirecost.measure.bench.cloud.scenario",
)
