# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace``: one file a command."""

from __future__ import annotations

import typer

from wirecost.cli.imported import imported

app = typer.Typer(
    cls=imported("wirecost.cli.trace_", "info", "check", "convert", "play"),
    help="Inspect, check, convert and play OSI traces.",
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Inspect, check, convert and play OSI traces."""
