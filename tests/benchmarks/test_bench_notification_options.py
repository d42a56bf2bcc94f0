# SPDX-License-Identifier: Apache-2.0
"""Options of the study notification that choose what is measured, and the Java contenders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

pytestmark = pytest.mark.thorough

Measure = Callable[..., dict[str, Any]]

SMALL = ("--content", "ticket", "--sizes", "4", "--repetitions", "4")


def test_modes_wires_processes_and_seed_are_those_asked_for(measure: Measure) -> None:
    def measured(seed: str) -> dict[str, Any]:
        choice = ("--lang", "cpp", "--modes", "reused", "--wire", "ros1")
        return measure("notification", *SMALL, *choice, "--processes", "2", "--seed", seed)

    document = measured("1")
    assert document["failures"] == []
    samples = pl.read_parquet(document["folder"] / "samples.parquet")
    assert set(samples["wire"]) == {"ros1"}
    assert all(mode.startswith("reused") for mode in samples["mode"].unique())
    assert set(samples["process"]) == {0, 1}
    (one,) = {row["digest"] for row in document["rows"]}
    (other,) = {row["digest"] for row in measured("2")["rows"]}
    assert one != other


def test_java_contenders_carry_the_messages_of_the_others(measure: Measure) -> None:
    document = measure("notification", *SMALL, "--lang", "cpp,java", "--processes", "1")
    if "java wirecost" in document["not_run"]:
        pytest.skip(document["not_run"]["java wirecost"])
    assert document["failures"] == []
    rows = [row for row in document["rows"] if row["lang"] == "java"]
    wirecost = [f"wirecost-{wire}" for wire in ("protobuf", "ros1", "cdr")]
    assert {(row["contender"], row["mode"]) for row in rows} == {
        *(("protobuf", mode) for mode in ("new", "reused", "view")),
        *((name, mode) for name in wirecost for mode in ("new", "reused")),
        ("hand-written", "new"),
    }
    stages = {"total", "fill", "encode", "decode", "read", "destroy"}
    assert {row["stage"] for row in rows} == stages
    assert {row["n"] for row in rows} == {4}
    assert len({row["digest"] for row in document["rows"]}) == 1
