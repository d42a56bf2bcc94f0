# SPDX-License-Identifier: Apache-2.0
"""Codec plans: what a codec does, step by step, independent of the target language.

One module a wire. ``sequential`` serves the wires that write every field in order.
"""

from __future__ import annotations

WIRES = ("protobuf", "ros1", "cdr", "columns")
"""``columns`` holds lists of the messages asked for; the others hold any message."""
