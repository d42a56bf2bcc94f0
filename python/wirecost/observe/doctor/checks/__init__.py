# SPDX-License-Identifier: Apache-2.0
"""All checks, one a file, found by looking."""

from __future__ import annotations

from pathlib import Path

from wirecost.observe.doctor.check import Check
from wirecost.system.plugins import load_plugin, module_names


def all_checks() -> list[type[Check]]:
    """Every check in the order of the table."""
    found: list[type[Check]] = []
    for name in module_names(Path(__file__).parent):
        module = load_plugin(__name__, name)
        found += [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Check)
            and value.__module__ == module.__name__
        ]
    return sorted(found, key=lambda check: check.order)


def allowed(path: str, value: str) -> bool:
    """Whether some check's settings have this file and may give it this value."""
    return any(one.allows(path, value) for check in all_checks() for one in check.settings)
