# SPDX-License-Identifier: Apache-2.0
"""Versions of a callback beside each other: dots or boxes, and no value outside the axis."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from support.result_folders import DATA
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared.figure import Figure
from wirecost_scenarios.cloud.figures import ENOUGH, callbacks

VERSIONS = 6


@pytest.fixture
def rings() -> Results:
    return read_results(DATA / "cloud-rings")


def _layers(figure: Figure) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = figure.chart.to_dict()["layer"]
    return items


def _values(layer: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = layer["data"]["values"]
    return items


def test_few_callbacks_are_a_dot_each(rings: Results, snapshot: SnapshotAssertion) -> None:
    figure = figures_of(rings, summarize(rings))[0]
    dots = _layers(figure)[-1]
    assert len(_values(dots)) == len(rings.samples)
    assert figure.caption == snapshot
    assert not [layer for layer in _layers(figure) if layer["mark"]["type"] == "bar"]


def test_many_are_a_box_and_the_slowest_is_within_the_axis(rings: Results) -> None:
    samples = pl.concat([rings.samples] * (1 + ENOUGH // 6))
    longest = int(rings.samples["ns"].cast(pl.Int64).to_list()[0]) * 1000
    first = pl.int_range(pl.len()) == 0
    samples = samples.with_columns(ns=pl.when(first).then(longest).otherwise(pl.col("ns")))
    figure = callbacks(1, "case", samples)
    assert figure is not None
    layers = _layers(figure)
    (bars,) = [layer for layer in layers if layer["mark"]["type"] == "bar"]
    boxes = _values(bars)
    assert len(boxes) == VERSIONS
    assert all(b["low"] <= b["q1"] <= b["median"] <= b["q3"] <= b["high"] for b in boxes)
    dots = layers[-1]
    assert len(_values(dots)) == VERSIONS
    low, high = dots["encoding"]["x"]["scale"]["domain"]
    drawn = [dot["us"] for dot in _values(dots)] + [box["low"] for box in boxes]
    assert longest / 1000 in drawn
    assert low < min(drawn)
    assert max(drawn) < high


def test_areas_are_dots_by_case() -> None:
    results = read_results(DATA / "cloud")
    rows = summarize(results)
    (figure,) = figures_of(results, rows)
    points = figure.chart.to_dict()["data"]["values"]
    assert len(points) == 3 * 3
