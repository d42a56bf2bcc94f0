# SPDX-License-Identifier: Apache-2.0
"""Fields and advice in the report of ``bench message``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from support.result_folders import meta_with
from wirecost.results.analysis.message_doubts import Doubt, Key, doubts, is_in_doubt
from wirecost.results.analysis.message_fields import FieldShares, Share, shares
from wirecost.results.analysis.message_whole import whole_rows, whole_samples
from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.reading import read_results
from wirecost.results.records.scenarios import with_all_columns
from wirecost.results.records.schemas.message import (
    ALL,
    LATER,
    TOGETHER,
    AtRate,
    MessageAbout,
    MessageMeta,
)
from wirecost.results.report.scenarios.message.changes import (
    adoption,
    changes,
    languages_asked,
    many_fields,
)
from wirecost.results.report.scenarios.message.content import content
from wirecost.results.report.scenarios.message.field_table import field_table
from wirecost.results.report.scenarios.message.figures import figures
from wirecost.results.report.scenarios.message.first import first_answer
from wirecost.results.report.scenarios.message.stages import SECOND, at_rate, loads, stage_tables
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.icicle import boxes
from wirecost.results.report.shared.table import Table

FOLDER = Path(__file__).parents[2] / "data" / "results" / "message"
RESULTS = read_results(FOLDER)
META = RESULTS.meta_as(MessageMeta)
WHOLE = [row for row in summarize(RESULTS) if row.variant == "all fields"]
BASE = ("cpp", "protobuf new", 100.0, 1.0)


def series(mode: str, ns: float) -> pl.DataFrame:
    """Ten processes that all took as long."""
    return pl.DataFrame(
        {
            "variant": "fields taken out",
            "contender": "protobuf",
            "mode": mode,
            "stage": "encode",
            "process": list(range(10)),
            "repetition": list(range(10)),
            "ns": [ns] * 10,
        }
    )


def test_a_field_s_share_is_what_is_saved_without_it() -> None:
    samples = pl.concat(
        [
            series("reused", 100.0),
            series("reused, without a[]", 30.0),
            series("reused, without b", 80.0),
            series("reused, without a[].x", 60.0),
            series(f"reused, without {TOGETHER}", 5.0),
        ]
    )
    (field_shares,) = shares(samples)
    assert field_shares.contender == "protobuf reused"
    assert {field: round(share.value, 6) for (field, _), share in field_shares.of.items()} == {
        "a[]": 0.7,
        "b": 0.2,
        "a[].x": 0.4,
        TOGETHER: 0.95,
    }
    error = field_shares.error("encode")
    assert error is not None and round(error, 6) == -0.05
    assert field_shares.error("decode") is None


def test_the_first_table_has_every_library_the_fastest_first() -> None:
    first = content(RESULTS, summarize(RESULTS)).first
    assert first is not None and first.table is not None
    table = first.table
    libraries = [row[0].removesuffix(" now") for row in table.rows]
    assert sorted(set(libraries)) == sorted({row.contender for row in WHOLE})
    ratios = [i for i, heading in enumerate(table.headings) if heading.startswith("× ")]
    best = [min(float(row[i].rstrip("?")) for i in ratios if row[i]) for row in table.rows]
    assert best == sorted(best)


def test_a_language_without_a_compiler_is_named_first() -> None:
    why = "no C++ compiler; apt-get install g++"
    rows = [row for row in summarize(RESULTS) if row.lang != "cpp"]
    runs = [run for run in META.runs if run.lang != "cpp"]
    results = replace(RESULTS, meta=structs.replace(META, not_run={"cpp": why}, runs=runs))
    first = content(results, rows).first
    assert first is not None
    assert first.sentence.startswith("C++") and f"{why}." in first.sentence.partition("Python")[0]


def test_who_has_shares() -> None:
    field_shares = shares(with_all_columns(RESULTS.samples))
    assert {share.contender for share in field_shares} == {"protobuf reused", "wirecost reused"}
    assert shares(series("reused", 1.0).with_columns(variant=pl.lit("all fields"))) == []


def test_boxes_lie_below_what_they_are_part_of() -> None:
    paths = ["a", "a.x", "a.y", "b", "b.z", "c.lost"]
    values = {"a": 0.5, "a.x": 0.2, "a.y": 0.4, "b": 0.3, "c.lost": 0.1}
    by_path = {box.path: (box.depth, box.left, box.right) for box in boxes(paths, values)}
    assert by_path == {
        "a": (0, 0.0, 0.5),
        "a.x": (1, 0.0, 0.2),
        "a.y": (1, 0.2, 0.5),
        "b": (0, 0.5, 0.8),
    }


def test_costs_then_bytes_and_times_of_fields_are_drawn() -> None:
    costs, fields, times = figures(RESULTS, WHOLE)
    assert [panel["title"] for panel in costs.chart.to_dict()["vconcat"]] == ["C++", "Python"]
    assert fields.chart.to_dict()["title"] == "Bytes by field"
    assert {mark["field"] for mark in _data(times)} < {field.path for field in META.fields}


def test_a_library_s_stages_are_stacked_and_its_total_is_the_timed_one() -> None:
    panel = figures(RESULTS, WHOLE)[0].chart.to_dict()["vconcat"][0]
    parts, totals = (panel["layer"][i]["data"]["values"] for i in (0, 2))
    of_base = [part for part in parts if part["library"] == "protobuf new"]
    assert [part["stage"] for part in of_base] == ["fill", "encode", "decode", "read", "destroy"]
    assert [part["start"] for part in of_base[1:]] == [part["end"] for part in of_base[:-1]]
    timed = {
        row.name: row.median_ns / 1e3 for row in WHOLE if row.stage == "total" and row.lang == "cpp"
    }
    assert {total["library"]: total["at"] for total in totals} == {
        name: pytest.approx(timed[name])
        for name in ("wirecost reused", "protobuf reused", "protobuf new")
    }


def test_a_field_s_time_that_may_be_none_is_not_drawn() -> None:
    times = figures(RESULTS, WHOLE)[2]
    assert all(mark["low"] > 0 or mark["high"] < 0 for mark in _data(times))
    assert "Not drawn: 1 share that" in times.caption


def _data(figure: Figure) -> list[dict[str, Any]]:
    drawn = figure.chart.to_dict()
    marks: list[dict[str, Any]] = drawn.get("data", drawn["layer"][0].get("data"))["values"]
    return marks


CARRYING = {
    "over": "zeromq", "library": "pyzmq 1", "sender_ns": 1e6, "subscriber_ns": 2e6,
    "server_ns": 0.0, "received": 0.5, "messages": 300,
}  # fmt: skip


@pytest.mark.parametrize("carrying", [CARRYING, None], ids=["carried", "bare"])
def test_a_rate_is_computed_from_the_measured_parts(
    carrying: dict[str, Any] | None, snapshot: SnapshotAssertion
) -> None:
    rate = {"rate": 100.0, "subscribers": 3, "carrying": carrying}
    assert at_rate(meta_with(META, at_rate=rate), WHOLE) == snapshot
    assert at_rate(META, WHOLE) is None


@pytest.mark.parametrize("subscribers", [1, 3])
def test_shares_of_a_core_follow_from_the_totals(subscribers: int) -> None:
    asked = AtRate(rate=100.0, subscribers=subscribers)
    load = loads(asked, WHOLE)["cpp", "protobuf new"]
    rows = [row for row in WHOLE if (row.lang, row.name) == ("cpp", "protobuf new")]
    ns = {row.stage: row.median_ns for row in rows}
    total = ns.pop("total")
    assert load.sender_ns + load.subscriber_ns == pytest.approx(total)
    sender = ns["fill"] + ns["encode"] + ns["destroy"] / 2
    assert load.sender_ns / total == pytest.approx(sender / sum(ns.values()))
    whole = load.sender_ns + subscribers * load.subscriber_ns
    assert load.share == pytest.approx(100.0 * whole / SECOND)


def answered(hz: float | None, doubted: Collection[Key] = (), more: Sequence[Row] = ()) -> Answer:
    rate = None if hz is None else {"rate": hz, "subscribers": 1, "carrying": None}
    rows = [*WHOLE, *more]
    totals = [row for row in rows if row.stage == "total"]
    ends = {(row.lang, row.name): (row.median_ns, row.median_ns) for row in totals}
    first = first_answer(meta_with(META, at_rate=rate), rows, unsure(doubted), ends)
    assert first is not None
    return first


def test_what_saves_most_comes_first() -> None:
    library, reuse = answered(None).steps
    assert "reuse one protobuf object" in reuse
    assert "wirecost reused" in library
    schema = "schemas/rsb/notification.proto"
    assert f"wirecost compile {schema} --lang cpp --wire protobuf" in library


@pytest.mark.parametrize(("hz", "is_worth"), [(10.0, False), (1e5, True)])
def test_what_is_not_worth_it_is_no_step(hz: float, is_worth: bool) -> None:
    first = answered(hz)
    assert bool(first.steps) is is_worth
    assert bool(first.hints) is not is_worth
    assert ("nothing is worth" in first.sentence) is not is_worth
    assert any("wirecost compile" in line for line in [*first.steps, *first.hints])


def test_savings_are_said_for_each_language_with_the_same_bytes() -> None:
    totals = {(r.lang, r.name): r.median_ns for r in WHOLE if r.stage == "total"}
    saved = totals["cpp", "protobuf new"] - totals["cpp", "wirecost reused"]
    text = answered(1000.0).sentence
    share = f"{100 * saved * 1000 / SECOND:.2g} %"
    assert f"you would save {share} in C++ (wirecost), nothing in Python" in text
    assert "all peers" not in text  # JSON is slower


def test_times_and_factors_in_doubt_are_marked() -> None:
    base: Key = ("cpp", "protobuf new")
    first = answered(10.0, {base})
    rows = {row[0]: dict(zip(first.table.headings, row, strict=True)) for row in first.table.rows}
    now, ours = rows["protobuf now"], rows["wirecost"]
    assert [now["C++"][-1], now["Python"][-1]] == ["?", "s"]
    assert [ours["C++"][-1], ours["× C++"][-1], ours["× Python"][-1]] == ["s", "?", "9"]
    assert "even if" in first.table.notes[0]
    assert "even if" not in answered(1000.0, {base}).table.notes[0]


def one(lang: str, name: str, median: float, ratio: float) -> Row:
    """Return a total of five processes, none of whose others differ."""
    first = next(row for row in WHOLE if row.stage == "total")
    contender, _, mode = name.partition(" ")
    to = Ratio("protobuf new", ratio, (0.9 * ratio, min(1.1 * ratio, 1.0)))
    return replace(
        first, lang=lang, contender=contender, mode=mode, median_ns=median, ratio=to, processes=5
    )


def unsure(names: Collection[Key]) -> dict[Key, Doubt]:
    """Return doubts about times that may be wrong by a factor of a hundred."""
    return {key: Doubt(key[1], 1000.0, None, (100.0, 10_000.0)) for key in names}


def advised(doubted: set[Key], ends: dict[str, tuple[float, float]]) -> Table | None:
    wires = {
        "cpp protobuf new": "protobuf",
        "cpp wirecost reused": "protobuf",
        "cpp flatbuffers-table new": "flatbuffers",
        "python protobuf new": "protobuf",
    }
    meta = meta_with(
        META,
        contenders={name: {"library": "", "wire": wire} for name, wire in wires.items()},
        not_run={"java protobuf": "no javac"},
        changes=[{"what": "compress", "bytes": 5.0, "ns": None, "how": "measured"}],
    )
    assert languages_asked(meta) == ("cpp", "python", "java")
    rows = [
        one(*BASE),
        one("cpp", "flatbuffers-table new", 10.0, 0.1),
        one("cpp", "wirecost reused", 20.0, 0.2),
        one("python", "protobuf new", 1000.0, 1.0),
    ]
    named = {("cpp", name): pair for name, pair in ends.items()}
    return changes(meta, rows, unsure(doubted), named)


def test_advice_begins_with_what_one_program_can_change(snapshot: SnapshotAssertion) -> None:
    apart = {
        "protobuf new": (50.0, 150.0),
        "wirecost reused": (20.0, 20.0),
        "flatbuffers-table new": (10.0, 60.0),
    }
    tables = {
        "no doubts": advised(set(), {}),
        "times in doubt": advised({("cpp", "protobuf new")}, apart),
    }
    assert tables == snapshot


def changed(
    rows: list[Row], *changes_: dict[str, Any], doubted: Collection[Key] = ()
) -> tuple[MessageMeta, Table]:
    about = {"library": "", "wire": "protobuf"}
    meta = meta_with(
        META,
        command=["bench", "message", "schemas/plan.proto", "--type", "Plan"],
        contenders={f"{row.lang} {row.name}": about for row in rows},
        not_run={},
        changes=list(changes_),
    )
    table = changes(meta, rows, unsure(doubted), {})
    assert table is not None
    return meta, table


COLUMNS = {"what": "columns for `a[]`", "bytes": 5.0, "ns": None, "how": "measured"}
SLOW_COLUMNS = ("cpp", "wirecost-columns new", 1, 1.77)
Totals = tuple[tuple[str, str, float, float], ...]
ADVICE: dict[str, tuple[Totals, tuple[dict[str, Any], ...], tuple[Key, ...]]] = {
    "how to adopt it": (
        (
            BASE,
            ("cpp", "wirecost reused", 20.0, 0.2),
            ("python", "wirecost new", 20.0, 0.2),
            ("cpp", "wirecost-classes new", 50.0, 0.5),
        ), (), (),
    ),
    "how to keep an object": ((BASE, ("cpp", "protobuf reused", 50.0, 0.5)), (), ()),
    "what gains little is left out": (
        (BASE, ("cpp", "wirecost reused", 90.0, 0.9), ("cpp", "wirecost-classes new", 96.0, 0.96)),
        (), (),
    ),
    "columns that are slower": ((BASE, SLOW_COLUMNS), (COLUMNS,), ()),
    "columns in two languages": (
        (BASE, SLOW_COLUMNS, ("java", "wirecost-columns view", 1, 0.12)), (COLUMNS,), (),
    ),
    "columns in Java alone": ((BASE, ("java", "wirecost-columns view", 1, 0.12)), (COLUMNS,), ()),
    "columns without a time": ((BASE,), (COLUMNS,), ()),
    "columns beside a time in doubt": (
        (BASE, SLOW_COLUMNS), (COLUMNS,), (("cpp", "protobuf new"),),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ADVICE)
def test_advice(name: str, snapshot: SnapshotAssertion) -> None:
    totals, more, doubted = ADVICE[name]
    _, table = changed([one(*total) for total in totals], *more, doubted=doubted)
    assert table == snapshot


def test_the_command_that_compiles_has_all_that_reads_the_schema() -> None:
    row = one("cpp", "wirecost-ros1 reused", 20.0, 0.2)
    meta = meta_with(
        META,
        command=[
            "bench",
            "message",
            "a b/P.msg",
            "-I",
            "share",
            "--dialect",
            "ros2",
            "--rate",
            "9",
        ],
        contenders={"cpp wirecost-ros1 reused": {"library": "", "wire": "ros1"}},
    )
    how = adoption(meta, [row])
    options = "-I share --dialect ros2 --lang cpp --wire ros1 --out DIR"
    assert f"`wirecost compile 'a b/P.msg' {options}`, without ROS;" in how


def test_columns_in_python_are_no_views_of_rows() -> None:
    row = one("python", "wirecost-columns view", 20.0, 0.2)
    about = {"library": "", "wire": "columns"}
    how = adoption(meta_with(META, contenders={"python wirecost-columns view": about}), [row])
    assert "by the generated view" in how
    assert "decode_columns" not in how


def test_fields_that_a_change_does_not_name_are_on_the_page() -> None:
    paths = ["a", "b", "c[].d"]
    floats = {"what": "float for double in `a`, `b` and 1 more", "bytes": 5.0, "ns": None}
    meta, table = changed([one(*BASE)], floats | {"how": "estimated", "fields": paths})
    assert "report.html" in table.notes[-1]
    named = many_fields(meta)
    assert named is not None and [row[1] for row in named.rows] == paths
    assert [bool(row[0]) for row in named.rows] == [True, False, False]
    assert many_fields(meta_with(meta, changes=[])) is None


def test_totals_that_contradict_their_stages_or_processes_are_in_doubt(
    snapshot: SnapshotAssertion,
) -> None:
    of_cpp = [row for row in WHOLE if row.lang == "cpp"]
    new = [row for row in of_cpp if row.name == "protobuf new"]
    (total,) = (row for row in new if row.stage == "total")
    stages = [row for row in new if row is not total]
    parts = sum(row.median_ns for row in stages)

    def samples(*ns: float) -> pl.DataFrame:
        at = list(range(len(ns)))
        who = {
            "lang": "cpp",
            "variant": ALL,
            "contender": "protobuf",
            "mode": "new",
            "stage": "total",
        }
        return pl.DataFrame({"process": at, "ns": list(ns)}).with_columns(
            **{name: pl.lit(value) for name, value in who.items()}
        )

    def doubt(sum_of: float, *ns: float) -> Doubt | None:
        rows = [*stages, replace(total, median_ns=parts / sum_of)]
        return doubts(rows, samples(*ns)).get(("cpp", "protobuf new"))

    assert doubt(1.0, 100.0, 199.0) is None
    assert doubt(1.19, 100.0) is None and doubt(0.81, 100.0) is None
    off = doubt(0.5, 100.0)
    assert off is not None and off.stages == parts and off.processes is None
    apart = doubt(1.0, 100.0, 150.0, 201.0)
    assert apart is not None and apart.stages is None and apart.processes == (100.0, 201.0)
    (table,) = stage_tables(META, of_cpp, {("cpp", "protobuf new"): apart})
    assert table.notes == snapshot


def test_tables_are_explained_once_and_by_what_they_show(snapshot: SnapshotAssertion) -> None:
    first, second = stage_tables(META, WHOLE, {})
    (cpp,) = stage_tables(META, [r for r in WHOLE if r.lang == "cpp"], {})
    many = [replace(row, processes=10) for row in WHOLE if row.lang == "python"]
    (python,) = stage_tables(META, many, {})
    tables = {"first": first, "second": second, "C++ alone": cpp, "Python, ten processes": python}
    assert {name: table.notes for name, table in tables.items()} == snapshot


def test_columns_from_arrays_are_said_where_their_times_stand() -> None:
    rows = [
        replace(row, lang=lang, contender="wirecost-columns", mode="view")
        for row in WHOLE
        if row.lang == "python" and row.contender == "protobuf"
        for lang in ("python", "java")
    ]
    tables = stage_tables(META, [*WHOLE, *rows], {})
    note = "wirecost-columns is filled from arrays."
    assert [note in table.notes for table in tables] == [False, True, True]
    first = answered(10.0, set(), rows)
    assert any("and Java from arrays." in note for note in first.table.notes)


def fields(*paths: str) -> MessageMeta:
    sizes = [{"path": path, "own": 100, "all": 200} for path in paths]
    return meta_with(META, fields=sizes, counted_bytes=500, messages=1)


def test_fields_beyond_the_limit_are_one_row(snapshot: SnapshotAssertion) -> None:
    sizes = [{"path": "a", "own": 900, "all": 990}, {"path": "a.x", "own": 90, "all": 90}]
    sizes += [{"path": name, "own": 5, "all": 5} for name in "bc"]
    meta = meta_with(META, fields=sizes, counted_bytes=1000, messages=1)
    of = {("a", "encode"): Share(0.5, 0.4, 0.6), ("a.x", "encode"): Share(0.1, -0.1, 0.3)}
    tables = {
        "times of C++": field_table(meta, [FieldShares("protobuf reused", of)], ("cpp", "java")),
        "no times": field_table(meta, [], ("python",)),
    }
    assert tables == snapshot


@pytest.mark.parametrize(
    "values",
    [
        {"a[]": 0.7, "a[].b": 0.3, "a[].b.x": 0.1, "d": 0.2},
        {"a": 0.7, "a.b": -0.2},
        {"a": 0.7, "a.b": 0.8},
    ],
    ids=["add up", "less than nothing", "more than the whole"],
)
def test_the_times_in_a_field(values: dict[str, float], snapshot: SnapshotAssertion) -> None:
    of = {(path, "decode"): Share(value, value, value) for path, value in values.items()}
    paths = [*values, *(["a[].c"] if "a[]" in values else [])]
    assert field_table(fields(*paths), [FieldShares("protobuf reused", of)], ("cpp",)) == snapshot


def test_an_interrupted_run_says_what_it_lacks(snapshot: SnapshotAssertion) -> None:
    late = {"cpp late new": MessageAbout(library="l", wire="json")}
    contenders = {**META.contenders, **late}
    meta = structs.replace(META, interrupted="SIGINT", contenders=contenders)
    table = field_table(meta, [], ("cpp", "python"))
    assert table is not None
    lead = content(replace(RESULTS, meta=meta), summarize(RESULTS)).lead
    assert {"lead": lead, "fields": table.notes} == snapshot


def compiled_last(library: str) -> Results:
    """Return the run as if a library came last, when the one in use took twice as long."""
    cpp = pl.col("lang") == "cpp"
    is_last = (pl.col("variant") == ALL) & cpp & (pl.col("contender") == library)
    is_base = (pl.col("variant") == ALL) & cpp & (pl.col("contender") == "protobuf")
    samples = RESULTS.samples
    again = samples.filter(is_base).with_columns(variant=pl.lit(LATER), ns=2 * pl.col("ns"))
    last = samples.filter(is_last).with_columns(variant=pl.lit(LATER))
    runs = []
    for run in META.runs:
        moved = structs.replace(run, variant=LATER)
        is_whole = (run.lang, run.variant) == ("cpp", ALL)
        runs.append(moved if is_whole and run.contender == library else run)
        runs += [moved] * (is_whole and run.contender == "protobuf")
    meta = structs.replace(META, runs=runs)
    return replace(RESULTS, meta=meta, samples=pl.concat([samples.filter(~is_last), again, last]))


def test_what_was_compiled_last_is_in_the_tables_with_the_ratios_of_its_own_race() -> None:
    results = compiled_last("wirecost")
    rows = whole_rows(summarize(results))
    before = {(row.lang, row.name, row.stage): row for row in WHOLE}
    after = {(row.lang, row.name, row.stage): row for row in rows}
    assert after.keys() == before.keys() and len(rows) == len(WHOLE)
    for key, row in after.items():
        ratio, expected = row.ratio, before[key].ratio
        assert row.median_ns == before[key].median_ns
        assert ratio is not None and expected is not None and ratio.to == expected.to
        share = 2 if key[:1] == ("cpp",) and row.contender == "wirecost" else 1
        assert ratio.median == pytest.approx(expected.median / share)
    answer = content(results, summarize(results))
    assert answer.first is not None
    (table,) = [table for table in answer.tables if table.title.startswith("C++")]
    assert [cells[0] for cells in table.rows].count("protobuf new") == 1
    assert any(cells[0].startswith("wirecost ") for cells in table.rows)
    assert any(cells[0] == "wirecost" for cells in answer.first.table.rows)


def test_a_baseline_that_took_longer_the_second_time_is_in_doubt() -> None:
    results = compiled_last("wirecost")
    of_all = whole_samples(with_all_columns(results.samples))
    slower = of_all.with_columns(
        ns=pl.when(pl.col("variant") == LATER).then(1.1 * pl.col("ns")).otherwise(pl.col("ns"))
    )
    assert ("cpp", "protobuf new") in doubts(whole_rows(summarize(results)), slower)
    assert ("cpp", "protobuf new") not in doubts(WHOLE, with_all_columns(RESULTS.samples))


def test_a_clear_ratio_is_in_no_doubt_whatever_its_times_do() -> None:
    (row, *_) = [row for row in WHOLE if row.ratio and row.ratio.to != row.name]
    assert row.ratio is not None
    key = row.lang, row.name
    doubted = {key: Doubt(row.name, 100.0, 150.0, (80.0, 200.0))}
    thirtieth = replace(row, ratio=replace(row.ratio, median=1 / 30, ci95=(1 / 32, 1 / 28)))
    near = replace(row, ratio=replace(row.ratio, median=0.6, ci95=(0.5, 0.7)))
    assert not is_in_doubt(thirtieth, doubted)
    assert is_in_doubt(near, doubted)
    assert not is_in_doubt(near, {})
