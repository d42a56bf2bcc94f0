# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench repeated``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.message.preset_settings import RepeatedSettings

EXAMPLE = "wirecost bench repeated --list radar"

command = scenario_command(
    "Lists of objects by Protobuf, FlatBuffers and columns.",
    RepeatedSettings,
    "wirecost.measure.bench.message.presets.repeated",
    folder="repeated",
)
