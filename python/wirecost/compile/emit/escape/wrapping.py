# SPDX-License-Identifier: Apache-2.0
"""Words of a comment on lines of a width."""

from __future__ import annotations

import re

_WORD = re.compile(r"\s*\S+")


def wrapped(line: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters, or of one longer word; none for no words.

    Unlike ``textwrap`` it takes time in proportion to the text, whatever is in it.
    """
    found: list[str] = []
    row: list[str] = []
    used = 0
    for word in _WORD.findall(line.rstrip()):
        if row and used + len(word) > width:
            found.append("".join(row))
            row, used = [], 0
        row.append(word if row or not found else word.lstrip())
        used += len(row[-1])
    return [*found, "".join(row)] if row else found
