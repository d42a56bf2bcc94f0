# SPDX-License-Identifier: Apache-2.0
"""Limits of numbers that several scenarios take as options. All raise UserError."""

from __future__ import annotations

from wirecost.system.errors import UserError


def between(option: str, number: float, least: float, most: float) -> None:
    """Check that a number lies within its limits."""
    if not least <= number <= most:
        text = f"{number:g}" if isinstance(number, float) else number
        raise UserError(f"{option} {text}: must lie between {least:,} and {most:,}")


def at_least_one(option: str, number: int) -> None:
    """Check that a number is positive."""
    if number < 1:
        raise UserError(f"{option} {number}: at least 1 is needed")


def seed(number: int) -> None:
    """Check that a seed fits 63 bits."""
    if not 0 <= number < 2**63:
        raise UserError(f"--seed {number}: must lie between 0 and 2^63 - 1")
