# SPDX-License-Identifier: Apache-2.0
"""Largest allowed error of a field: what the user says, else what its unit suggests.

The proposals are below what today's sensors resolve: 1 mm, 1 mm/s, 0.001°, 0.1 dB, 0.1 %.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from wirecost.system.errors import UserError
from wirecost.system.lengths import metres

FLIGHT = 6.67e-12
"""Seconds that light takes to a place 1 mm further away and back."""
ANGLE = 1.74e-5
"""0.001° in radians."""


@dataclass(frozen=True)
class Allowed:
    """Largest error and its unit; empty where it is none or not known."""

    error: float
    unit: str = ""


_PROPOSALS = (
    (r"\.time_of_flight", Allowed(FLIGHT, "s")),
    (r"\.(signal_strength|snr)", Allowed(0.1, "dB")),
    (r"\.rcs", Allowed(0.1, "dB m²")),
    # 1 mm/s at the wavelengths of usual lidars, 1.55 µm, and radars, 77 GHz.
    (r"Lidar\S*\.doppler_shift", Allowed(1290.0, "Hz")),
    (r"Radar\S*\.doppler_shift", Allowed(0.514, "Hz")),
    (r"\.(orientation_rate|rotation_rate)(\.\w+)?", Allowed(ANGLE, "rad/s")),
    (r"\.orientation_acceleration\.\w+", Allowed(ANGLE, "rad/s²")),
    (r"\.(azimuth|elevation|yaw|pitch|roll|\w+_angle)", Allowed(ANGLE, "rad")),
    (r"\.normal_to_surface\.[xyz]", Allowed(0.0001)),
    (r"\.(\w*probability|reflectivity)", Allowed(0.001)),
    (r"\.intensity", Allowed(0.1, "%")),
    (r"velocity(_rmse)?(\.[xyz])?", Allowed(0.001, "m/s")),
    (r"acceleration(_rmse)?(\.[xyz])?", Allowed(0.001, "m/s²")),
    (r"\.(distance|[xyz]|length|width|height\w*)", Allowed(0.001, "m")),
    (r"\.(echo_pulse_width|\w*radius\w*)", Allowed(0.001, "m")),
)


def proposed(message: str, path: str) -> Allowed | None:
    """Return the error for a field's unit, as far as names in OSI show it; else None."""
    for pattern, allowed in _PROPOSALS:
        if re.search(f"(?:{pattern})$", f"{message}.{path}"):
            return allowed
    return None


@dataclass
class Errors:
    """Errors of ``--error``, by field, by ``message.field`` or for all as ``*``."""

    limits: dict[str, float] = field(default_factory=dict)
    lengths: set[str] = field(default_factory=set)
    """Fields whose error was given with a unit of length."""
    used: set[str] = field(default_factory=set)

    @staticmethod
    def parse(options: Sequence[str]) -> Errors:
        """Parse ``FIELD=E`` options, as ``x=1mm`` or ``yaw=0.001``; 0 keeps every bit.

        Raises UserError.
        """
        limits, lengths = {}, set()
        for option in options:
            where, _, text = option.rpartition("=")
            try:
                limits[where] = 0.0 if text == "0" else metres("--error", text)
            except UserError:
                where = ""
            if not where:
                raise UserError(
                    f"--error {option}: give FIELD=E, a field and its largest error, such as "
                    "x=1mm; 0 keeps every bit"
                )
            if text[-1:].isalpha():
                lengths.add(where)
        return Errors(limits, lengths)

    def of(self, message: str, path: str) -> Allowed | None:
        """Return the allowed error of a field; None for no error at all."""
        unit = proposed(message, path)
        for where in (f"{message}.{path}", path, "*"):
            if where in self.limits:
                self.used.add(where)
                if where in self.lengths and unit and unit.unit != "m":
                    raise UserError(
                        f"--error {where}: {path} is not a length; give a number in "
                        f"{unit.unit or 'its unit'}"
                    )
                error = self.limits[where]
                return Allowed(error, unit.unit if unit else "") if error else None
        return unit

    def check(self) -> None:
        """Raise UserError for a field that no list had."""
        for where in self.limits.keys() - self.used:
            raise UserError(
                f"--error {where}: no list has a column {where} of real numbers; the table "
                "without it names them"
            )
