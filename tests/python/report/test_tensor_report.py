# SPDX-License-Identifier: Apache-2.0
"""Report of ``bench tensor``: figures, tables, the sentence above them, comparisons."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from support.tensor_folders import FLOORS, PLUGINS, US, tensor_folder
from wirecost.results.analysis.compare.comparison import CompareSettings, compare
from wirecost.results.analysis.compare.runs import read_run
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas import tensor
from wirecost.results.report.compare.rows import Labels
from wirecost.results.report.results.export import write_report
from wirecost.results.report.scenarios import ScenarioContent, content_of, figures_of
from wirecost.results.report.scenarios.tensor import tables as tensor_tables
from wirecost.results.report.scenarios.tensor.contenders import shares_of
from wirecost.results.report.shared.axes import apart, domain, ticks
from wirecost.results.report.shared.figure import Figure, themed

BETWEEN = [mware for mware in US if mware not in FLOORS and not mware.endswith("in-process")]
SWEEP = [str(8 << 2 * i) for i in range(11)]


def figures(results: Results) -> dict[str, dict[str, Any]]:
    drawn: list[Figure] = figures_of(results, summarize(results))
    return {figure.name: themed(figure.chart, "#222222") for figure in drawn}


def content(results: Results) -> ScenarioContent:
    return content_of(results, summarize(results))


def table(reported: ScenarioContent, title: str) -> dict[str, dict[str, str]]:
    """Cells by the first column and the heading."""
    tables = [*reported.tables, *reported.folded]
    (chosen,) = [candidate for candidate in tables if candidate.title.startswith(title)]
    return {row[0]: dict(zip(chosen.headings, row, strict=True)) for row in chosen.rows}


def values(chart: dict[str, Any]) -> list[dict[str, Any]]:
    """All rows that a chart draws."""
    rows = list(chart.get("data", {}).get("values", []))
    for below in ("spec", "layer", "concat", "hconcat"):
        parts = chart.get(below, [])
        for part in [parts] if isinstance(parts, dict) else parts:
            rows += values(part)
    return rows


@given(st.lists(st.floats(1, 1e6), min_size=1, max_size=20))
def test_labels_do_not_overlap_and_keep_their_order(at: list[float]) -> None:
    span, height, gap = domain(at), 400.0, 14.0
    placed = apart(at, span, height, gap)
    order = sorted(range(len(at)), key=lambda i: at[i])
    assert all(span[0] * 0.999 <= place <= span[1] * 1.001 for place in placed)
    for below, above in pairwise(placed[i] for i in order):
        assert above / below >= (span[1] / span[0]) ** (gap / height) * 0.999


@pytest.mark.parametrize("span", [(0.5, 1.1), (80.0, 600.0), (3.0, 9e5)])
def test_axes_have_round_ticks_in_their_span(span: tuple[float, float]) -> None:
    found = ticks(span)
    assert 1 <= len(found) <= 9
    assert all(span[0] <= tick <= span[1] for tick in found)
    assert all(f"{tick:g}".strip("0.") in {"1", "2", "5"} or tick >= 1e5 for tick in found)


def test_the_parts_of_a_way_do_not_overlap(tmp_path: Path) -> None:
    results = tensor_folder(tmp_path, middlewares=("zeromq",), n=1)
    steps = dict(results.samples.select("stage", "ns").rows())
    (share,) = shares_of(results.samples)
    inside = sum(ns for name, ns in share.ns.items() if name != "access")
    assert inside == steps["total"]
    assert share.ns["publish"] == steps["publish"]
    # A sending call that returns after the listener has the message is cut there.
    longer = pl.when(stage="publish").then(10**9).otherwise("ns").alias("ns")
    (share,) = shares_of(results.samples.with_columns(longer))
    assert share.ns["publish"] == steps["transit"]
    assert share.ns["rest of the transit"] == 0


def test_requests_have_a_reply_and_no_sending_call(tmp_path: Path) -> None:
    results = tensor_folder(tmp_path, middlewares=("zeromq",), n=1, pattern="reqrep")
    (share,) = shares_of(results.samples)
    assert list(share.ns) == ["encode", "transit", "decode", "reply"]
    steps = dict(results.samples.select("stage", "ns").rows())
    assert sum(share.ns.values()) == steps["total"]
    assert set(figures(results)) == {"tensor-latency-1", "tensor-stages-1"}


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Results:
    run = {"failure": "TypeError: no", "lost": 3, "duplicates": 1, "reordered": 2}
    return tensor_folder(tmp_path_factory.mktemp("full"), plugins=PLUGINS, run=run, n=10)


def test_many_ways_are_drawn_library_by_library(full: Results) -> None:
    chart = figures(full)["tensor-latency-1"]
    drawn = values(chart)
    boxes = [row for row in drawn if "median" in row]
    assert len(boxes) == len(BETWEEN) * len(PLUGINS)
    assert all(b["p5"] <= b["q1"] <= b["median"] <= b["q3"] <= b["p95"] for b in boxes)
    assert all(b["low"] <= b["median"] <= b["high"] for b in boxes)
    by_library: dict[str, set[str]] = {}
    for box in boxes:
        by_library.setdefault(box["library"], set()).add(box["mware"])
    assert by_library["zeromq"] == {"zeromq", "zeromq-tcp", "wrapyfi-zeromq"}
    assert by_library["zenoh"] == {"zenoh", "zenoh-shm", "wrapyfi-zenoh"}
    panels = set(chart["facet"]["sort"])
    assert panels == set(by_library)
    floors = {(row["library"], row["mware"]) for row in drawn if "floor" in row}
    assert ("iceoryx2", "raw-iceoryx2") in floors
    assert ("ecal", "raw-iceoryx2") not in floors
    assert {library for library, floor in floors if floor == "shm"} == panels


def test_few_ways_stand_beside_each_other(tmp_path: Path) -> None:
    middlewares = ("shm", "raw-zeromq", "zeromq", "iceoryx2", "wrapyfi-zeromq")
    chart = figures(tensor_folder(tmp_path, middlewares=middlewares, plugins=PLUGINS[:3]))[
        "tensor-latency-1"
    ]
    assert "facet" not in chart
    drawn = values(chart)
    assert {row["mware"] for row in drawn if "median" in row} == set(middlewares[2:])
    assert {row["mware"] for row in drawn if "at" in row} == {"shm", "raw-zeromq"}


def test_sizes_are_drawn_a_line_a_way(tmp_path: Path) -> None:
    drawn = figures(tensor_folder(tmp_path, shapes=SWEEP, n=5))
    latency = drawn["tensor-latency-by-size-numpy-float64-cpu"]
    median, tail = (values(panel) for panel in latency["hconcat"])
    for panel in (median, tail):
        points = [row for row in panel if "at" not in row]
        labels = [row for row in panel if "at" in row]
        assert {(p["mware"], p["bytes"]) for p in points} == {
            (mware, 8 * int(shape)) for mware in US for shape in SWEEP
        }
        assert {label["mware"] for label in labels} == set(US)
        assert {p["kind"] for p in points if p["mware"] in FLOORS} == {"floor"}
    rate = values(drawn["tensor-throughput-by-size-numpy-float64-cpu"])
    assert {row["mware"] for row in rate} == {mware for mware in US if "process" not in mware} - {
        "memcpy"
    }
    assert "tensor-latency-1" not in drawn


def test_figures_are_exported_for_paper(tmp_path: Path) -> None:
    results = tensor_folder(tmp_path, plugins=PLUGINS[:2], n=5)
    paths = write_report(results, summarize(results), ["svg", "png", "pdf", "html", "md"])
    assert len(paths) == 2 * 3 + 2
    begins = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<svg", ".html": b"<!doctype"}
    for path in paths[:-1]:
        assert path.read_bytes().startswith(begins[path.suffix]), path
    drawn = (tmp_path / "figures" / "tensor-latency-1.svg").read_text()
    for text in ("iceoryx2", "1 ms", "pandas-numpy", "same library, bytes alone"):
        assert (text in drawn) == (text != "pandas-numpy"), text
    assert "Delivery and copies" in (tmp_path / "report.md").read_text()


LEADS: dict[str, dict[str, Any]] = {
    "losses": {"middlewares": ("shm", "zeromq"), "run": {"lost": 2}},
    "another for large messages": {
        "middlewares": ("shm", "iceoryx2", "zeromq"),
        "shapes": SWEEP,
        "slower": {f"iceoryx2 {shape}": 50.0 for shape in SWEEP[6:]},
    },
    "floors alone": {"middlewares": ("shm", "memcpy", "in-process")},
    "one transport": {"middlewares": ("zeromq",), "n": 1},
}


@pytest.mark.parametrize("name", LEADS)
def test_the_lead_says_what_to_take(name: str, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    results = tensor_folder(tmp_path, **LEADS[name])
    assert content(results).lead == snapshot
    write_report(results, summarize(results), ["html", "svg", "md", "csv"])


def test_tables_have_every_transport_and_object(full: Results, snapshot: SnapshotAssertion) -> None:
    reported = content(full)
    tables = [*reported.tables, *reported.folded]
    assert {"lead": reported.lead, "tables": tables} == snapshot


def test_compression_has_columns_and_a_part_where_there_is_some(tmp_path: Path) -> None:
    results = tensor_folder(
        tmp_path, middlewares=("shm", "zeromq"), plugins=("numpy", "pillow"), n=5
    )
    title = "Objects over zeromq"
    assert "compress" not in table(content(results), title)["pillow"]
    pillow = results.samples.filter(plugin="pillow", stage="encode")
    more = [
        pillow.with_columns(stage=pl.lit(stage), ns=pl.lit(ns, pl.Int64))
        for stage, ns in (("compress", 3_000_000), ("decompress", 2_000_000))
    ]
    packed = Results(tmp_path, results.meta, pl.concat([results.samples, *more]))
    rows = table(content(packed), title)
    assert [rows["pillow"][name] for name in ("compress", "decompress")] == ["3.00 ms", "2.00 ms"]
    assert [rows["numpy"][name] for name in ("compress", "decompress")] == ["–", "–"]
    assert rows["pillow"]["size"] == "320 kB"
    (share,) = [share for share in shares_of(packed.samples) if share.plugin == "pillow"]
    assert [name for name in share.ns if "compress" in name] == ["compress", "decompress"]
    drawn = values(figures(packed)["tensor-stages-1"])
    assert {row["part"] for row in drawn} >= {"compress", "decompress"}


def test_times_below_zero_are_left_out_of_logarithmic_axes(tmp_path: Path) -> None:
    """The clock of another machine may be behind by more than a message takes."""
    middlewares = ("shm", "zeromq", "iceoryx2")
    results = tensor_folder(tmp_path, middlewares=middlewares, shapes=("8x8", "200x200"))
    for behind, remaining in ((("iceoryx2",), {"zeromq"}), (middlewares, set())):
        ns = pl.when(pl.col("contender").is_in(behind)).then(pl.col("ns") - 10**8).otherwise("ns")
        shifted = Results(tmp_path, results.meta, results.samples.with_columns(ns.alias("ns")))
        drawn = figures(shifted)
        boxes = [row for row in values(drawn.get("tensor-latency-1", {})) if "median" in row]
        assert {row["mware"] for row in boxes} == remaining
        assert all(row["p5"] > 0 for row in boxes)
        assert ("tensor-latency-by-size-numpy-float64-cpu" in drawn) == bool(remaining)
        assert content(shifted).tables


def test_two_runs_are_compared_row_by_row(tmp_path: Path) -> None:
    middlewares = ("shm", "raw-zeromq", "zeromq", "iceoryx2")
    tensor_folder(tmp_path / "a", middlewares=middlewares, plugins=("numpy", "jax"), n=40)
    slow = {"zeromq": 1.5}
    tensor_folder(
        tmp_path / "b", middlewares=middlewares, plugins=("numpy", "jax"), n=40, seed=2,
        slower=slow, shapes=("200x200", "8x8"),
    )  # fmt: skip
    a, b = read_run(tmp_path / "a"), read_run(tmp_path / "b")
    comparison = compare(a, b, CompareSettings(0.05, 0.1))
    assert {"plugin", "mware", "dtype", "shape", "pattern"} <= set(comparison.names)
    labels = Labels(comparison)
    slower = {
        (row["mware"], row["plugin"], row["stage"])
        for change in comparison.times
        if change.verdict == "slower" and change.quantile == "p50"
        for row in [labels.named(change.row)]
    }
    assert slower == {
        ("zeromq", plugin, stage)
        for plugin in ("numpy", "jax")
        for stage in ("transit", "total", "publish")
    }
    assert not [
        change for change in comparison.times if labels.named(change.row)["stage"] == "lateness"
    ]
    assert {labels.named(key)["shape"] for key in comparison.only_b} == {"8x8"}


def test_summary_rows_are_as_documented(tmp_path: Path) -> None:
    results = tensor_folder(tmp_path, middlewares=("shm", "zeromq"))
    meta = json.loads((tmp_path / "meta.json").read_text())
    assert meta["contenders"]["zeromq"]["send_copies"] == 1
    rows = [row for row in summarize(results) if row.stage == "total"]
    assert [(row.fact("mware"), row.fact("plugin"), row.fact("shape")) for row in rows] == [
        ("shm", "", "200x200"), ("zeromq", "numpy", "200x200"),
    ]  # fmt: skip


def test_the_report_tells_clocks_and_late_messages(snapshot: SnapshotAssertion) -> None:
    samples = pl.DataFrame(
        [
            {
                "case": "2x3 float64", "variant": "ones", "build": "release", "contender": name,
                "mode": "numpy", "plugin": "numpy", "stage": stage, "repetition": n, "round": 0,
                "ns": ns + n,
            }
            for name, ns in (("dds", 400_000), ("grpc", 20_000))
            for stage in ("encode", "transit", "total")
            for n in range(5)
        ]
    )  # fmt: skip
    run = tensor.TensorRun(
        case="2x3 float64", variant="ones", build="release", contender="dds", mode="numpy",
        plugin="numpy", mware="dds", dtype="float64", shape="2x3", pattern="pubsub", device="cpu",
        message_bytes=48, message_digest="", sent=40, received=40, lost=0, duplicates=0,
        reordered=0, bytes_per_s=None, lost_without_pause=None, late=0, most_lag_ns=0,
        asked_rate=100.0, rate=97.5, clock_offset_ns=-1_500_000_000, clock_bound_ns=30_000,
        failure=None,
    )  # fmt: skip
    late_run = structs.replace(run, contender="grpc", mware="grpc", late=3, most_lag_ns=5000)
    meta = tensor.TensorMeta(
        schema=2, scenario="tensor", created="", command=[], interrupted=False, environment={},
        trials=1, rate=100.0, content="", pattern="pubsub", warm_up=0, gc="",
        contenders={name: tensor.TensorAbout(library="") for name in ("dds", "grpc")},
        runs=[run, late_run], listener=tensor.Listener(host="other"),
    )  # fmt: skip
    rows = summarize(Results(Path(), meta, samples))
    bounds = {(row.contender, row.stage): row.below_clock_bound for row in rows}
    assert bounds["dds", "encode"] is bounds["grpc", "encode"] is None
    assert (bounds["dds", "total"], bounds["grpc", "total"]) == (False, True)
    reported = tensor_tables.clocks(meta, rows)
    assert reported is not None
    late = tensor_tables.schedule(meta)
    assert late is not None
    assert [reported, late] == snapshot
    for run in meta.runs:
        run.clock_bound_ns = run.late = None
    assert tensor_tables.clocks(meta, summarize(Results(Path(), meta, samples))) is None
    assert tensor_tables.schedule(meta) is None
