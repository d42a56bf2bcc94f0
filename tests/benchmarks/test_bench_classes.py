# SPDX-License-Identifier: Apache-2.0
"""The study classes: equal bytes by every library, memory, allocators, the report."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Measure = Callable[..., dict[str, Any]]

FEW = ("--repetitions", "2", "--processes", "2")
STAGES = {"build", "rebuild", "encode", "parse", "reparse", "total"}
CONTENDERS = {"protobuf fresh", "protobuf arena", "wirecost fresh", "wirecost arena"}


@pytest.fixture(scope="module")
def document(measure: Measure) -> dict[str, Any]:
    return measure("classes", *FEW, "--objects", "1,50")


def by_contender(document: dict[str, Any], case: str) -> dict[str, dict[str, Any]]:
    """Its totals."""
    return {
        f"{row['contender']} {row['mode']}": row
        for row in document["rows"]
        if (row["case"], row["stage"]) == (case, "total")
    }


def test_every_contender_makes_the_same_bytes(document: dict[str, Any]) -> None:
    assert document["failures"] == []
    assert {row["stage"] for row in document["rows"]} == STAGES
    sizes = {}
    for case in ("full, 1 object", "full, 50 objects", "sparse, 1 object", "sparse, 50 objects"):
        found = by_contender(document, case)
        assert set(found) >= CONTENDERS
        assert len({(row["bytes"], row["digest"]) for row in found.values()}) == 1
        assert found["wirecost fresh"]["ratio"]["to"] == "protobuf fresh"
        sizes[case] = found["protobuf fresh"]["bytes"]
    # Four messages of three doubles each, nine bytes a double, are the least of an object.
    assert sizes["sparse, 50 objects"] > 50 * 4 * 3 * 9
    assert sizes["full, 50 objects"] > sizes["sparse, 50 objects"] + 50 * 3 * 3 * 9


def test_the_memory_of_a_message_is_counted(document: dict[str, Any]) -> None:
    found = by_contender(document, "full, 50 objects")
    for name in ("protobuf fresh", "wirecost fresh"):
        assert found[name]["memory_bytes"] > found[name]["bytes"]
        assert found[name]["kept_bytes"] < found[name]["memory_bytes"] / 10
    arena = found["protobuf arena"]
    assert arena["kept_bytes"] > arena["memory_bytes"] / 2


def test_the_report_shows_gains_and_losses(document: dict[str, Any], wirecost: Run) -> None:
    done = wirecost("report", document["folder"], "--format", "md,html,csv")
    assert done.returncode == 0, done.stderr
    text = (document["folder"] / "report.md").read_text()
    page = (document["folder"] / "report.html").read_text()
    for content in ("full", "sparse"):
        said = f"{content}, 1 to 50 objects, ratio of times to protobuf fresh: our classes are "
        assert said in page
        assert f"{content} · time" in text
        assert f"{content} · memory" in text
    compared = wirecost("compare", document["folder"], document["folder"])
    assert compared.returncode == 0, compared.stderr


def test_content_allocators_and_seed_are_those_asked_for(measure: Measure) -> None:
    document = measure(
        "classes", *FEW, "--objects", "5", "--content", "sparse", "--allocators",
        "glibc,glibc-tuned", "--seed", "3",
    )  # fmt: skip
    assert document["failures"] == []
    assert {row["case"] for row in document["rows"]} == {"sparse, 5 objects"}
    found = by_contender(document, "sparse, 5 objects")
    assert {name for name in found if name.startswith("wirecost")} == {
        f"wirecost {memory} {allocator}"
        for memory in ("fresh", "arena")
        for allocator in ("glibc", "glibc-tuned")
    }
    assert found["wirecost fresh glibc"]["memory_bytes"] > 0
    assert found["wirecost fresh glibc-tuned"]["memory_bytes"] is None
    samples = pl.read_parquet(document["folder"] / "samples.parquet")
    assert set(samples["process"]) == {0, 1}
