# SPDX-License-Identifier: Apache-2.0
"""``ros1``: ROS 1 serialization. Little-endian, unaligned, u32 before strings and arrays."""

from __future__ import annotations

from wirecost.compile.plan.sequential import Rules

RULES = Rules("ros1", largest=1, terminated=False)
