# SPDX-License-Identifier: Apache-2.0
"""``cdr``: XCDR1 plain, as ROS 2 uses it (OMG DDS-XTypes 1.3, 7.4.1).

Every value is aligned to its own width, counted from the byte behind the four bytes of the
encapsulation header; strings end with a NUL that their length counts. Little-endian is written;
both orders are read.
"""

from __future__ import annotations

from wirecost.compile.plan.sequential import Rules

RULES = Rules("cdr", largest=8, terminated=True)
HEADER = bytes((0, 1, 0, 0))
"""Representation CDR_LE and no options."""
