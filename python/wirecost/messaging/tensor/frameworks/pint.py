# SPDX-License-Identifier: Apache-2.0
"""Pint: magnitude and unit by its long name, in the receiver's application registry."""

from __future__ import annotations

import re
from typing import Any

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("pint",)
PLUGIN_ORDER = 14
_POWER = r"[^\W\d]\w{0,99}(?: \*\* -?\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,3})?)?"
_SIGN = re.compile(r" ([*/]) ")
_ONE = frozenset({"1", "dimensionless"})
# Pint would evaluate a text, and make an array of a list.
_NO_MAGNITUDES = frozenset({str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None)})
_UNITS = re.compile(rf"(?:1|dimensionless|{_POWER})(?: [*/] {_POWER}){{0,15}}")


def encoder(cls: type) -> Handler | None:
    """Return how a class is written: quantities of whatever registry, and units."""
    if cls.__name__ == "Measurement":
        raise UserError("pint: send value and error of a measurement as quantities")
    return {"Quantity": _quantity, "Unit": _unit}.get(cls.__name__)


def _quantity(writer: Writer, quantity: Any) -> Any:
    body = [quantity.magnitude, f"{quantity.units:D}"]
    return writer.extension(2, ["pint", "quantity", body])


def _unit(writer: Writer, unit: Any) -> Any:
    return writer.extension(2, ["pint", "unit", f"{unit:D}"])


def restore(kind: str, body: Any, _: Budget) -> Any:
    """Return the magnitude stays a view of the received memory."""
    registry = load("pint").get_application_registry()
    if kind == "unit":
        return _read(registry, body)
    if kind != "quantity":
        raise ValueError(kind)
    magnitude, unit = body
    if type(magnitude) in _NO_MAGNITUDES:
        raise ValueError(f"a magnitude of type {type(magnitude).__name__}")
    return registry.Quantity(magnitude, _read(registry, unit))


def _read(registry: Any, unit: Any) -> Any:
    # Not by Pint's own parser: it evaluates what it is given, and keeps for ever what it found.
    if type(unit) is not str or not _UNITS.fullmatch(unit):
        raise ValueError("no unit")
    powers: dict[str, float] = {}
    signs = [1, *(1 if sign == "*" else -1 for sign in _SIGN.findall(unit))]
    for sign, factor in zip(signs, _SIGN.split(unit)[::2], strict=True):
        name, _, power = factor.partition(" ** ")
        if name not in _ONE:
            full_name = registry.get_name(name)
            powers[full_name] = powers.get(full_name, 0) + sign * _number(power or "1")
    nonzero = {name: power for name, power in powers.items() if power}
    return registry.Unit(registry.UnitsContainer(nonzero))


def _number(power: str) -> float:
    return int(power) if power.lstrip("-").isdecimal() else float(power)
