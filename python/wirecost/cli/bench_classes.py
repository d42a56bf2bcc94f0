# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench classes``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.message.preset_settings import ClassesSettings

EXAMPLE = "wirecost bench classes --objects 100"

command = scenario_command(
    "OSI's GroundTruth in protoc's C++ classes, and in ours.",
    ClassesSettings,
    "wirecost.measure.bench.message.presets.classes",
)
