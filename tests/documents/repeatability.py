# SPDX-License-Identifier: Apache-2.0
"""Commands repeated several times: each run's interval should hold the median of all."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

import altair as alt

from documents.runs import RESULTS, RUNS
from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.shared import units
from wirecost.results.report.shared.figure import PALETTE, Figure
from wirecost.results.report.shared.table import Table

RUNS_OF_IT = 10
TOTAL = "total"


@dataclass(frozen=True)
class Repeated:
    """Command that is repeated.

    ``ratio``: which of a row's ratios; ``what``: that ratio's name, and ``beside`` whom it is.
    ``seeds``: whether each run draws an order of its own."""

    command: list[str]
    ratio: Callable[[Row], Ratio | None]
    what: str
    beside: str
    seeds: bool = False

    def commands(self) -> list[list[str]]:
        """One a run."""
        runs = range(1, RUNS_OF_IT + 1)
        return [[*self.command, *(["--seed", str(run)] if self.seeds else [])] for run in runs]


REPEATED = {
    "repeatability": Repeated(
        RUNS["osi"], lambda row: row.ratio_best, "beside best Protobuf",
        "total beside the best Protobuf of the same run",
    ),
    "tensor-repeatability": Repeated(
        ["bench", "tensor", "--plugins", "numpy",
         "--mwares", "iceoryx2,raw-iceoryx2,zeromq,raw-zeromq,zenoh,raw-zenoh,shm"],
        lambda row: row.ratio_floor, "beside raw library",
        "total beside the same library that sends as many bytes by itself, in the same run",
        seeds=True,
    ),
}  # fmt: skip
"""By the name of what is kept."""


@dataclass(frozen=True)
class Estimate:
    """Estimate of one run for a contender: its total in ns, or a ratio; with its 95 % interval."""

    run: int
    case: str
    contender: str
    what: str
    median: float
    low: float
    high: float


def estimates(repeated: Repeated, folders: list[Path]) -> list[Estimate]:
    """Return the estimates of the result folders, one a run. Raises UserError."""
    collected = []
    for run, folder in enumerate(folders, start=1):
        for row in summarize(read_results(folder)):
            if row.stage != "total":
                continue
            collected.append(Estimate(run, row.case, row.name, TOTAL, row.median_ns, *row.ci95_ns))
            if (ratio := repeated.ratio(row)) and ratio.to != row.name:
                what = repeated.what
                collected.append(Estimate(run, row.case, row.name, what, ratio.median, *ratio.ci95))
    return collected


def write_rows(name: str, found: list[Estimate]) -> None:
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Estimate)])
        table.writeheader()
        table.writerows(asdict(estimate) for estimate in found)


def rows(name: str) -> list[Estimate]:
    """Return the estimates that are kept. Raises OSError."""
    with (RESULTS / f"{name}.csv").open(newline="") as file:
        return [
            Estimate(
                int(cells["run"]),
                cells["case"],
                cells["contender"],
                cells["what"],
                *(float(cells[name]) for name in ("median", "low", "high")),
            )
            for cells in csv.DictReader(file)
        ]


def tables(repeated: Repeated, found: list[Estimate]) -> list[Table]:
    """One for each case."""
    all_tables = []
    for case in dict.fromkeys(estimate.case for estimate in found):
        body = []
        for name in dict.fromkeys(
            estimate.contender for estimate in found if estimate.case == case
        ):
            totals, ratios = (_of(found, case, name, what) for what in (TOTAL, repeated.what))
            body.append(
                [
                    name,
                    units.time(median(total.median for total in totals)),
                    _span(totals),
                    _holding(totals),
                    f"{median(ratio.median for ratio in ratios):.3g}" if ratios else "–",
                    _span(ratios),
                    _holding(ratios),
                ]
            )
        headings = ["contender", "total", "span", "hold it", "ratio", "span", "hold it"]
        notes = [
            f"Medians of the runs' medians; ratio = {repeated.beside}; span = smallest and largest "
            "of the runs, beside that median; hold it = runs whose 95 % interval holds that "
            "median."
        ]
        all_tables.append(Table(case, headings, body, notes))
    return all_tables


def _of(found: list[Estimate], case: str, contender: str, what: str) -> list[Estimate]:
    return [
        estimate
        for estimate in found
        if (estimate.case, estimate.contender, estimate.what) == (case, contender, what)
    ]


def _span(group: list[Estimate]) -> str:
    if not group:
        return "–"
    medians = [estimate.median for estimate in group]
    return f"{min(medians) / median(medians):.2f}–{max(medians) / median(medians):.2f}"


def _holding(group: list[Estimate]) -> str:
    if not group:
        return "–"
    middle = median(estimate.median for estimate in group)
    return f"{sum(estimate.low <= middle <= estimate.high for estimate in group)} of {len(group)}"


def figure(name: str, found: list[Estimate]) -> Figure:
    """Return a figure of the first case: runs' medians and intervals beside the median of all."""
    case = found[0].case
    points = []
    kinds = [TOTAL, REPEATED[name].what]
    for contender in dict.fromkeys(
        estimate.contender for estimate in found if estimate.case == case
    ):
        for what in kinds:
            group = _of(found, case, contender, what)
            middle = median(estimate.median for estimate in group) if group else 1.0
            points += [
                {
                    "contender": contender,
                    "what": what,
                    "run": estimate.run,
                    "middle": estimate.median / middle,
                    "low": estimate.low / middle,
                    "high": estimate.high / middle,
                    "holds": "yes" if estimate.low <= middle <= estimate.high else "no",
                }
                for estimate in group
            ]
    names = list(dict.fromkeys(str(point["contender"]) for point in points))
    colour = alt.Color(
        "holds:N",
        title="interval holds the median of all runs",
        scale=alt.Scale(domain=["yes", "no"], range=[PALETTE[0], PALETTE[3]]),
        legend=alt.Legend(orient="bottom", titleLimit=0),
    )
    vertical = alt.Y("contender:N", sort=names, title=None)
    within = alt.YOffset("run:O")
    scale = alt.Scale(type="log", nice=False)
    base = alt.Chart().encode(y=vertical, yOffset=within, color=colour)
    beside = "beside the median of all runs"
    rules = base.mark_rule(strokeWidth=1.5).encode(
        x=alt.X("low:Q", title=beside, scale=scale), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=14).encode(x=alt.X("middle:Q", title=beside))
    unity = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(1))
    chart = (
        alt.layer(unity, rules, dots, data=alt.Data(values=points))
        .properties(width=300, height=48 * len(names))
        .facet(column=alt.Column("what:N", title=None, sort=kinds))
        .properties(
            title=f"The same command {max(estimate.run for estimate in found)} times · {case}"
        )
    )
    return Figure(name, "Each run's median and its 95 % interval.", chart)
