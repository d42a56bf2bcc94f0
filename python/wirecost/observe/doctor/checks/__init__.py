# SPDX-License-Identifier: Apache-2.0
"""All checks, one a file, found by looking."""

from __future__ import annotations

from pathlib import Path

from wirecost.observe.doctor.check import Check
from wirecost.system.plugins import load_plugin, module_names


def all_checks() -> list[type[Check]]:
    """Return every check in the order of the table."""
    classes: list[type[Check]] = []
    for name in module_names(Path(__file__).parent):
        module = load_plugin(__name__, name)
        classes += [
            value
            for value in vars(module).values()
            if isinstance(value, type)
            and issubclass(value, Check)
            and value.__module__ == module.__name__
        ]
    return sorted(classes, key=lambda check: check.order)


def allowed(path: str, value: str) -> bool:
    """Return whether some check's settings have this file and may give it this value."""
    return any(setting.allows(path, value) for check in all_checks() for setting in check.settings)
