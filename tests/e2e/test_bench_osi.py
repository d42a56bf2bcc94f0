# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench osi`` over real FMUs: sizes to the byte, equal work, whole documents."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.engine.allocators import ALLOCATORS, check_loaded
from wirecost.measure.bench.engine.program import SCHEMAS
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.worker import OsiWorker
from wirecost.measure.bench.osi.worker_process import Assignment
from wirecost.results.records.stages import STAGES
from wirecost.system.children import ProgramFailedError
from wirecost_scenarios.heap.program import missing

Bench = Callable[..., dict[str, Any]]
Run = Callable[..., "subprocess.CompletedProcess[str]"]

PUBLISHED_SIZES = {
    ("flatbuffers-table", "829,440 reflections, 10 objects"): 23_226_752,
    ("flatbuffers-table", "0 reflections, 10 objects"): 2_432,
    ("flatbuffers-table", "0 reflections, 200 objects"): 41_192,
    ("flatbuffers-table", "0 reflections, 500 objects"): 102_392,
    ("protobuf", "0 reflections, 10 objects"): 2_156,
    ("protobuf", "0 reflections, 200 objects"): 41_379,
    ("protobuf", "0 reflections, 500 objects"): 103_479,
}


def total(document: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (row["contender"], row["case"]): row for row in document["rows"] if row["stage"] == "total"
    }


def test_published_messages_have_the_published_sizes(bench: Bench, tmp_path: Path) -> None:
    options = ("--variant", "published", "--content", "report", "--steps", "2")
    pair = ("--contenders", "protobuf,flatbuffers-table")
    objects = bench(
        tmp_path / "a", *options, *pair, "--reflections", "0", "--objects", "10,200,500"
    )
    full = bench(tmp_path / "b", *options, "--contenders", "flatbuffers-table")
    sizes = {key: row["bytes"] for key, row in (total(objects) | total(full)).items()}
    assert {key: sizes.get(key) for key in PUBLISHED_SIZES} == PUBLISHED_SIZES


BEST = {"protobuf", "protobuf-arena", "protobuf-reuse", "protobuf-reuse wirecost"}
DEFAULT_SET = {
    "protobuf",
    "protobuf-arena",
    "protobuf-reuse",
    "protobuf-view",
    "flatbuffers-table",
    "flatbuffers-table-verified",
    "flatbuffers-object",
    "flatbuffers-struct",
    "columns",
    "arrays",
}


