# SPDX-License-Identifier: Apache-2.0
"""Conclusions of Wrapyfi's page from its Figure 1, beside what a run of the same measurement gives.

Its sentences are judged for Wrapyfi, of which they speak, and for wirecost's own frames. A sentence
"X has the highest latency" is tried in every group in which X has rivals (every middleware where X
is an object, every object where X is a middleware): it holds in a group where the 95 % interval of
the ratio to the nearest rival lies on its side of 1, and fails where it lies on the other side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.report.scenarios.tensor.comparisons import ComparedSeries, between
from wirecost.results.report.scenarios.tensor.contenders import (
    in_process,
    is_floor,
    is_wrapyfi,
    library,
    plugin_of,
)
from wirecost.results.report.scenarios.tensor.published import MIDDLEWARES, PUBLISHED_NS
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table

NONE = "–"
TITLE = "What Wrapyfi's page concludes"
_RULE = (
    "Its sentences in short, judged for Wrapyfi, of which they speak, and for wirecost's frames. "
    "One on objects is tried over each middleware, one on middlewares with each object: it holds "
    "where the 95 % interval of the ratio of medians to the nearest rival lies on its side of 1, "
    "fails where it lies on the other, and is undecided else. For the variance, standard "
    "deviations are compared. Which middleware is quickest, its figure shows"
)
_REST = (
    "Its sentence on GPU tensors needs a device, and the one on what its encoders are made of is "
    "no measurement."
)


@dataclass(frozen=True)
class Claim:
    """``subject`` is an object's or a middleware's name."""

    text: str
    subject: str
    of_objects: bool
    highest: bool
    spread: bool = False
    """True if it speaks of the variance, not of the median."""


CLAIMS = (
    Claim("NumPy is quickest", "numpy", True, False),
    Claim("pandas is slowest", "pandas-numpy", True, True),
    Claim("ROS is slowest", "ros1", False, True),
    Claim("ROS varies most", "ros1", False, True, True),
)


def _of_the_figure(measured: set[str]) -> Claim | None:
    """Return the middleware that is quickest in the figure, of those that were measured."""
    measured_there = MIDDLEWARES.keys() & measured
    if not measured_there:
        return None
    name = min(measured_there, key=lambda each: PUBLISHED_NS[each, "numpy"])
    return Claim(f"{MIDDLEWARES[name]} is quickest", name, False, False)


def _notes(measured: set[str]) -> list[str]:
    absent = [title for name, title in MIDDLEWARES.items() if name not in measured]
    if not absent:
        return [f"{_RULE}.", _REST]
    lacks = f"This run lacks {' and '.join(absent)}, which the figure has."
    return [f"{_RULE} of those in this run.", f"{_REST} {lacks}"]


def claims(results: Results, rows: list[Row]) -> Table | None:
    """Judge the page's sentences; None where nothing of it was measured. ``rows``: totals."""
    samples = with_all_columns(results.samples).filter(pl.col("stage") == "total")
    sent = [row for row in rows if not is_floor(row) and not in_process(row.contender)]
    of_wrapyfi = [row for row in sent if is_wrapyfi(row.contender)]
    ours = [row for row in sent if not is_wrapyfi(row.contender)]
    measured = {library(row.contender) for row in sent}
    body = []
    for claim in filter(None, (*CLAIMS, _of_the_figure(measured))):
        sides = [_all_judged(claim, side, samples) for side in (of_wrapyfi, ours)]
        if any(sides):
            body.append([claim.text, *map(_verdict, sides), *map(_nearest, sides)])
    if not body:
        return None
    headings = ["sentence", "Wrapyfi", "wirecost", "Wrapyfi decided by", "wirecost decided by"]
    return Table(TITLE, headings, body, _notes(measured), (headings[4], headings[3]))


def _all_judged(claim: Claim, rows: list[Row], samples: pl.DataFrame) -> list[Judged]:
    judged = (_judged(claim, group, samples) for group in _groups(claim, rows))
    return [verdict for verdict in judged if verdict is not None]


@dataclass(frozen=True)
class Judged:
    """One group. ``held``: None where the interval holds 1."""

    held: bool | None
    closeness: float
    """The ratio to the nearest rival, above 1 where the sentence holds."""
    text: str


def _groups(claim: Claim, rows: list[Row]) -> list[list[Row]]:
    def key(row: Row) -> str:
        return row.contender if claim.of_objects else plugin_of(row)

    cases = dict.fromkeys((row.case, key(row)) for row in rows)
    return [[row for row in rows if (row.case, key(row)) == case] for case in cases]


def _judged(claim: Claim, rows: list[Row], samples: pl.DataFrame) -> Judged | None:
    """Judge one group; None where the subject or every rival was not measured."""

    def name(row: Row) -> str:
        return plugin_of(row) if claim.of_objects else library(row.contender)

    subject = next((row for row in rows if name(row) == claim.subject), None)
    rivals = [row for row in rows if name(row) != claim.subject]
    if subject is None or not rivals:
        return None
    size = _spread(samples) if claim.spread else (lambda row: row.median_ns)
    nearest = (max if claim.highest else min)(rivals, key=size)
    group = rows[0].contender if claim.of_objects else plugin_of(rows[0])
    text = (
        f"{group}: {name(subject)} {units.time(size(subject))},"
        f" {name(nearest)} {units.time(size(nearest))}"
    )
    ratio = size(subject) / size(nearest) if size(nearest) else 1.0
    low = high = ratio
    if not claim.spread and (measured := _ratio(subject, nearest, samples)) is not None:
        low, high = measured.low, measured.high
    if not claim.highest:
        ratio, low, high = 1 / ratio, 1 / high, 1 / low
    held = True if low > 1 else False if high < 1 else None
    return Judged(held, ratio, text)


def _ratio(one: Row, other: Row, samples: pl.DataFrame) -> Estimate | None:
    subject_series, nearest_series = (
        ComparedSeries(row.case, row.contender, plugin_of(row)) for row in (one, other)
    )
    return between(samples, subject_series, nearest_series)


def _spread(samples: pl.DataFrame) -> Callable[[Row], float]:
    def deviation(row: Row) -> float:
        part = samples.filter(case=row.case, contender=row.contender, plugin=plugin_of(row))
        return float(part["ns"].std() or 0)  # type: ignore[arg-type]  # integers by schema

    return deviation


def _verdict(judged: list[Judged]) -> str:
    if not judged:
        return NONE
    held = sum(verdict.held is True for verdict in judged)
    failed = sum(verdict.held is False for verdict in judged)
    if held == len(judged):
        return "confirmed"
    if failed == len(judged):
        return "refuted"
    return f"holds {held}, fails {failed} of {len(judged)}"


def _nearest(judged: list[Judged]) -> str:
    """Return the group that decides: where the sentence fails most clearly, or holds by least."""
    return min(judged, key=lambda verdict: verdict.closeness).text if judged else NONE
