# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign``: one file a command."""

from __future__ import annotations

import typer

from wirecost.cli.imported import imported

app = typer.Typer(
    cls=imported(
        "wirecost.cli.campaign_",
        "plan",
        "run",
        "status",
        "show",
        "report",
        "query",
        "import",
        "scheduler",
        "worker",
        "keys",
    ),
    help="Many measurements from one file.",
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Many measurements from one file."""
