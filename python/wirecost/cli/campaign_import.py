# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign import``: result folders that were measured without a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.ending import answering
from wirecost.cli.options import Store, argument, option
from wirecost.measure.campaign.definition import NAME
from wirecost.results.report.shared.answer import Answer
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

EXAMPLE = "wirecost campaign import STORE results/*"
IMPORTED = "imported"
"""Campaign of folders that were measured without one."""


@answering()
def command(
    store: Store,
    folders: Annotated[list[Path], argument("FOLDER", "Result folders that wirecost bench wrote.")],
    campaign: Annotated[
        str, option("The campaign that they belong to.", metavar="NAME")
    ] = IMPORTED,
    machine: Annotated[
        str, option("The machine on which they were measured.", metavar="NAME")
    ] = "unknown",
    revision: Annotated[
        str | None,
        option(
            "What was measured; default: the version of wirecost that measured it.", metavar="NAME"
        ),
    ] = None,
) -> Answer:
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
    result_store = Store(store)
    done, there, failed = imported(result_store, folders, campaign, machine, revision)
    counts = f"{done:,} imported, {there:,} were already there, {len(failed):,} cannot be read"
    return Answer(
        f"{store}: {counts}.",
        warnings=failed,
        heading=f"Result folders imported into {store}",
        document={"imported": done, "there": there, "failed": failed},
        status=FAILED if failed else 0,
        failure=f"{counted(len(failed), 'folder')} cannot be read, as reported above"
        if failed
        else "",
    )
