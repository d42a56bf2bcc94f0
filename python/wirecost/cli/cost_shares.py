# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost`` of probe logs and traces: what each node spends on each topic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from wirecost.cli.json_file import console_beside, is_figure, write_json, write_text
from wirecost.results.analysis.shares import shares_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.records.shares import SystemShares
from wirecost.results.report.cost.shares import first_answer, tables
from wirecost.results.report.probe.tables import loss_doubts, losses
from wirecost.results.report.shared.first import print_answer
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.errors import UserError
from wirecost.system.shell import command_line


def print_shares(
    files: Sequence[Path],
    report: Path | None,
    json_file: Path | None,
    *,
    every: bool,
    refused: Iterable[str],
) -> None:
    """Print what the nodes of logs spend. Raises UserError.

    ``refused``: options that were given and need messages.
    """
    if options := list(refused):
        raise UserError(f"{options[0]}: needs messages; logs and traces hold times alone")
    logs = read_recorded(files)
    shares = shares_of([str(path) for path in files], event_tables(logs), logs)
    if not shares.stages:
        raise UserError(f"{files[0]}: holds no callback or section; name other logs")
    shares = msgspec.structs.replace(shares, warnings=losses(logs))
    console = console_beside(json_file)
    if every:
        for table in tables(shares):
            print_table(console, table)
    else:
        again = command_line(["wirecost", "cost", *shares.files, "--all"])
        more = f"Every row, waits, processes: {again}"
        print_answer(console, first_answer(shares), more, loss_doubts(logs))
    if report is not None:
        _write_report(shares, report)
        console.print(str(report), soft_wrap=True, highlight=False, markup=False)
    if json_file is not None:
        write_json(json_file, msgspec.to_builtins(shares))


def _write_report(shares: SystemShares, path: Path) -> None:
    """Write the page, or its graph where the suffix is a figure's. Raises UserError."""
    from wirecost.results.report.cost.shares_page import draw_figure, page

    if is_figure(path):
        draw_figure(shares, path)
    else:
        write_text("--report", path, page(shares))
