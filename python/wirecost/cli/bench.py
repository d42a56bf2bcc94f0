# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: one file a scenario."""

from __future__ import annotations

import typer

from wirecost.cli.imported import imported

SCENARIOS = ("cloud", "heap", "lists", "map", "notification", "osi", "probe", "tensor")

app = typer.Typer(
    cls=imported("wirecost.cli.bench_", *SCENARIOS),
    help="Measure a scenario on this machine.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Measure a scenario on this machine."""
