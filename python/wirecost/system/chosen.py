# SPDX-License-Identifier: Apache-2.0
"""A comma-separated choice from a known list."""

from __future__ import annotations

from collections.abc import Iterable

from wirecost.system.errors import UserError


def chosen(option: str, text: str, known: Iterable[str]) -> tuple[str, ...]:
    """The chosen names in the order of ``known``. Raises UserError on one that is not there."""
    known = list(known)
    names = text.split(",")
    for name in names:
        if name not in known:
            raise UserError(f"{option} {name}: there are {', '.join(known)}")
    return tuple(name for name in known if name in names)
