# SPDX-License-Identifier: Apache-2.0
"""Amounts of memory as users write them: decimal units, and binary ones with an ``i``."""

from __future__ import annotations

import re

from wirecost.system.errors import UserError

SIZE = "SIZE"
"""Name of such a value in help."""
UNITS = "kMGT"
_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,6})?)\s*(?:([kMGT])(i)?)?B?", re.ASCII | re.IGNORECASE)


def parse_size(option: str, text: str, example: str = "2GiB or 800MB") -> int:
    """Return the bytes of ``2GiB``, ``1.5 GB``, ``800M`` or a number.

    ``k``, ``M``, ``G`` and ``T`` are powers of 1,000 and with an ``i`` of 1,024; the ``B`` may be
    left out.

    Raises:
        UserError: the text is no size.
    """
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UserError(f"{option} {text}: give a size such as {example}")
    number, unit, binary = match.groups()
    power = 0 if unit is None else UNITS.lower().index(unit.lower()) + 1
    return int(float(number) * (1024 if binary else 1000) ** power)
