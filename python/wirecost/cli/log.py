# SPDX-License-Identifier: Apache-2.0
"""``wirecost log``: the stage table of SET Level performance logs, old or new."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.ending import answering
from wirecost.cli.options import argument
from wirecost.results.report.shared.answer import Answer

EXAMPLE = "wirecost log *_timing_*.json"


@answering()
def command(
    files: Annotated[list[Path], argument("FILE…", "Performance logs in JSON.")],
) -> Answer:
    """Print how long the stages in performance logs took."""
    from wirecost.results.records.setlevel import read_logs
    from wirecost.results.report.log_table import log_answer

    return log_answer([log for path in files for log in read_logs(path)])
