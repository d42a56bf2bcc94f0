# SPDX-License-Identifier: Apache-2.0
"""Time zones by the names that strangers give them."""

from __future__ import annotations

import re
import zoneinfo
from functools import cache

_FIXED = re.compile(r"UTC(?:[+-]\d\d:\d\d)?", re.ASCII)


@cache
def zone(name: str) -> zoneinfo.ZoneInfo:
    """Return a zone of the IANA database, each read once. Raises what zoneinfo raises."""
    return zoneinfo.ZoneInfo(name)


def known(name: str) -> str:
    """Return the name of a zone that is there, or of a fixed offset. Raises as ``zone``.

    For pandas, which takes names that begin with ``dateutil/`` for files.
    """
    if not _FIXED.fullmatch(name):
        zone(name)
    return name
