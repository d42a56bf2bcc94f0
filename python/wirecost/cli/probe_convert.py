# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe convert``: what instrumented programs recorded, for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.cli.choices import completing
from wirecost.cli.probe_show import Files
from wirecost.errors import UserError
from wirecost.records.probe_export import FORMATS, export
from wirecost.records.recorded import read_recorded

EXAMPLE = "wirecost probe convert LOGS --format perfetto --out trace.json"


def command(
    files: Files,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"One of {', '.join(FORMATS)}.",
            autocompletion=completing(FORMATS),
        ),
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite FILE if it exists.")] = False,
) -> None:
    """Write probe logs in a format of other tools."""
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    logs = read_recorded(files)
    export(logs, form, out)
    records = sum(log.count for log in logs)
    Console(soft_wrap=True).print(
        f"{out}: {records:,} records of {len(logs)} threads", highlight=False, markup=False
    )
