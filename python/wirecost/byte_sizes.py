# SPDX-License-Identifier: Apache-2.0
"""Amounts of memory as users write them."""

from __future__ import annotations

import re

from wirecost.errors import UserError

UNITS = {"": 1, "k": 1000, "M": 1000**2, "G": 1000**3, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*([kMG]|[KMG]i)?B?", re.ASCII)


def parse_size(option: str, text: str, example: str = "2GiB or 800MB") -> int:
    """Bytes: ``2GiB``, ``1.5 GB``, ``800M``, a number. Raises UserError."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UserError(f"{option} {text}: give a size such as {example}")
    return int(float(found[1]) * UNITS[found[2] or ""])
