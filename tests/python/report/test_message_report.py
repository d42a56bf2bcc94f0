# SPDX-License-Identifier: Apache-2.0
"""What the report of ``bench message`` says of fields, and leads with."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from wirecost.analysis.message_doubts import Doubt, Key, doubts
from wirecost.analysis.message_fields import Share, Shares, shares
from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row, summarize
from wirecost.records.reading import read_results
from wirecost.records.scenarios import with_all_columns
from wirecost.records.schemas.message import TOGETHER
from wirecost.report.scenarios.message.at_rate import at_rate
from wirecost.report.scenarios.message.changes import changes, languages_asked, many_fields
from wirecost.report.scenarios.message.content import content
from wirecost.report.scenarios.message.field_table import field_table
from wirecost.report.scenarios.message.figures import boxes, figures
from wirecost.report.scenarios.message.stages import stage_tables
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

FOLDER = Path(__file__).parents[2] / "data" / "results" / "message"


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
    (found,) = shares(samples)
    assert found.contender == "protobuf reused"
    assert {field: round(share.value, 6) for (field, _), share in found.of.items()} == {
        "a[]": 0.7,
        "b": 0.2,
        "a[].x": 0.4,
        TOGETHER: 0.95,
    }
    error = found.error("encode")
    assert error is not None and round(error, 6) == -0.05
    assert found.error("decode") is None


def test_a_run_without_fields_has_no_shares() -> None:
    assert shares(series("reused", 1.0).with_columns(variant=pl.lit("all fields"))) == []


def test_the_report_leads_with_the_heaviest_field() -> None:
    results = read_results(FOLDER)
    made = content(results, summarize(results))
    heaviest = max(results.meta["fields"], key=lambda field: field["all"])
    assert made.lead is not None
    assert f"of its bytes are `{heaviest['path']}`" in made.lead
    titles = [table.title for table in made.tables]
    assert titles[-1] == "Where it goes, by field"
    assert [title.partition(" · ")[0] for title in titles[:2]] == ["C++", "Python"]
    assert made.begins_with_lead
    known = with_all_columns(results.samples)
    assert {one.contender for one in shares(known)} == {"protobuf reused", "wirecost reused"}


def test_boxes_lie_below_what_they_are_part_of() -> None:
    paths = ["a", "a.x", "a.y", "b", "b.z", "c.lost"]
    values = {"a": 0.5, "a.x": 0.2, "a.y": 0.4, "b": 0.3, "c.lost": 0.1}
    found = {box.path: (box.depth, box.left, box.right) for box in boxes(paths, values)}
    assert found == {
        "a": (0, 0.0, 0.5),
        "a.x": (1, 0.0, 0.2),
        "a.y": (1, 0.2, 0.5),
        "b": (0, 0.5, 0.8),
    }


def test_bytes_and_times_of_fields_are_drawn() -> None:
    (figure,) = figures(read_results(FOLDER), [])
    drawn = figure.chart.to_dict()
    assert [one["title"] for one in drawn["vconcat"]] == [
        "bytes",
        "encode, wirecost reused",
        "decode, wirecost reused",
        "encode, protobuf reused",
        "decode, protobuf reused",
    ]


def test_a_rate_is_computed_from_the_measured_parts() -> None:
    results = read_results(FOLDER)
    rows = [row for row in summarize(results) if row.variant == "all fields"]
    carrying = {
        "over": "zeromq", "library": "pyzmq 1", "sender_ns": 1e6, "subscriber_ns": 2e6,
        "server_ns": 0.0, "received": 0.5, "messages": 300,
    }  # fmt: skip
    asked = {"rate": 100.0, "subscribers": 3, "carrying": carrying}
    table = at_rate(dict(results.meta) | {"at_rate": asked}, rows)
    assert table is not None
    by_name = {row[0]: row for row in table.rows}
    one = by_name["C++ wirecost reused"]
    mine = {r.stage: r for r in rows if (r.contender, r.mode) == ("wirecost", "reused")}
    sender = mine["fill"].median_ns + mine["encode"].median_ns + mine["destroy"].median_ns / 2
    assert one[1] == units.time(100 * sender)
    assert one[3] == units.time(100 * (1e6 + 3 * 2e6))
    assert one[4].startswith("70")  # per cent of a core
    assert one[5] == units.size(round(mine["total"].bytes * 300))
    assert "50.0 % of the messages did not come" in table.notes[0]
    bare = at_rate(dict(results.meta) | {"at_rate": asked | {"carrying": None}}, rows)
    assert bare is not None and "zeromq" not in bare.headings
    assert "--over measures a transport" in bare.notes[0]
    assert at_rate(dict(results.meta), rows) is None


WIRES = {
    "cpp protobuf new": "protobuf",
    "cpp wirecost reused": "protobuf",
    "cpp flatbuffers-table new": "flatbuffers",
    "python protobuf new": "protobuf",
}


def one(lang: str, name: str, median: float, ratio: float) -> Row:
    """A total of five processes, none of whose others differ."""
    results = read_results(FOLDER)
    first = next(row for row in summarize(results) if row.stage == "total")
    contender, _, mode = name.partition(" ")
    to = Ratio("protobuf new", ratio, (0.9 * ratio, min(1.1 * ratio, 1.0)))
    return replace(
        first, lang=lang, contender=contender, mode=mode, median_ns=median, ratio=to, processes=5
    )


def advised(doubted: set[tuple[str, str]], ends: dict[str, tuple[float, float]]) -> list[list[str]]:
    meta: dict[str, Any] = {
        "contenders": {name: {"wire": wire} for name, wire in WIRES.items()},
        "not_run": {"java protobuf": "no javac"},
        "changes": [{"what": "compress", "bytes": 5.0, "ns": None, "how": "measured"}],
    }
    assert languages_asked(meta) == ("cpp", "python", "java")
    rows = [
        one("cpp", "protobuf new", 100.0, 1.0),
        one("cpp", "flatbuffers-table new", 10.0, 0.1),
        one("cpp", "wirecost reused", 20.0, 0.2),
        one("python", "protobuf new", 1000.0, 1.0),
    ]
    table = changes(meta, rows, doubted, {("cpp", name): pair for name, pair in ends.items()})
    assert table is not None
    return [row[:3] for row in table.rows]


def test_advice_begins_with_what_one_program_can_change() -> None:
    assert advised(set(), {}) == [
        ["C++: wirecost reused", "same bytes", "5.0× faster"],
        [
            "C++: flatbuffers-table new",
            "all peers must change; not measured in Python, Java",
            "10× faster",
        ],
        ["compress", "all peers must change", "–"],
    ]


def test_no_factor_follows_from_times_in_doubt() -> None:
    apart = {
        "protobuf new": (50.0, 150.0),
        "wirecost reused": (20.0, 20.0),
        "flatbuffers-table new": (10.0, 60.0),
    }
    rows = advised({("cpp", "protobuf new")}, apart)
    assert [row[2] for row in rows] == ["faster", "–"]
    assert rows[0][0] == "C++: wirecost reused"


def changed(
    rows: list[Row], *changes_: dict[str, Any], doubted: Collection[Key] = ()
) -> tuple[dict[str, Any], Table]:
    meta: dict[str, Any] = {
        "command": ["bench", "message", "schemas/plan.proto", "--type", "Plan"],
        "contenders": {f"{row.lang} {row.name}": {"wire": "protobuf"} for row in rows},
        "changes": list(changes_),
    }
    table = changes(meta, rows, doubted, {})
    assert table is not None
    return meta, table


def test_each_advice_says_how_to_adopt_it() -> None:
    base = one("cpp", "protobuf new", 100.0, 1.0)
    _, table = changed(
        [
            base,
            one("cpp", "wirecost reused", 20.0, 0.2),
            one("python", "wirecost new", 20.0, 0.2),
            one("cpp", "wirecost-classes new", 50.0, 0.5),
        ]
    )
    (how,) = (note for note in table.notes if note.startswith("How: "))
    assert (
        "wirecost: `wirecost compile plan.proto --lang cpp,python --wire protobuf --out DIR`" in how
    )
    assert "wirecost-classes: `wirecost compile plan.proto --lang cpp --protobuf-api" in how
    assert "reused: keep one object" in how and "arena" not in how
    _, table = changed([base, one("cpp", "protobuf reused", 50.0, 0.5)])
    assert table.notes[-1].startswith("How: reused: keep one object")


def test_what_gains_little_is_no_advice() -> None:
    rows = [one("cpp", name, 100.0 * ratio, ratio) for name, ratio in GAINS.items()]
    _, table = changed(rows)
    assert [row[0] for row in table.rows] == ["C++: wirecost reused"]


GAINS = {"protobuf new": 1.0, "wirecost reused": 0.9, "wirecost-classes new": 0.96}


def test_columns_that_are_slower_say_so() -> None:
    columns = {"what": "columns for `a[]`", "bytes": 5.0, "ns": None, "how": "measured"}
    rows = [one("cpp", "protobuf new", 100.0, 1.0), one("cpp", "wirecost-columns new", 1, 1.77)]
    _, table = changed(rows, columns)
    assert table.rows[-1][2] == "1.8× slower in C++"
    assert "wirecost-columns, with all these lists" in table.notes[0]
    _, table = changed(rows[:1], columns)
    assert table.rows[-1][2] == "–" and "wirecost-columns" not in table.notes[0]
    _, table = changed(rows, columns, doubted={("cpp", "protobuf new")})
    assert table.rows[-1][2] == "–"


def test_fields_that_a_change_does_not_name_are_on_the_page() -> None:
    paths = ["a", "b", "c[].d"]
    floats = {"what": "float for double in `a`, `b` and 1 more", "bytes": 5.0, "ns": None}
    meta, table = changed(
        [one("cpp", "protobuf new", 100.0, 1.0)], floats | {"how": "estimated", "fields": paths}
    )
    assert table.notes[-1].startswith("… more: all are in report.html")
    named = many_fields(meta)
    assert named is not None and [row[1] for row in named.rows] == paths
    assert many_fields(meta | {"changes": []}) is None


def test_totals_that_contradict_their_stages_or_processes_are_in_doubt() -> None:
    results = read_results(FOLDER)
    whole = [row for row in summarize(results) if row.variant == "all fields"]
    (total,) = (r for r in whole if (r.lang, r.name, r.stage) == ("cpp", "protobuf new", "total"))
    mine = [r for r in whole if (r.lang, r.name) == ("cpp", "protobuf new") and r is not total]
    parts = sum(row.median_ns for row in mine)

    def samples(*ns: float) -> pl.DataFrame:
        at = list(range(len(ns)))
        who = {"lang": "cpp", "contender": "protobuf", "mode": "new", "stage": "total"}
        return pl.DataFrame({"process": at, "ns": list(ns)}).with_columns(
            **{name: pl.lit(value) for name, value in who.items()}
        )

    def found(sum_of: float, *ns: float) -> Doubt | None:
        rows = [*mine, replace(total, median_ns=parts / sum_of)]
        return doubts(rows, samples(*ns)).get(("cpp", "protobuf new"))

    assert found(1.0, 100.0, 199.0) is None
    assert found(1.19, 100.0) is None and found(0.81, 100.0) is None
    off = found(0.5, 100.0)
    assert off is not None and off.stages == parts and off.processes is None
    apart = found(1.0, 100.0, 150.0, 201.0)
    assert apart is not None and apart.stages is None and apart.processes == (100.0, 201.0)
    rows = [row for row in whole if row.lang == "cpp"]
    (table,) = stage_tables(dict(results.meta), rows, {("cpp", "protobuf new"): apart})
    assert "Medians of processes differ by more than 2×: protobuf new" in table.notes[-1]


def test_tables_are_explained_once_and_by_what_they_show() -> None:
    results = read_results(FOLDER)
    whole = [row for row in summarize(results) if row.variant == "all fields"]
    first, second = stage_tables(dict(results.meta), whole, {})
    assert "without an interval" in first.notes[0] and second.notes == []
    assert "lists of them by sum()" in first.notes[0]
    compiled, *_ = stage_tables(dict(results.meta), [r for r in whole if r.lang == "cpp"], {})
    assert "sum()" not in compiled.notes[0]
    many = [replace(row, processes=10) for row in whole if row.lang == "python"]
    (alone,) = stage_tables(dict(results.meta), many, {})
    assert "with its 95 % interval" in alone.notes[0] and "arena:" not in alone.notes[0]


def test_fields_beyond_the_limit_are_one_row() -> None:
    fields = [{"path": "a", "own": 900, "all": 990}, {"path": "a.x", "own": 90, "all": 90}]
    fields += [{"path": name, "own": 5, "all": 5} for name in "bc"]
    meta = {"fields": fields, "counted_bytes": 1000, "messages": 1}
    of = {("a", "encode"): Share(0.5, 0.4, 0.6), ("a.x", "encode"): Share(0.1, -0.1, 0.3)}
    table = field_table(meta, [Shares("protobuf reused", of)], ("cpp", "java"))
    assert table is not None
    assert [row[0] for row in table.rows] == ["a", "· x", "· rest of a", "2 others, together"]
    assert [row[3] for row in table.rows] == ["50 ± 10 %", "cannot tell", "≈ 40 %", "–"]
    assert table.rows[-1][1:3] == ["10 B", "1.0 %"]
    assert "Times are of C++ only, not of Java." in table.notes[0]
    assert "rest of a field:" in table.notes[0]
    bare = field_table(meta, [], ("python",))
    assert bare is not None and "Times of fields are measured in C++ only" in bare.notes[0]


def test_the_times_in_a_field_add_up_to_it() -> None:
    paths = ("a[]", "a[].b", "a[].b.x", "a[].c", "d")
    meta = {"fields": [{"path": path, "own": 100, "all": 200} for path in paths]}
    values = {"a[]": 0.7, "a[].b": 0.3, "a[].b.x": 0.1, "d": 0.2}
    of = {(path, "decode"): Share(value, value, value) for path, value in values.items()}
    table = field_table(
        meta | {"counted_bytes": 500, "messages": 1}, [Shares("protobuf reused", of)], ("cpp",)
    )
    assert table is not None
    assert [(row[0], row[-1]) for row in table.rows] == [
        ("a[]", "70 ± 0 %"),
        ("· b", "30 ± 0 %"),
        ("· · x", "10 ± 0 %"),
        ("· · rest of b", "≈ 20 %"),
        ("· c", "–"),
        ("· rest of a[]", "≈ 40 %"),
        ("d", "20 ± 0 %"),
    ]


@pytest.mark.parametrize("inner", [-0.2, 0.8])
def test_of_fields_that_do_not_add_up_there_is_no_rest(inner: float) -> None:
    meta = {"fields": [{"path": path, "own": 100, "all": 200} for path in ("a", "a.b")]}
    of = {
        (path, "decode"): Share(value, value, value) for path, value in (("a", 0.7), ("a.b", inner))
    }
    table = field_table(
        meta | {"counted_bytes": 500, "messages": 1}, [Shares("protobuf reused", of)], ("cpp",)
    )
    assert table is not None
    assert [row[-1] for row in table.rows if "rest" in row[0]] == ["cannot tell"]


def test_an_interrupted_run_says_what_it_lacks() -> None:
    results = read_results(FOLDER)
    meta = dict(results.meta) | {"interrupted": "SIGINT"}
    meta["contenders"] = meta["contenders"] | {"cpp late new": {"library": "l", "wire": "json"}}
    lead = content(replace(results, meta=meta), summarize(results)).lead
    assert lead is not None
    assert lead.startswith("Incomplete: the run ended early (SIGINT); not measured: cpp late new.")
    table = field_table(meta, [], ("cpp", "python"))
    assert table is not None and "not measured: the run ended before" in table.notes[0]
