# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace``: one file a command."""

from __future__ import annotations

from wirecost.cli.imported import group

app = group(
    "Inspect, check, convert, split and play OSI traces.",
    "wirecost.cli.trace_",
    "info",
    "check",
    "convert",
    "split",
    "join",
    "play",
    for_files=lambda _: ("info",),
)
