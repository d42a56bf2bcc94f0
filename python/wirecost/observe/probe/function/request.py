# SPDX-License-Identifier: Apache-2.0
"""Request of the user by ``--function``."""

from __future__ import annotations

from wirecost.system.errors import UserError

MEANS = ("auto", "uprobes", "trampoline", "instrumented", "xray")
DEFAULT_LIMIT, HIGHEST_LIMIT = 64, 256
LONGEST_PATTERN, MOST_PATTERNS = 1000, 64


def checked(patterns: tuple[str, ...], limit: int, means: str) -> None:
    """Raise UserError for what no function can have."""
    if means not in MEANS:
        raise UserError(f"--function-means {means}: there are {', '.join(MEANS)}")
    if not 1 <= limit <= HIGHEST_LIMIT:
        raise UserError(f"--function-limit {limit}: must be from 1 to {HIGHEST_LIMIT}")
    if len(patterns) > MOST_PATTERNS:
        raise UserError(f"--function: more than {MOST_PATTERNS} patterns; use * in fewer")
    for pattern in patterns:
        if not pattern or len(pattern) > LONGEST_PATTERN or not pattern.isprintable():
            raise UserError(
                f"--function {pattern[:40]!r}: must be 1 to {LONGEST_PATTERN} printable characters"
            )
