# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign import``: result folders that were measured without a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.json_file import JsonFile, check_writable, write_json
from wirecost.cli.options import Store, argument, option
from wirecost.measure.campaign.choices import IMPORTED
from wirecost.measure.campaign.definition import NAME
from wirecost.system.counted import counted
from wirecost.system.errors import EndedError, UserError
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

EXAMPLE = "wirecost campaign import STORE results/*"


def command(
    store: Store,
    folders: Annotated[list[Path], argument("FOLDER", "Result folders of wirecost bench.")],
    campaign: Annotated[str, option("The campaign that they count as.", metavar="NAME")] = IMPORTED,
    machine: Annotated[
        str, option("The machine that they were measured on.", metavar="NAME")
    ] = "unknown",
    revision: Annotated[
        str | None,
        option("What was measured; default: the version of wirecost then.", metavar="NAME"),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Add result folders to a store; each counts once.

    What else ran while they were measured is unknown, so `campaign status` does not check them
    for overlap.
    """
    from wirecost.cli.measuring import FAILED
    from wirecost.measure.campaign.imported import imported
    from wirecost.results.store.store import Store

    for name, value in (("--campaign", campaign), ("--machine", machine)):
        if not NAME.fullmatch(value):
            raise UserError(f"{name} {value}: give 1 to 64 letters, digits, - and _")
    check_writable("--json", json_file)
    result_store = Store(store)
    console = Console(stderr=True)
    done, there, failed = imported(result_store, folders, campaign, machine, revision)
    for line in failed:
        console.print(printable(line), highlight=False, markup=False, soft_wrap=True)
    counts = f"{done:,} imported, {there:,} were there, {len(failed):,} cannot be read"
    console.print(f"{store}: {counts}", highlight=False, soft_wrap=True)
    write_json(json_file, {"imported": done, "there": there, "failed": failed})
    if failed:
        raise EndedError(
            f"{counted(len(failed), 'folder')} cannot be read, as reported above", FAILED
        )
