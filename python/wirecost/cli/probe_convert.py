# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe convert``: what instrumented programs recorded, for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.options import option
from wirecost.cli.probe_show import Files
from wirecost.results.records.choices import PROBE_FORMATS
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.results.records.probe_log import ProbeLog

MCAP = "mcap"
CHOICES = (*PROBE_FORMATS, MCAP)
EXAMPLE = "wirecost probe convert LOGS --format perfetto --out trace.json"


def command(
    files: Files,
    form: Annotated[
        str, option(f"One of {', '.join(CHOICES)}.", "--format", metavar="FORMAT", known=CHOICES)
    ],
    out: Annotated[Path, option("The file to write.", metavar="FILE")],
    force: Annotated[bool, option("Overwrite FILE if it exists.", "--force")] = False,
) -> None:
    """Write probe logs in a format of other tools."""
    from wirecost.results.records.recorded import read_recorded

    if form not in CHOICES:
        raise UserError(f"--format {form}: there are {', '.join(CHOICES)}")
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    logs = read_recorded(files)
    what = _mcap(logs, out) if form == MCAP else _other(logs, form, out)
    say_whole(Console(), f"{out}: {what}")


def _mcap(logs: list[ProbeLog], out: Path) -> str:
    from wirecost.results.report.series import write_logs

    with progress() as advance:
        written = write_logs(logs, out, advance)
    return f"{counted(written.messages, 'message')} in {counted(written.topics, 'topic')}"


def _other(logs: list[ProbeLog], form: str, out: Path) -> str:
    from wirecost.results.records.probe_export import export

    export(logs, form, out)
    return f"{counted(sum(log.count for log in logs), 'record')} of {counted(len(logs), 'thread')}"
