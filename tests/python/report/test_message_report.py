# SPDX-License-Identifier: Apache-2.0
"""What the report of ``bench message`` says of fields, and leads with."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from wirecost.analysis.message_fields import shares
from wirecost.analysis.summary import summarize
from wirecost.records.reading import read_results
from wirecost.records.scenarios import with_all_columns
from wirecost.records.schemas.message import TOGETHER
from wirecost.report.scenarios.message.at_rate import at_rate
from wirecost.report.scenarios.message.content import content
from wirecost.report.scenarios.message.figures import boxes, figures
from wirecost.report.shared import units

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
    assert titles[-2:] == ["Where it goes, by field", "What to change"]
    assert [title.partition(" · ")[0] for title in titles[:-2]] == ["C++", "Python"]
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
