# SPDX-License-Identifier: Apache-2.0
"""Pint: magnitude and unit by its long name, in the receiver's application registry."""

from __future__ import annotations

import re
from typing import Any

from wirecost.errors import UserError
from wirecost.tensor.budget import Budget
from wirecost.tensor.packages import load
from wirecost.tensor.writer import Handler, Writer

_POWER = r"[^\W\d]\w{0,99}(?: \*\* -?\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,3})?)?"
# Pint would evaluate a text, and make an array of a list.
_NO_MAGNITUDES = frozenset({str, bytes, bytearray, list, tuple, dict, set, frozenset, type(None)})
_UNITS = re.compile(rf"(?:1|dimensionless|{_POWER})(?: [*/] {_POWER}){{0,15}}")


def encoder(cls: type) -> Handler | None:
    """Quantities of whatever registry, and units."""
    if cls.__name__ == "Measurement":
        raise UserError("pint: send value and error of a measurement as quantities")
    return {"Quantity": _quantity, "Unit": _unit}.get(cls.__name__)


def _quantity(writer: Writer, quantity: Any) -> Any:
    body = [quantity.magnitude, f"{quantity.units:D}"]
    return writer.extension(2, ["pint", "quantity", body])


def _unit(writer: Writer, unit: Any) -> Any:
    return writer.extension(2, ["pint", "unit", f"{unit:D}"])


def restore(kind: str, body: Any, _: Budget) -> Any:
    """The magnitude stays a view of the received memory."""
    registry = load("pint").get_application_registry()
    if kind == "unit":
        return registry.Unit(_name(body))
    if kind != "quantity":
        raise ValueError(kind)
    magnitude, unit = body
    if type(magnitude) in _NO_MAGNITUDES:
        raise ValueError(f"a magnitude of type {type(magnitude).__name__}")
    return registry.Quantity(magnitude, _name(unit))


def _name(unit: Any) -> str:
    # Pint evaluates what it is given: only names and their powers, never powers of numbers.
    if type(unit) is not str or not _UNITS.fullmatch(unit):
        raise ValueError("no unit")
    return unit
