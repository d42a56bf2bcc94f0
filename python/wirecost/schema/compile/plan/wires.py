# SPDX-License-Identifier: Apache-2.0
"""The wires that codecs are generated for, and what distinguishes the sequential ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wirecost.schema.compile.plan.sequential import Rules
from wirecost.system.errors import UserError

ROS1 = Rules("ros1", largest=1, terminated=False)
"""ROS 1 serialization. Little-endian, unaligned, u32 before strings and arrays."""

CDR = Rules("cdr", largest=8, terminated=True)
"""XCDR1 plain, as ROS 2 uses it (OMG DDS-XTypes 1.3, 7.4.1).

Every value is aligned to its own width, counted from the byte behind the four bytes of the
encapsulation header; strings end with a NUL that their length counts. Little-endian is written;
both orders are read.
"""
CDR_HEADER = bytes((0, 1, 0, 0))
"""Representation CDR_LE and no options."""

SEQUENTIAL: Mapping[str, Rules] = {rules.wire: rules for rules in (ROS1, CDR)}
"""Wires that write every field in the order of declaration."""
WHOLE = ("protobuf", *SEQUENTIAL)
"""Wires that hold any message."""
WIRES = (*WHOLE, "columns")
"""``columns`` holds lists of the messages asked for."""


def check_whole(wires: Iterable[str]) -> None:
    """Raise UserError on a wire that cannot hold any message."""
    for wire in wires:
        if wire not in WHOLE:
            raise UserError(f"wire {wire}: there are {', '.join(WHOLE)}")
