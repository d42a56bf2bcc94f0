# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: one file ``bench_<name>.py`` a scenario, found by looking."""

from __future__ import annotations

import pkgutil
from pathlib import Path
from typing import Annotated

import typer

from wirecost.cli.imported import imported

PREFIX = "bench_"
NAMES = sorted(
    module.name.removeprefix(PREFIX)
    for module in pkgutil.iter_modules([str(Path(__file__).parent)])
    if module.name.startswith(PREFIX)
)

Out = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Result folder; default results/<time>-<scenario>."),
]
JsonFile = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the summary rows as JSON; - is standard output."
    ),
]
Processes = Annotated[
    int, typer.Option(metavar="N", help="Fresh processes of each contender, one per round.")
]

app = typer.Typer(
    cls=imported(f"wirecost.cli.{PREFIX}", *NAMES, former={"lists": "repeated"}),
    help="Measure a scenario on this machine.",
    add_completion=False,
)


@app.callback()
def options() -> None:
    """Measure a scenario on this machine."""
