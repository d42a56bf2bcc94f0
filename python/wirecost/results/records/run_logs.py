# SPDX-License-Identifier: Apache-2.0
"""Probe logs of a replay's runs in its result folder: ``probe/run-1``, ``probe/run-2``."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from wirecost.results.records.probe_log import ProbeLog, events_of, read_logs


def logs_of(folder: Path, run: int) -> Path:
    """Return the folder of a run's logs."""
    return folder / "probe" / f"run-{run}"


def run_logs(folder: Path) -> list[tuple[int, list[ProbeLog]]]:
    """Each run that has logs, in order. Raises UserError on a damaged log."""
    named = [(re.fullmatch(r"run-(\d{1,9})", path.name), path) for path in folder.glob("probe/*")]
    numbered = sorted((int(name[1]), path) for name, path in named if name)
    return [(run, read_logs([path])) for run, path in numbered]


def run_events(runs: list[tuple[int, list[ProbeLog]]]) -> pl.DataFrame | None:
    """Return the events of all runs with their ``run``; None where nothing was recorded."""
    tables = [events_of(logs).with_columns(run=pl.lit(run, pl.Int64)) for run, logs in runs]
    return pl.concat(tables, how="diagonal") if tables else None
