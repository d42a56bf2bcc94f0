# SPDX-License-Identifier: Apache-2.0
"""The same command several times: does each run's interval hold the median of all?"""

from __future__ import annotations

import csv
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import median

import altair as alt

from documents.rows import read_rows
from documents.runs import RESULTS, RUNS
from wirecost.report.shared import units
from wirecost.report.shared.figure import PALETTE, Figure
from wirecost.report.shared.table import Table

NAME = "repeatability"
RUNS_OF_IT = 10
TOTAL, RATIO = "total", "beside best Protobuf"
_ROWS = RESULTS / f"{NAME}.csv"
FIGURE = RESULTS / f"{NAME}.svg"


@dataclass(frozen=True)
class Estimate:
    """What one run says of a contender: its total in ns, or the ratio to that of the best Protobuf;
    with its 95 % interval."""

    run: int
    case: str
    contender: str
    what: str
    median: float
    low: float
    high: float


def commands() -> list[list[str]]:
    return [RUNS["osi"]] * RUNS_OF_IT


def estimates(folders: list[Path]) -> list[Estimate]:
    """Of the ``report.csv`` in each. Raises OSError."""
    made = []
    for run, folder in enumerate(folders, start=1):
        for row in read_rows(folder / "report.csv"):
            if row.stage != "total":
                continue
            made.append(Estimate(run, row.case, row.name, TOTAL, row.median_ns, *row.ci95_ns))
            if (best := row.ratio_best) and best.to != row.name:
                made.append(Estimate(run, row.case, row.name, RATIO, best.median, *best.ci95))
    return made


def write_rows(found: list[Estimate]) -> None:
    with _ROWS.open("w", newline="") as file:
        table = csv.DictWriter(file, [field.name for field in fields(Estimate)])
        table.writeheader()
        table.writerows(asdict(one) for one in found)


def rows() -> list[Estimate]:
    """As they are kept. Raises OSError."""
    with _ROWS.open(newline="") as file:
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


def tables(found: list[Estimate]) -> list[Table]:
    """One for each case."""
    made = []
    for case in dict.fromkeys(one.case for one in found):
        body = []
        for name in dict.fromkeys(one.contender for one in found if one.case == case):
            totals, ratios = (_of(found, case, name, what) for what in (TOTAL, RATIO))
            body.append(
                [
                    name,
                    units.time(median(one.median for one in totals)),
                    _span(totals),
                    _holding(totals),
                    f"{median(one.median for one in ratios):.3g}" if ratios else "–",
                    _span(ratios),
                    _holding(ratios),
                ]
            )
        headings = ["contender", "total", "span", "hold it", "ratio", "span", "hold it"]
        notes = [
            "Medians of the runs' medians; ratio = total beside the best Protobuf of the same "
            "run; span = smallest and largest of the runs, beside that median; hold it = runs "
            "whose 95 % interval holds that median."
        ]
        made.append(Table(case, headings, body, notes))
    return made


def _of(found: list[Estimate], case: str, contender: str, what: str) -> list[Estimate]:
    return [one for one in found if (one.case, one.contender, one.what) == (case, contender, what)]


def _span(group: list[Estimate]) -> str:
    if not group:
        return "–"
    medians = [one.median for one in group]
    return f"{min(medians) / median(medians):.2f}–{max(medians) / median(medians):.2f}"


def _holding(group: list[Estimate]) -> str:
    if not group:
        return "–"
    middle = median(one.median for one in group)
    return f"{sum(one.low <= middle <= one.high for one in group)} of {len(group)}"


def figure(found: list[Estimate]) -> Figure:
    """Of the first case: every run's median and interval beside the median of all runs."""
    case = found[0].case
    points = []
    for name in dict.fromkeys(one.contender for one in found if one.case == case):
        for what in (TOTAL, RATIO):
            group = _of(found, case, name, what)
            middle = median(one.median for one in group) if group else 1.0
            points += [
                {
                    "contender": name,
                    "what": what,
                    "run": one.run,
                    "middle": one.median / middle,
                    "low": one.low / middle,
                    "high": one.high / middle,
                    "holds": "yes" if one.low <= middle <= one.high else "no",
                }
                for one in group
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
    one = alt.Chart().mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(1))
    chart = (
        alt.layer(one, rules, dots, data=alt.Data(values=points))
        .properties(width=300, height=48 * len(names))
        .facet(column=alt.Column("what:N", title=None, sort=[TOTAL, RATIO]))
        .properties(title=f"The same command {max(one.run for one in found)} times · {case}")
    )
    return Figure(NAME, "Each run's median and its 95 % interval.", chart)
