# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign``: one file a command."""

from __future__ import annotations

from wirecost.cli.imported import group

app = group(
    "Run many measurements that one file describes.",
    "wirecost.cli.campaign_",
    "plan",
    "run",
    "status",
    "show",
    "query",
    "import",
    "scheduler",
    "worker",
    "keys",
)
