# SPDX-License-Identifier: Apache-2.0
"""Figures' data for a page: what several layers of a figure draw stands there once."""

from __future__ import annotations

import json
from typing import Any

LEAST = 100
"""Characters that are worth a name."""


def with_data_once(specification: dict[str, Any]) -> dict[str, Any]:
    """The specification with its inline data by name, in Vega-Lite's ``datasets``."""
    names: dict[str, str] = {}
    datasets: dict[str, Any] = {}

    def named(part: Any) -> Any:
        if isinstance(part, list):
            return [named(one) for one in part]
        if not isinstance(part, dict):
            return part
        if set(part) == {"values"} and _rows(part["values"]):
            text = json.dumps(part["values"])
            if len(text) >= LEAST:
                name = names.setdefault(text, f"d{len(names)}")
                datasets[name] = part["values"]
                return {"name": name}
        return {key: named(one) for key, one in part.items()}

    shown: dict[str, Any] = named(specification)
    return shown | {"datasets": datasets} if datasets else shown


def _rows(values: Any) -> bool:
    """Not those of an axis."""
    return isinstance(values, list) and all(isinstance(one, dict) for one in values)
