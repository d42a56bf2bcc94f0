# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench notification``: measure, then print and keep the report."""

from __future__ import annotations

from wirecost.cli.scenario_command import scenario_command
from wirecost.measure.bench.message.preset_settings import NotificationSettings

EXAMPLE = "wirecost bench notification --lang cpp,python"

command = scenario_command(
    "A small message by Protobuf, ROS and generated codecs.",
    NotificationSettings,
    "wirecost.measure.bench.message.presets.notification",
)
