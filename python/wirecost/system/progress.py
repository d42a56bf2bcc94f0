# SPDX-License-Identifier: Apache-2.0
"""Progress of what takes long."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[int, int, str], None]
"""Callback with the number done, the number in all, and what runs now."""


def silent(_done: int, _total: int, _text: str) -> None:
    """Ignore the progress."""
