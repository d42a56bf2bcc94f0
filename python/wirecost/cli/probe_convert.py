# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe convert``: what instrumented programs recorded, for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.options import option
from wirecost.cli.probe_show import Files
from wirecost.results.records.choices import PROBE_FORMATS
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

EXAMPLE = "wirecost probe convert LOGS --format perfetto --out trace.json"


def command(
    files: Files,
    form: Annotated[
        str,
        option(
            f"One of {', '.join(PROBE_FORMATS)}.",
            "--format",
            metavar="FORMAT",
            known=PROBE_FORMATS,
        ),
    ],
    out: Annotated[Path, option("The file to write.", metavar="FILE")],
    force: Annotated[bool, option("Overwrite FILE if it exists.", "--force")] = False,
) -> None:
    """Write probe logs in a format of other tools."""
    from wirecost.results.records.probe_export import export
    from wirecost.results.records.recorded import read_recorded

    if form not in PROBE_FORMATS:
        raise UserError(f"--format {form}: there are {', '.join(PROBE_FORMATS)}")
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    logs = read_recorded(files)
    export(logs, form, out)
    records = counted(sum(log.count for log in logs), "record")
    say_whole(Console(), f"{out}: {records} of {counted(len(logs), 'thread')}")
