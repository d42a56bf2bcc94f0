# SPDX-License-Identifier: Apache-2.0
"""Sensor views in columns."""

from __future__ import annotations

from functools import cache

from wirecost.schema.columns.converter import Converter
from wirecost.schema.compile.plan.protobuf import varint

COLUMNS_FIELD = 6 << 26


@cache
def back(name: str) -> Converter:
    """Kept, for its results lie in its memory."""
    return Converter.to_rows_of(f"osi3.{name}")


def hostile(sensors: int) -> bytes:
    """Few bytes that stand for ten million reflections of one signal strength for each sensor."""
    columns = bytes.fromhex("808080800e80ade204 898080800a000000000000e03f")
    for number in (COLUMNS_FIELD + 2, 1002):
        columns = varint(number << 3 | 2) + varint(len(columns)) + columns
    return columns * sensors
