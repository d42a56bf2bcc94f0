# SPDX-License-Identifier: Apache-2.0
"""The study repeated: the same content by every contender, sizes, report, real scans."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.browser import rendered

Measure = Callable[..., dict[str, Any]]

ROOT = Path(__file__).parents[2]
REPETITIONS = ("--repetitions", "2", "--processes", "1")
OSI_LISTS = ("lidar-reflection", "moving-object")
"""Each is compiled where it is not in the cache; the others have the same contenders."""
ROWS = {
    "protobuf new", "protobuf reused", "wirecost-protobuf reused", "wirecost-protobuf view",
}  # fmt: skip
COMMON = {
    "flatbuffers view", "columns view", "columns-reduced view", "arrays reused", "memcpy reused",
}  # fmt: skip


@pytest.fixture(scope="module")
def document(measure: Measure) -> dict[str, Any]:
    return measure(
        "repeated", *REPETITIONS, "--list", ",".join((*OSI_LISTS, "point")), "--count", "1,1000"
    )


@pytest.fixture(scope="module")
def scan() -> Path:
    folder = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "lidar"
    scans = sorted((folder / "vlp16").glob("*.pcd"))
    if not scans:
        pytest.skip(f"no real scans at {folder}; set WIRECOST_DATA to where they are")
    return scans[0]


def totals(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["case"], f"{row['contender']} {row['mode']}"): row
        for row in document["rows"]
        if row["stage"] == "total"
    }


def test_every_contender_carries_every_list(document: dict[str, Any]) -> None:
    assert document["failures"] == []
    found: dict[str, set[str]] = {}
    for case, name in totals(document):
        found.setdefault(case, set()).add(name)
    for count in ("1 element", "1000 elements"):
        for name in OSI_LISTS:
            assert found[f"{name}, {count}"] == ROWS | COMMON
        ros = {"wirecost-ros1 reused", "wirecost-ros1 view"}
        assert found[f"point, {count}"] == ROWS | COMMON | ros
    assert {row["stage"] for row in document["rows"]} == {"encode", "decode", "total"}


def test_all_carry_the_same_content(document: dict[str, Any]) -> None:
    digests: dict[str, set[str]] = {}
    for (case, _), row in totals(document).items():
        digests.setdefault(case, set()).add(row["digest"])
    assert all(len(found) == 1 for found in digests.values())


def test_sizes_are_those_of_the_wires(document: dict[str, Any]) -> None:
    rows = totals(document)
    size = {key: row["bytes"] for key, row in rows.items()}
    case = "lidar-reflection, 1000 elements"
    # Two doubles with a tag each, and the element's tag and length; in columns 16 bytes.
    assert size[case, "protobuf new"] == 1000 * (2 + 2 * 9)
    assert 16_000 <= size[case, "columns view"] < 16_200
    assert size[case, "columns-reduced view"] < 6000
    assert size["point, 1000 elements", "wirecost-ros1 view"] == 4 + 1000 * 23
    for (_, name), row in rows.items():
        floor = name in {"arrays reused", "memcpy reused"}
        assert (row["bytes"] == 0) == floor
        assert (row["compressed_bytes"] == 0) == floor


def test_memory_is_used_again(document: dict[str, Any]) -> None:
    for (case, name), row in totals(document).items():
        if name != "protobuf new":
            assert row["allocations"] == 0, (case, name)
        elif case.endswith(" 1000 elements"):
            assert row["allocations"] > 1000, case


def test_a_real_scan_is_carried(measure: Measure, scan: Path) -> None:
    document = measure("repeated", *REPETITIONS, "--scan", scan)
    assert document["failures"] == []
    cases = {row["case"] for row in document["rows"]}
    assert cases == {
        f"{name} of scan vlp16/{scan.stem}, 14831 elements"
        for name in ("lidar-reflection", "lidar-detection", "point")
    }


def test_the_page_draws_figures(document: dict[str, Any], tmp_path: Path) -> None:
    dom, figures = rendered(document["folder"] / "report.html", tmp_path)
    assert figures >= 1
    assert "columns-reduced view" in dom


def test_the_folder_states_the_errors(document: dict[str, Any]) -> None:
    errors = json.loads((document["folder"] / "meta.json").read_text())["errors"]
    assert errors.keys() == {*OSI_LISTS, "point"}
    assert errors["point"]
    assert all(0 < error < 1 for fields in errors.values() for error in fields.values())


def test_lists_processes_and_seed_are_those_asked_for(measure: Measure) -> None:
    def measured(seed: str) -> dict[str, Any]:
        few = ("--list", "radar-reflection", "--count", "10", "--repetitions", "4")
        return measure("repeated", *few, "--processes", "2", "--seed", seed)

    document = measured("1")
    assert document["failures"] == []
    assert {row["case"] for row in document["rows"]} == {"radar-reflection, 10 elements"}
    samples = pl.read_parquet(document["folder"] / "samples.parquet")
    assert set(samples["process"]) == {0, 1}
    digests = {row["digest"] for row in document["rows"]}
    assert digests.isdisjoint({row["digest"] for row in measured("2")["rows"]})
