# SPDX-License-Identifier: Apache-2.0
"""Pint: magnitude and unit by its long name, in the receiver's application registry."""

from __future__ import annotations

from typing import Any

from wirecost.errors import UserError
from wirecost.tensor.packages import load
from wirecost.tensor.writer import Handler, Writer


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


def restore(kind: str, body: Any) -> Any:
    """The magnitude stays a view of the received memory."""
    registry = load("pint").get_application_registry()
    if kind == "unit":
        return registry.Unit(_name(body))
    if kind != "quantity":
        raise ValueError(kind)
    magnitude, unit = body
    return registry.Quantity(magnitude, _name(unit))


def _name(unit: Any) -> str:
    # A parser of expressions reads it: powers of powers would keep it busy for ever.
    if type(unit) is not str or len(unit) > 1000 or unit.count("**") > 100 or _heavy(unit):
        raise ValueError("no unit")
    return unit


def _heavy(unit: str) -> bool:
    powers = [part.split()[0:1] for part in unit.split("**")[1:]]
    return any(not power or len(power[0]) > 8 for power in powers) or "(" in unit
