# SPDX-License-Identifier: Apache-2.0
"""The errors that the project's own reduced OSI columns state: 1 mm of range and 0.1 dB."""

from __future__ import annotations

SPEED_OF_LIGHT = 299_792_458.0
"""Metres per second."""

RANGE_ERROR = 1e-3
"""Metres."""

SIGNAL_ERROR = 0.1
"""Decibel."""

FLIGHT_ERROR = 2 * RANGE_ERROR / SPEED_OF_LIGHT
"""Seconds there and back."""

OSI_REDUCTIONS = (
    f"osi3.LidarSensorView.Reflection.signal_strength=error:{SIGNAL_ERROR!r}",
    f"osi3.LidarSensorView.Reflection.time_of_flight=error:{FLIGHT_ERROR!r}",
)
"""Values of ``--reduce``."""
