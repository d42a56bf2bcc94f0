# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign import``: result folders that were measured without a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.campaign.choices import IMPORTED
from wirecost.campaign.definition import NAME
from wirecost.cli.json_file import check_writable, write_json
from wirecost.counted import counted
from wirecost.errors import EndedError, UserError
from wirecost.printable import printable

EXAMPLE = "wirecost campaign import STORE results/*"


def command(
    store: Annotated[str, typer.Argument(metavar="STORE", help="A campaign's store.")],
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER", help="Result folders of wirecost bench.")
    ],
    campaign: Annotated[
        str, typer.Option(metavar="NAME", help="The campaign that they count as.")
    ] = IMPORTED,
    machine: Annotated[
        str, typer.Option(metavar="NAME", help="The machine that they were measured on.")
    ] = "unknown",
    revision: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="What was measured; default: the version of wirecost then."
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write what was done; - is standard output."),
    ] = None,
) -> None:
    """Add result folders to a store; each counts once.

    What else ran while they were measured is unknown, so `campaign status` does not check them
    for overlap.
    """
    from wirecost.campaign.imported import imported
    from wirecost.campaign.store import Store
    from wirecost.cli.measuring import FAILED

    for option, value in (("--campaign", campaign), ("--machine", machine)):
        if not NAME.fullmatch(value):
            raise UserError(f"{option} {value}: give 1 to 64 letters, digits, - and _")
    check_writable("--json", json_file)
    kept = Store(store)
    console = Console(stderr=True)
    done, there, failed = imported(kept, folders, campaign, machine, revision)
    for line in failed:
        console.print(printable(line), highlight=False, markup=False, soft_wrap=True)
    counts = f"{done:,} imported, {there:,} were there, {len(failed):,} cannot be read"
    console.print(f"{store}: {counts}", highlight=False, soft_wrap=True)
    write_json(json_file, {"imported": done, "there": there, "failed": failed})
    if failed:
        raise EndedError(
            f"{counted(len(failed), 'folder')} cannot be read, as reported above", FAILED
        )