@pytest.fixture(scope="module")
def everyone(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return a run of all contenders over FMI 2, those outside the default set among them."""
    out = tmp_path_factory.mktemp("everyone") / "r"
    return bench(out, "--contenders", "all", "--reflections", "20000", "--steps", "4")


def test_all_contenders_do_the_same_work(everyone: dict[str, Any]) -> None:
    assert everyone["failures"] == []
    assert not {row["contender"] for row in everyone["rows"]} & set(Registry().rivals)
    rows = [row for row in everyone["rows"] if row["contender"] in DEFAULT_SET]
    assert {row["contender"] for row in rows} == DEFAULT_SET
    check_same_work(rows, fmi=2)


def test_the_default_set_does_the_same_work_over_fmi_3(bench: Bench, tmp_path: Path) -> None:
    document = bench(tmp_path / "r", "--reflections", "2000", "--steps", "4", "--fmi", "3")
    assert document["failures"] == []
    assert {row["contender"] for row in document["rows"]} == DEFAULT_SET
    check_same_work(document["rows"], fmi=3)


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_a_sensor_can_read_all(bench: Bench, tmp_path: Path, fmi: str) -> None:
    document = bench(
        tmp_path / "r", "--contenders", "all", "--reflections", "9000", "--steps", "2",
        "--read", "sampled,all", "--content", "distinct", "--fmi", fmi,
    )  # fmt: skip
    assert document["failures"] == []
    name = "9,000 reflections, 10 objects"
    assert {row["case"] for row in document["rows"]} == {name, f"{name}, all read"}
    digests = {row["digest"] for row in document["rows"] if row["contender"] in DEFAULT_SET}
    assert len(digests) == 2  # of the sensor view and the sensor data, whatever is read


def test_pages_of_memory_can_be_small(bench: Bench, tmp_path: Path) -> None:
    document = bench(
        tmp_path / "r", "--contenders", "columns", "--reflections", "300000", "--steps", "2",
        "--pages", "huge,small",
    )  # fmt: skip
    assert document["failures"] == []
    name = "300,000 reflections, 10 objects"
    assert {row["case"] for row in document["rows"]} == {name, f"{name}, small pages"}


@pytest.mark.parametrize("small", [False, True])
def test_the_kernel_denies_huge_pages_to_a_worker(small: bool, tmp_path: Path) -> None:
    registry = Registry()
    fmus = registry.contenders["columns"].fmus
    assignment = Assignment(
        registry.archive(fmus, "source", 2, "release"),
        registry.archive(fmus, "sensor", 2, "release"),
        registry.contenders["columns"].wire,
        SCHEMAS / registry.contenders["columns"].schema,
        {"reflections": 300_000, "log_folder": str(tmp_path)},
        {"log_folder": str(tmp_path)},
        small_pages=small,
    )
    worker = OsiWorker(assignment)
    try:
        worker.ready()
        worker.calibrate()
        rollup = Path(f"/proc/{worker.pid}/smaps_rollup").read_text()
    finally:
        worker.close()
    huge = next(line for line in rollup.splitlines() if line.startswith("AnonHugePages"))
    kernel = Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    assert (int(huge.split()[1]) > 4096) == ("[never]" not in kernel and not small)


def check_same_work(rows: list[dict[str, Any]], fmi: int) -> None:
    assert {row["n"] for row in rows} == {4}
    for stage in STAGES:
        assert len({row["digest"] for row in rows if row["stage"] == stage}) == 1
    assert {row["fmi"] for row in rows} == {fmi}
    for row in rows:
        low, high = row["ci95_ns"]
        assert low <= row["median_ns"] <= high
        assert row["ratio"]["to"] == "protobuf"
        assert row["ratio_best"]["to"] in BEST
        assert row["ratio_sceptic"]["to"] == "protobuf-view"


def test_contenders_run_under_the_allocators_asked_for(bench: Bench, tmp_path: Path) -> None:
    for name in ("jemalloc", "mimalloc"):
        if missing(ALLOCATORS[name]):
            pytest.skip(f"{name} is not installed: {ALLOCATORS[name].install}")
    out = tmp_path / "r"
    document = bench(
        out, "--contenders", "protobuf,columns", "--reflections", "100", "--steps", "2",
        "--allocators", "glibc,jemalloc,mimalloc,wirecost",
    )  # fmt: skip
    names = {(row["contender"], row["mode"]) for row in document["rows"]}
    under = ("glibc", "jemalloc", "mimalloc", "wirecost")
    assert names == {(name, mode) for name in ("protobuf", "columns") for mode in under}
    assert {row["ratio"]["to"] for row in document["rows"]} == {"protobuf glibc"}
    runs = json.loads((out / "meta.json").read_text())["runs"]
    for run in runs:
        allocator = ALLOCATORS[run["mode"]]
        assert Path(run["malloc"]).name.startswith(allocator.file)


def test_an_allocator_that_is_not_there_says_what_to_install() -> None:
    with pytest.raises(ProgramFailedError, match=r"malloc of /lib/libc.so.6, .*; sudo apt-get"):
        check_loaded(ALLOCATORS["jemalloc"], "/lib/libc.so.6")


def test_the_contenders_beside_the_default_set(everyone: dict[str, Any]) -> None:
    views, datas = (
        {
            row["contender"]: (row["bytes"], row["digest"])
            for row in everyone["rows"]
            if row["stage"] == stage
        }
        for stage in ("source_serialization", "model_serialization")
    )
    assert views["columns"][1] == views["protobuf"][1] == views["columns-also-rows"][1]
    assert views["columns-reduced"][1] != views["columns"][1]
    assert views["columns"][0] < 20_000 * 16 + 5_000
    assert views["columns-reduced"][0] < 20_000 * 5 + 5_000
    assert views["columns-also-rows"][0] > views["columns"][0] + views["protobuf"][0] - 5_000
    assert datas["columns"][1] == datas["protobuf"][1]
    assert datas["columns-to-old"][1] != datas["protobuf"][1]  # it sees no reflections
    assert datas["also-rows-to-old"] == datas["protobuf"]


def test_a_trace_player_in_the_place_of_the_source(
    bench: Bench, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    options = ("--reflections", "1000", "--steps", "3")
    document = bench(tmp_path / "r", *options, "--player")
    assert document["failures"] == []
    digests = {row["digest"] for row in document["rows"] if row["stage"] == "source"}
    assert len(digests) == 1
    assert {row["case"] for row in document["rows"]} == snapshot
    source = bench(tmp_path / "s", *options, "--contenders", "protobuf")
    assert digests == {row["digest"] for row in source["rows"] if row["stage"] == "source"}


def test_a_recorded_trace_is_played_in_rows_and_in_columns(
    bench: Bench, wirecost: Run, tmp_path: Path
) -> None:
    data = Path(os.environ.get("WIRECOST_DATA", "../shared/data"))
    traces = sorted((data / "osi" / "openmsl").glob("*.osi"))
    if not traces:
        pytest.skip(f"no trace in {data}; set WIRECOST_DATA")
    document = bench(tmp_path / "r", "--trace", str(traces[0]), "--steps", "3")
    assert document["failures"] == []
    assert {row["contender"] for row in document["rows"]} == {
        "protobuf",
        "protobuf-arena",
        "protobuf-reuse",
        "protobuf-view",
        "columns",
    }
    done = wirecost("bench", "osi", "--trace", tmp_path / "none.osi")
    assert done.returncode == 2 and "none.osi" in done.stderr and done.stderr.count("\n") == 1


def test_stages_add_up(bench: Bench, tmp_path: Path) -> None:
    document = bench(
        tmp_path / "r", "--reflections", "100", "--steps", "1", "--contenders", "protobuf"
    )
    ns = {row["stage"]: row["median_ns"] for row in document["rows"]}
    assert list(ns) == list(STAGES)
    assert ns["source"] == ns["source_generation"] + ns["source_serialization"]
    assert ns["total"] == ns["source"] + ns["transfer"] + ns["model"] + ns["release"]


def test_a_seed_changes_the_content_and_nothing_else_does(bench: Bench, tmp_path: Path) -> None:
    def digest(name: str, *options: str) -> str:
        common = ("--reflections", "50", "--steps", "1", "--contenders", "flatbuffers-struct")
        document = bench(tmp_path / name, *common, *options)
        return str(document["rows"][0]["digest"])

    first = digest("a")
    assert first == digest("b", "--seed", "1")
    assert first != digest("c", "--seed", "2")


def test_each_contender_runs_in_as_many_processes_as_asked_for(
    bench: Bench, tmp_path: Path
) -> None:
    few = ("--reflections", "10", "--steps", "6", "--contenders", "arrays", "--processes", "3")
    document = bench(tmp_path / "r", *few)
    assert document["failures"] == []
    samples = pl.read_parquet(tmp_path / "r" / "samples.parquet")
    assert set(samples["process"]) == {0, 1, 2}


def test_interrupting_keeps_the_samples(tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("wirecost")
    out = tmp_path / "r"
    process = subprocess.Popen(
        [program, "bench", "osi", "--out", out, "--steps", "100000", "--reflections", "1000",
         "--contenders", "protobuf,columns", "--processes", "2"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "200"},  # a line of progress is not broken
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:  # until all workers are up and in their turns
        if "starting process" not in line and not line.rstrip().endswith(": verifying"):
            break
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Traceback" not in complaints
    assert "interrupted by SIGINT; " in complaints
    assert (out / "samples.parquet").is_file()
    assert (out / "report.html").is_file()
