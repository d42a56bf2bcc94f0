# SPDX-License-Identifier: Apache-2.0
"""Options that take a comma-separated list."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from wirecost.errors import UserError


def completing(known: Iterable[str]) -> Callable[[str], list[str]]:
    """Shell completion of the last name in the list."""
    names = list(known)

    def complete(incomplete: str) -> list[str]:
        head, comma, last = incomplete.rpartition(",")
        return [head + comma + name for name in names if name.startswith(last)]

    return complete


def numbers(option: str, text: str) -> list[int]:
    """Whole numbers, each once. Raises UserError."""
    try:
        return list(dict.fromkeys(int(part) for part in text.split(",")))
    except ValueError:
        raise UserError(f"{option} {text}: give whole numbers, separated by commas") from None
