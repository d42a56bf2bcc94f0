# SPDX-License-Identifier: Apache-2.0
"""Numbers of things in words."""

from __future__ import annotations


def counted(count: int, thing: str, things: str = "") -> str:
    """Return ``1 message`` or ``1,200 messages``; ``things``: a plural that does not end in s."""
    return f"{count:,} {thing if count == 1 else things or thing + 's'}"
