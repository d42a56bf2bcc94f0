# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe``: one file a command."""

from __future__ import annotations

from wirecost.cli.imported import group

app = group(
    "Record what the callbacks of a program cost.",
    "wirecost.cli.probe_",
    "run",
    "attach",
    "show",
    "chain",
    "check",
    "budget",
    "try",
    "convert",
    for_files=lambda _: ("show",),
)
