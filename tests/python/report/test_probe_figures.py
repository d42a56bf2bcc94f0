# SPDX-License-Identifier: Apache-2.0
"""Figures of executions: small however many there are, complete in what matters, drawable."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np
import polars as pl
import pytest
import vl_convert as vlc
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from wirecost.results.report.shared.executions import section_figures, slug
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import Figure, themed

SMALL = 400_000  # bytes of a figure's definition


def table(count: int, **columns: Any) -> pl.DataFrame:
    random = np.random.default_rng(11)
    faults = random.poisson(30, count)
    ns = (200_000 + 700 * faults + random.lognormal(8, 1, count)).astype(np.int64)
    content = {
        "section": "filter",
        "ns": ns,
        "begin_ns": np.arange(count) * 10_000_000,
        "process": 7,
        "value": 5,
        "counter:minor-faults": faults,
        "counter:LLC-load-misses": pl.Series([None] * count, dtype=pl.UInt64),
    }
    return pl.DataFrame(content | columns)


def drawn(rows: pl.DataFrame, options: Options | None = None) -> dict[str, Figure]:
    figures = section_figures(1, "filter", rows, options or Options())
    return {figure.name.split("-1-")[0]: figure for figure in figures}


def values(figure: Figure) -> list[dict[str, Any]]:
    """All data of a figure."""
    items: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            items.extend(
                node["values"]
                if isinstance(node.get("values"), list) and "axis" not in node
                else []
            )
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    specification = themed(figure.chart, "black")
    walk(specification)
    return [item for item in items if isinstance(item, dict)]


def test_many_executions_stay_small_and_keep_their_outlier(snapshot: SnapshotAssertion) -> None:
    rows = table(300_000)
    longest = 77_000_000
    rows[123_456, "ns"] = longest
    figures = drawn(rows, Options(deadline_ns=1e6))
    assert list(figures) == ["turnaround", "distribution", "over-time", "against"]
    for figure in figures.values():
        assert len(json.dumps(themed(figure.chart, "black"))) < SMALL
        assert any(
            isinstance(number, float) and math.isclose(number, longest / 1e6)
            for row in values(figure)
            for number in row.values()
        ), figure.name
    assert {name: figure.caption for name, figure in figures.items()} == snapshot


@pytest.mark.parametrize(("deadline_ns", "dashes"), [(1.5e6, 2), (9e9, 0)])
def test_a_deadline_beyond_the_distribution_does_not_widen_it(
    deadline_ns: float, dashes: int, snapshot: SnapshotAssertion
) -> None:
    rows = table(500)
    rows[7, "ns"] = 2_000_000
    distribution = drawn(rows, Options(deadline_ns=deadline_ns))["distribution"]
    assert distribution.caption == snapshot
    assert len([row["at"] for row in values(distribution) if "at" in row]) == dashes


def test_few_executions_are_all_drawn() -> None:
    rows = table(50)
    figures = drawn(rows)
    times = [row["time"] for row in values(figures["turnaround"]) if "time" in row]
    assert sorted({round(time * 1000) for time in times}) == sorted(set(rows["ns"].to_list()))
    assert "over-time" not in figures


def test_the_price_of_a_fault_stands_over_its_panel() -> None:
    text = json.dumps(themed(drawn(table(5000))["against"].chart, "black"), ensure_ascii=False)
    (title,) = [part for part in text.split('"') if part.startswith("minor-faults: ")]
    price, unit = title.removeprefix("minor-faults: ").split(" per fault")[0].split()
    assert (unit, float(price)) == ("ns", pytest.approx(700, rel=0.05))
    rows = table(5000)
    rows[77, "ns"] = 10**10
    spiked = themed(drawn(rows)["against"].chart, "black")
    assert re.search("[67].. ns per fault,.*R² 0...\\*", json.dumps(spiked, ensure_ascii=False))
    unrelated = table(5000, **{"counter:minor-faults": np.arange(5000) % 7})
    assert "minor-faults: no relation" in json.dumps(themed(drawn(unrelated)["against"].chart, "b"))


def test_processes_and_dropped_records_are_distinguished(snapshot: SnapshotAssertion) -> None:
    rows = table(400, process=np.arange(400) % 2 + 40)
    figure = drawn(rows, Options(dropped={"41": 1234, "40": 0}))["turnaround"]
    assert sorted({row["series"] for row in values(figure)}) == snapshot
    assert [row["index"] for row in values(figure) if "time" not in row] == [200]
    assert "Dotted" in figure.caption
    many = drawn(table(900, process=np.arange(900) % 9))["turnaround"]
    assert len({row["series"] for row in values(many)}) == 6
    assert "4 more" in {row["series"] for row in values(many)}


def test_any_table_with_sections_and_times_is_drawn() -> None:
    rows = table(300).select("section", "ns").with_columns(contender=pl.lit("columns"))
    figures = drawn(rows, Options(by="contender"))
    assert list(figures) == ["turnaround", "distribution", "over-time"]
    assert "callback index" in json.dumps(themed(figures["over-time"].chart, "b"))


@pytest.mark.parametrize("count", [1, 2, 250])
@pytest.mark.parametrize("ns", [0, 5, -3, 2**62])
def test_what_is_always_the_same_is_drawn(count: int, ns: int) -> None:
    figures = drawn(table(count, ns=ns, process=np.arange(count) % 2))
    for figure in figures.values():
        svg = vlc.vegalite_to_svg(themed(figure.chart, "black"))
        assert "NaN" not in svg


def test_every_figure_becomes_a_picture_with_its_words() -> None:
    rows = table(3000)
    rows[1500, "ns"] = 40_000_000
    svgs = {
        name: vlc.vegalite_to_svg(themed(figure.chart, "black"))
        for name, figure in drawn(rows, Options(deadline_ns=3e5)).items()
    }
    assert "turnaround time [ms]" in svgs["turnaround"]
    assert "max 40.0 ms" in svgs["distribution"]
    assert ">p99.9<" in svgs["distribution"]
    assert "first execution [s]" in svgs["over-time"]
    assert "per fault" in svgs["against"]
    assert all("NaN" not in svg for svg in svgs.values())


@settings(max_examples=8, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    times=st.lists(st.one_of(st.floats(), st.integers(-5, 5).map(float)), min_size=1, max_size=40),
    numbers=st.lists(st.one_of(st.none(), st.integers(0, 2**64 - 1)), min_size=1, max_size=5),
)
@example([1e211], [None])
def test_whatever_was_recorded_gives_finite_numbers(
    times: list[float], numbers: list[int | None]
) -> None:
    count = len(times)
    faults = pl.Series([numbers[i % len(numbers)] for i in range(count)], dtype=pl.UInt64)
    rows = table(count, ns=times, **{"counter:minor-faults": faults})
    for figure in drawn(rows).values():
        json.dumps(themed(figure.chart, "black"), allow_nan=False)


@pytest.mark.parametrize(
    ("name", "safe"),
    [("ring filter", "ring-filter"), ("../../etc", "etc"), ("\u202e<b>", "b"), ("→", "section")],
)
def test_file_names_hold_nothing_but_letters(name: str, safe: str) -> None:
    assert slug(name) == safe
