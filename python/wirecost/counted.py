# SPDX-License-Identifier: Apache-2.0
"""Numbers of things in words."""

from __future__ import annotations


def counted(count: int, thing: str) -> str:
    """``1 message``, ``1,200 messages``: of what has a regular plural."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"
