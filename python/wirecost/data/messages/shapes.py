# SPDX-License-Identifier: Apache-2.0
"""Shapes of fields, as every contender must know them."""

from __future__ import annotations

from wirecost.schema.compile.schema import Field, Kind, Label

MOST_ELEMENTS = 5_000_000
"""Most elements of all lists of a made-up message."""


def is_list(field: Field) -> bool:
    """Return whether a field has any number of values, or a fixed one."""
    return field.label in (Label.REPEATED, Label.ARRAY)


def is_octets(field: Field) -> bool:
    """Return whether a field is a list of bytes of ROS: every contender holds it in one piece."""
    return is_list(field) and field.type is Kind.UINT8
