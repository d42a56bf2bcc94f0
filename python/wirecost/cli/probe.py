# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe``: one file a command."""

from __future__ import annotations

import typer

from wirecost.cli.imported import imported

app = typer.Typer(
    cls=imported("wirecost.cli.probe_", "run", "attach", "show", "chain", "try", "convert"),
    help="Record what callbacks cost, show and convert it.",
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Record what callbacks cost, show and convert it."""
