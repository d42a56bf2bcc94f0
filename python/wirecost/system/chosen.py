# SPDX-License-Identifier: Apache-2.0
"""A comma-separated choice from a list of names."""

from __future__ import annotations

from collections.abc import Iterable

from wirecost.system.errors import UserError


def chosen(option: str, text: str, choices: Iterable[str]) -> tuple[str, ...]:
    """Return the chosen names in the order of ``choices``. Raises UserError on an unknown one."""
    choices = list(choices)
    names = text.split(",")
    for name in names:
        check_choice(option, name, choices)
    return tuple(name for name in choices if name in names)


def check_choice(option: str, name: str, choices: Iterable[str]) -> None:
    """Raise UserError for a name that is not among the choices."""
    choices = list(choices)
    if name not in choices:
        raise UserError(f"{option} {name}: there are {', '.join(choices)}")
