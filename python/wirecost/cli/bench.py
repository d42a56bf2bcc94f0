# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: one file a scenario."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.cli.imported import imported

SCENARIOS = ("cloud", "heap", "lists", "map", "notification", "osi", "probe", "tensor")

Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Result folder; default results/<time>-<scenario>."),
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the summary rows; - is standard output."),
]

app = typer.Typer(
    cls=imported("wirecost.cli.bench_", *SCENARIOS),
    help="Measure a scenario on this machine.",
    no_args_is_help=True,
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Measure a scenario on this machine."""
