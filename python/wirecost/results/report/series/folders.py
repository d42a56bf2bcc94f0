# SPDX-License-Identifier: Apache-2.0
"""Result folders whose samples have times, as series."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from wirecost.results.records.folder import Results
from wirecost.results.report.series import mcap_file
from wirecost.results.report.series.deliveries import CLOCK as OF_DELIVERIES
from wirecost.results.report.series.deliveries import delivery_parts
from wirecost.results.report.series.faults import fault_parts
from wirecost.results.report.series.mcap_file import SeriesPart, Written
from wirecost.results.report.series.replayed import CLOCK as OF_REPLAYS
from wirecost.results.report.series.replayed import replayed_parts
from wirecost.system.errors import UserError
from wirecost.system.progress import Progress, silent

LATEST_NS = 1 << 61
"""Time in the year 2043: nothing that is added to it comes out of 64 bits."""
Parts = Callable[[Results, int, Path], list[SeriesPart]]


def _transport(results: Results, created_ns: int, out: Path) -> list[SeriesPart]:
    return delivery_parts(results, created_ns, out) + fault_parts(results, created_ns, out)


KINDS: dict[str, tuple[Parts, str]] = {
    "replay": (replayed_parts, OF_REPLAYS),
    "tensor": (delivery_parts, OF_DELIVERIES),
    "transport": (_transport, OF_DELIVERIES),
}
"""Maker of the series and origin of their times, by scenario."""


def write_folder(results: Results, out: Path, advance: Progress = silent) -> Written:
    """Write a result folder as MCAP.

    Raises UserError, also for scenarios whose samples have no time.
    """
    scenario = results.meta.scenario
    if scenario not in KINDS:
        raise UserError(
            f"{results.folder}: samples of bench {scenario} have no times; mcap is written of "
            f"{', '.join(KINDS)}; choose another --format"
        )
    make_parts, clock = KINDS[scenario]
    parts = make_parts(results, _created_ns(results.meta.created), out)
    if not any(len(part.times) for part in parts):
        raise UserError(
            f"{results.folder}: no sample in it has a time; choose another --format, or measure "
            "again at a rate"
        )
    about = {
        "source": f"result folder of {scenario}", "clock": clock, "created": results.meta.created,
    }  # fmt: skip
    return mcap_file.write(out, parts, about, advance)


def _created_ns(text: str) -> int:
    """Return nanoseconds since 1970; 0 where it is no time after that."""
    try:
        created = datetime.fromisoformat(text)
    except ValueError:
        return 0
    aware = created if created.tzinfo else created.replace(tzinfo=UTC)
    try:
        return min(max(0, int(aware.timestamp())) * 10**9, LATEST_NS)
    except OverflowError:
        return 0
