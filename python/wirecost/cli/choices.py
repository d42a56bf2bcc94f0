# SPDX-License-Identifier: Apache-2.0
"""Options that take a comma-separated list."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wirecost.errors import UserError

Names = Iterable[str] | Callable[[], Iterable[str]]
"""A function where finding them takes imports, which help can do without."""


def completing(known: Names) -> Callable[[str], list[str]]:
    """Shell completion of the last name in the list."""

    def complete(incomplete: str) -> list[str]:
        names = known() if callable(known) else known
        head, comma, last = incomplete.rpartition(",")
        return [head + comma + name for name in names if name.startswith(last)]

    return complete


def numbers(option: str, text: str) -> list[int]:
    """Whole numbers, each once. Raises UserError."""
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise UserError(f"{option} {text}: give whole numbers, separated by commas") from None


def transport_names() -> list[str]:
    """Names, which only the transports' modules know."""
    from wirecost.transport import names

    return names()
