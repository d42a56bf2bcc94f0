# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe budget``: a first budget file from a good run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.options import argument, duration, option
from wirecost.cli.output_files import write_text
from wirecost.cli.probe_program import (
    LOGS_OR_COMMAND,
    functions_request,
    is_log,
    read_logs,
    run_recorded,
)
from wirecost.system.errors import UserError

EXAMPLE = "wirecost probe budget --function 'ns::*' --out budget.toml -- ./program"


def command(
    what: Annotated[
        list[str],
        argument(LOGS_OR_COMMAND, "Probe logs, traces, or a program to run and record."),
    ],
    function: Annotated[
        list[str] | None,
        option(
            "Functions of COMMAND to limit, as in wirecost probe run; repeatable.",
            metavar="PATTERN",
        ),
    ] = None,
    seconds: Annotated[
        float | None, duration("End COMMAND by SIGINT after this time.", "--for")
    ] = None,
    out: Annotated[
        Path, option("The file to write; - writes to stdout.", metavar="FILE.toml")
    ] = Path("-"),
) -> None:
    """Write limits for every section and function of a good run, with margins from its noise."""
    import polars as pl

    from wirecost.results.analysis.budget.budget import FORBIDDEN
    from wirecost.results.analysis.budget.first_budget import first_budget
    from wirecost.results.records.recorded import event_tables

    patterns = tuple(function or ())
    if all(map(is_log, what)):
        if patterns or seconds is not None:
            raise UserError("--function and --for: are for a program; give it after --")
        logs = read_logs(what)
    else:
        logs, status = run_recorded(what, FORBIDDEN, functions_request(patterns), 2, seconds)
        if status:
            raise UserError(f"{what[0]}: ended with status {status}; a good run ends with 0")
    events = pl.concat(event_tables(logs), how="diagonal")
    write_text("--out", out, first_budget(events, patterns))
