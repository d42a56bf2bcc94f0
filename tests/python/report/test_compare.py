# SPDX-License-Identifier: Apache-2.0
"""Comparisons of whole folders: what is paired, reported, warned of, and what fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.answers import first_screen
from support.comparisons import compared, probes
from support.result_folders import DATA, copied, edit_meta
from wirecost.cli import app
from wirecost.results.analysis.compare.comparison import (
    SLOWER,
    CompareSettings,
    Comparison,
    compare,
)
from wirecost.results.analysis.compare.runs import ComparedRun, read_run
from wirecost.results.records.folder import write_results
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas import replay
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.figures import comparison_figures
from wirecost.results.report.compare.first import comparison_answer
from wirecost.results.report.compare.rows import Labels, changed_first
from wirecost.results.report.shared import markdown
from wirecost.results.report.shared.page import page
from wirecost.results.report.shared.screen import SCREEN
from wirecost.system.errors import UserError

Folder = Callable[..., Path]
STAGES = ("encode", "decode", "total")
ABOUT = {"wire": "protobuf", "guarantees": "owning"}
ENVIRONMENT = {
    "cpu": "A CPU",
    "kernel": "6.1",
    "load_average": [1.0],
    "flags": {"release": "-O3"},
    "doctor": {"verdict": "warn", "load": "ok (0.3 on 2 CPUs)"},
}
BUSY = {"environment": ENVIRONMENT | {"doctor": {"load": "fail (6.50 on 2 CPUs)"}}}
ELSEWHERE = {
    "environment": {
        "cpu": "B CPU", "kernel": "6.1", "load_average": [9.0], "flags": {"release": "-O2"},
        "doctor": {"verdict": "fail", "load": "ok (1.9 on 2 CPUs)"},
    },
    "seed": 2,
    "contenders": {"protobuf": ABOUT | {"library": "protobuf 2.0"}},
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Return ``folder(name, factor=…)``: a result folder of the scenario lists.

    Its times are ``factor`` times what they are by default; the same ``seed`` gives the same
    times."""

    def make(
        name: str,
        factor: float = 1.0,
        *,
        of: str = "columns",
        n: int = 40,
        seed: int = 1,
        contenders: tuple[str, ...] = ("protobuf", "columns"),
        meta: dict[str, Any] | None = None,
        run: dict[str, Any] | None = None,
    ) -> Path:
        random = np.random.default_rng(seed)
        parts = []
        for contender in contenders:
            for stage in STAGES:
                ns = random.normal(1000, 20, n) * (factor if contender == of else 1)
                who = {
                    "case": "radar, 10 elements", "variant": "radar", "build": "release",
                    "contender": contender, "mode": "new", "wire": "protobuf", "elements": 10,
                    "stage": stage, "bytes": 120,
                }  # fmt: skip
                rows = pl.DataFrame({"repetition": range(n), "ns": ns})
                parts.append(
                    rows.with_columns(**{key: pl.lit(value) for key, value in who.items()})
                )
        runs = [
            {
                "case": "radar, 10 elements", "variant": "radar", "build": "release",
                "contender": contender, "mode": "new", "list": "radar", "elements": 10,
                "wire": "protobuf", "message_bytes": 120, "message_digest": "abc",
                "compressed_bytes": 60, "allocations": 4.0, "failure": None,
            }
            | (run if run and contender == of else {})
            for contender in contenders
        ]  # fmt: skip
        path = tmp_path / name
        path.mkdir()
        about = {
            "scenario": "lists", "created": "2026-01-01", "command": ["bench", "lists"],
            "repetitions": n, "seed": 1, "zstd_level": 3, "interrupted": False,
            "environment": ENVIRONMENT, "errors": {}, "runs": runs,
            "contenders": {c: ABOUT | {"library": f"{c} 1.0"} for c in contenders},
        }  # fmt: skip
        write_results(path, about | (meta or {}), pl.concat(parts))
        return path

    return make


def with_samples(run: Path, **columns: Any) -> ComparedRun:
    """Return the run as it would be with these columns."""
    read = read_run(run)
    return replace(read, samples=read.samples.with_columns(**columns))


def with_few(run: Path) -> ComparedRun:
    """Return the run as it would be with four samples of each row."""
    read = read_run(run)
    return replace(read, samples=read.samples.filter(pl.col("repetition") < 4))


def outputs(path: Path, digests: str, **columns: Any) -> Path:
    """Write outputs of a replay into a folder: one message for each letter, its digest."""
    content = {
        "topic": "/points", "index": list(range(len(digests))), "digest": list(digests),
        "bytes": [8] * len(digests),
    }  # fmt: skip
    pl.DataFrame(content | columns).write_parquet(path / "outputs.parquet")
    return path


def times_of_counters(folder: Folder) -> Comparison:
    runs = (
        with_samples(folder(name), **{"counter:run-queue-wait-ns": pl.lit(ns)})
        for name, ns in (("a", 2_000_000), ("b", 78_000))
    )
    return compared(*runs)


def faults(folder: Folder) -> Comparison:
    runs = (
        with_samples(
            folder(name), minor_faults=pl.when(contender="columns").then(count).otherwise(1)
        )
        for name, count in (("a", 0), ("b", 3))
    )
    return compared(*runs)


def rows_of_one_side(folder: Folder) -> Comparison:
    b = folder("b", contenders=("protobuf", "arrays"))
    edit_meta(b, lambda meta: meta["runs"].append(
        meta["runs"][0] | {"contender": "columns", "failure": "sent 3 values"}
    ))  # fmt: skip
    return compared(folder("a"), b)


def sizes_of_samples(folder: Folder) -> Comparison:
    a, b = read_run(folder("a")), with_samples(folder("b"), bytes=pl.lit(240))
    return compared(*(replace(run, meta=structs.replace(run.meta, runs=[])) for run in (a, b)))


def repetitions_of_a_process(folder: Folder) -> Comparison:
    def with_repeats(run: ComparedRun, *faults: int | None) -> ComparedRun:
        meta = read_results(DATA / "replay").meta_as(replay.ReplayMeta)
        repeats = [
            replay.Repeat(
                minor_faults=count, major_faults=None, voluntary_switches=None,
                involuntary_switches=None, played_s=1.0, sent=0, outputs=0, exit_status=None,
            )
            for count in faults
        ]  # fmt: skip
        return replace(run, meta=structs.replace(meta, repeats=repeats, runs=run.meta.runs))

    a, b = (read_run(folder(name)) for name in "ab")
    return compared(with_repeats(a, 10, 30, None), with_repeats(b, 40))


def samples_without_a_time(folder: Folder) -> Comparison:
    spoilt = pl.when(repetition=3).then(float("nan")).when(repetition=4).then(None)
    return compared(folder("a"), with_samples(folder("b"), ns=spoilt.otherwise("ns")))


def alike(folder: Folder) -> Comparison:
    stairs = 1000.0 + 20 * (pl.col("repetition") // 10)
    return compared(*(with_samples(folder(name), ns=stairs) for name in "ab"))


def slow_machine(folder: Folder, names: str) -> Comparison:
    many = tuple(names)
    slow = with_samples(folder("b", contenders=many, seed=3), ns=pl.col("ns") * 1.1)
    return compared(folder("a", contenders=many), slow)


ANSWERS: dict[str, Callable[[Folder], Comparison]] = {
    "slower": lambda of: compared(of("a"), of("b", 1.2, seed=2)),
    "slower, without a limit": lambda of: compared(of("a"), of("b", 1.2, seed=2), None),
    "faster": lambda of: compared(of("a", 1.2, seed=2), of("b")),
    "no different": lambda of: compared(of("a"), of("b"), None),
    "four samples": lambda of: compared(*[with_few(of("a"))] * 2, None),
    "five samples": lambda of: compared(of("a", n=5), of("b", n=5)),
    "single samples": lambda of: compared(of("a", n=1), of("b", 3, n=1), 0.0),
    "samples that follow one another": alike,
    "samples without a time": samples_without_a_time,
    "both on a busy machine": lambda of: compared(of("a", meta=BUSY), of("b", meta=BUSY)),
    "B on a busy machine": lambda of: compared(of("a"), of("b", meta=BUSY)),
    "another machine": lambda of: compared(of("a"), of("b", meta=ELSEWHERE)),
    "a machine that was slow as a whole": lambda of: slow_machine(of, "abcdefgh"),
    "a machine that may have been slow": lambda of: slow_machine(of, "abcd"),
    "rows of one side": rows_of_one_side,
    "other contents": lambda of: compared(of("a"), of("b", run={"message_digest": "def"})),
    "sizes and allocations": lambda of: compared(
        of("a"), of("b", run={"message_bytes": 132, "allocations": 2.0})
    ),
    "a slightly larger size": lambda of: compared(of("a"), of("b", run={"message_bytes": 121})),
    "a smaller size": lambda of: compared(of("a"), of("b", run={"message_bytes": 119})),
    "sizes of samples": sizes_of_samples,
    "counters": faults,
    "counters that are times": times_of_counters,
    "counters of a process": repetitions_of_a_process,
    "as noisy as A measured again": lambda of: compared(
        of("a"), of("b", 1.2, seed=2), again=read_run(of("again", 0.8, seed=3))
    ),
    "noisier than A measured again": lambda of: compared(
        of("a"), of("b", 1.2, seed=2), again=read_run(of("again", seed=3))
    ),
    "equal outputs": lambda of: compared(outputs(of("a"), "xyz"), outputs(of("b"), "xyz")),
    "other outputs": lambda of: compared(outputs(of("a"), "xyz"), outputs(of("b"), "xwzv")),
    "fewer outputs": lambda of: compared(outputs(of("a"), "xyz"), outputs(of("b"), "xy")),
    "no outputs": lambda of: compared(outputs(of("a"), "xyz"), of("b")),
    "outputs of repetitions that B lacks": lambda of: compared(
        outputs(of("a"), "xyxy", index=[0, 1, 0, 1], repetition=[1, 1, 2, 2]),
        outputs(of("b"), "xy", repetition=[1, 1]),
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_comparison_says(name: str, folder: Folder, snapshot: SnapshotAssertion) -> None:
    answer = comparison_answer(ANSWERS[name](folder))
    assert markdown.answer(answer, markdown.COMMENT) == snapshot


def verdicts(comparison: Comparison) -> dict[tuple[str, str], str]:
    labels = Labels(comparison)
    return {(labels(time.row), time.quantile): time.verdict for time in comparison.times}


def test_a_build_fails_only_where_the_whole_interval_lies_above(folder: Folder) -> None:
    """A slowdown of 20 % is beyond 18 % as well, but not surely so."""
    a, b = folder("a", n=10), folder("b", 1.2, n=10, seed=2)
    (time,) = [t for t in compared(a, b).times if t.row[3:5] == ("columns", "new")][:1]
    assert time.shift.ci95 is not None
    assert time.verdict == "slower"
    low = time.shift.ci95[0]
    assert low < 0.2
    for limit, fails in ((low - 0.001, True), (low + 0.001, False)):
        again = compared(a, b, limit).times
        assert [t.regression for t in again if t.row == time.row] == [fails]
    assert compared(a, b, None).regressions() == []


def test_a_folder_is_no_different_from_itself(folder: Folder) -> None:
    path = folder("a")
    same = compared(path, path, 0.0)
    assert set(verdicts(same).values()) == {"no difference"}
    assert all(time.shift.change == 0 and time.shift.p == 1 for time in same.times)
    assert (same.only_a, same.only_b, same.differences) == ([], [], [])
    assert tables.warnings(same) == []
    assert tables.environment(same) is None


def test_a_move_of_all_rows_is_the_machine_s(folder: Folder) -> None:
    many = tuple("abcdefgh")
    still = compared(folder("x", contenders=many), folder("y", contenders=many, seed=2))
    assert still.notes == []
    spoilt = pl.when(contender="a").then(pl.col("ns") * 2).otherwise(pl.col("ns") * 1.1)
    slowest = with_samples(folder("v", contenders=many, seed=3), ns=spoilt)
    moved = compared(folder("u", contenders=many), slowest)
    assert 0.1 < moved.drift["p50"] < 0.2
    who = moved.names.index("contender")
    assert {time.row[who] for time in moved.times if time.verdict == SLOWER} == {"a"}


@pytest.mark.parametrize("width", [80, 160])
def test_the_terminal_says_all_that_matters_at_any_width(
    width: int,
    folder: Folder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    long = f"wirecost {'very ' * 20}long"
    options: dict[str, Any] = {"of": long, "contenders": ("protobuf", long)}
    cpu = "AMD EPYC Processor of a very long name with sixteen cores"
    doctor = {"verdict": "fail"} | {f"check {i}": "fail (0)" for i in range(21)}
    folder("a", meta={"environment": {"cpu": cpu, "doctor": {}}}, **options)
    other = {"environment": {"cpu": f"{cpu} more", "doctor": doctor}}
    folder("b", 1.5, seed=2, meta=other, **options)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", str(width))
    assert CliRunner().invoke(app, ["compare", "a", "b"]).stdout == snapshot


@pytest.mark.parametrize("name", ANSWERS)
def test_the_first_answer_fits_one_screen(name: str, folder: Folder) -> None:
    lines = first_screen(comparison_answer(ANSWERS[name](folder))).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 80


def test_rows_are_chosen_by_their_words(folder: Folder) -> None:
    """A name is a contender's before it is that of a wire, which others have, too."""
    a, b = (read_run(folder(name, 1 + i, seed=2)) for i, name in enumerate("ab"))

    def rows(*only: str) -> set[tuple[str, str]]:
        comparison = compare(a, b, CompareSettings(only=only))
        names = [comparison.names.index(name) for name in ("contender", "stage")]
        assert {change.row for change in comparison.times} == set(comparison.samples)
        return {tuple(row[i] for i in names) for row in comparison.samples}  # type: ignore[misc]

    assert rows("protobuf encode") == {("protobuf", "encode")}
    assert rows("Protobuf · new, encode", "columns total") == {
        ("protobuf", "encode"), ("columns", "total"),
    }  # fmt: skip
    assert rows("10 decode") == {("protobuf", "decode"), ("columns", "decode")}
    with pytest.raises(UserError, match=r"protobuf read.*contender protobuf, columns"):
        rows("protobuf read")


def test_what_is_not_chosen_fails_nothing(folder: Folder) -> None:
    a, b = folder("a"), folder("b", 1.5, seed=2, run={"message_bytes": 240})
    gate = ["compare", str(a), str(b), "--fail-above", "5%"]
    statuses = {
        words: CliRunner().invoke(app, [*gate, "--only", words]).exit_code
        for words in ("protobuf", "columns encode", "total")
    }
    assert statuses == {"protobuf": 0, "columns encode": 3, "total": 3}


def test_totals_come_before_stages_and_what_is_in_use_before_others(folder: Folder) -> None:
    a, b = folder("a"), folder("b", seed=2)
    slower = pl.when(contender="columns").then(3).when(stage="encode").then(2).otherwise(1.5)
    comparison = compared(a, with_samples(b, ns=pl.col("ns") * slower))
    labels = Labels(comparison)
    rows = list(dict.fromkeys(labels(change.row) for change in changed_first(comparison)))
    assert rows[:3] == ["protobuf · total", "protobuf · encode", "protobuf · decode"]
    assert rows[3] == "columns · total"


def test_older_folders_lack_columns_and_are_compared_all_the_same(folder: Folder) -> None:
    """A column that only describes a row names nothing; one that tells rows apart does."""
    new = read_run(folder("new"))
    old = replace(new, samples=new.samples.drop("wire", "elements"))
    without = compared(old, new)
    assert (without.only_a, without.only_b) == ([], [])
    both = pl.concat([new.samples.with_columns(heap=pl.lit(heap)) for heap in (True, False)])
    old = replace(new, samples=both)
    apart = compared(old, old)
    assert "heap" in apart.names
    assert len(apart.times) == 2 * 2 * 6


def test_measurements_of_unknown_names_name_no_row(folder: Folder) -> None:
    number = pl.int_range(pl.len())
    columns = {
        "sequence": number, "value": number % 3, "begin_ns": number * 1000, "points": pl.lit(5),
    }  # fmt: skip
    a, b = folder("a", n=80), folder("b", n=80, seed=2)
    comparison = compared(with_samples(a, **columns), with_samples(b, **columns))
    assert not {"value", "begin_ns", "sequence"} & set(comparison.names)
    assert "points" in comparison.names
    assert {time.n_a for time in comparison.times} == {80}


def test_what_cannot_be_compared_is_refused(
    folder: Folder, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    a, other = folder("a"), copied("heap", tmp_path / "heap")
    damaged = {name: folder(name) for name in ("cut", "no index", "text as index")}
    (damaged["cut"] / "outputs.parquet").write_bytes(b"PAR1")
    pl.DataFrame({"topic": ["/t"]}).write_parquet(damaged["no index"] / "outputs.parquet")
    outputs(damaged["text as index"], "x", index=["first"])
    lines = [
        [other], [folder("other rows", contenders=("arrays",))],
        [folder("number as scenario", meta={"scenario": 7})], [tmp_path / "gone"],
        *([path] for path in damaged.values()),
        [a, "--margin", "much"], [a, "--fail-above", "nan"], [a, "--again", other],
        [a, "--figures", tmp_path / "figures", "--format", "gif"],
        [a, "--json", "-", "--markdown", "-"], [a, "--json", tmp_path / "no" / "file"],
        [a, "--report", tmp_path],
    ]  # fmt: skip
    refusals = {}
    for words in lines:
        done = CliRunner().invoke(app, ["compare", str(a), *map(str, words)])
        assert isinstance(done.exception, UserError), words
        refusals["compare a " + " ".join(str(w).rpartition("/")[2] for w in words)] = done.exception
    assert {line: str(error) for line, error in refusals.items()} == snapshot


def test_probe_logs_are_compared_section_by_section(tmp_path: Path) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 500, 3)
    for first, other in ((a, b), (a / "1.wprobe", b / "1.wprobe")):
        comparison = compared(first, other)
        slower = {("filter", "p50"): "slower", ("filter", "p90"): "slower"}
        assert verdicts(comparison) == slower
        (count,) = comparison.counts
        assert (count.counter, count.verdict) == ("counter:minor-faults", "more")
        assert (count.difference.a, count.difference.b) == (0.5, 3.5)
        assert len(comparison.regressions()) == 2
        assert any("5 executions dropped" in note for note in comparison.notes)
        page(comparison_answer(comparison))


def test_the_doctor_s_verdicts_beside_probe_logs_are_compared(tmp_path: Path) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 400, 0)
    for path, verdict in ((a, "ok"), (b, "fail")):
        reported = {"verdict": verdict, "checks": [{"title": "turbo", "verdict": verdict}]}
        (path / "doctor.json").write_text(json.dumps(reported))
    assert {
        difference.what: (difference.a, difference.b) for difference in compared(a, b).differences
    } == {
        "doctor verdict": ("ok", "fail"),
        "doctor turbo": ("ok", "fail"),
    }
    for damaged in ("[1]", "{", '{"checks": 3}', "[" * 100_000):
        (b / "doctor.json").write_text(damaged)
        assert {difference.b for difference in compared(a, b).differences} == {None}


def test_names_from_programs_stay_text(tmp_path: Path) -> None:
    name = "a|b<script>@me `#1` [x](y)"
    a, b = (probes(tmp_path / which, 400, 0, name) for which in "ab")
    comparison = compared(a, b)
    text = markdown.answer(comparison_answer(comparison), markdown.COMMENT)
    assert "a\\|b&lt;script>&#64;me \\`&#35;1\\` \\[x\\](y)" in text
    assert "<script>" not in text
    assert "a|b&lt;script&gt;@me" in page(comparison_answer(comparison))


def test_the_document_has_every_row_and_is_json(folder: Folder) -> None:
    a, b = folder("a"), folder("b", 1.2, seed=2, contenders=("protobuf", "columns", "arrays"))
    done = CliRunner().invoke(
        app, ["compare", str(a), str(b), "--json", "-", "--fail-above", "5", "--margin", "2"]
    )
    reported = json.loads(done.stdout)
    assert (done.exit_code, reported["failed"], reported["margin"]) == (3, True, 0.02)
    assert reported["paired"] is False
    assert reported["only_in_b"][0]["contender"] == "arrays"
    assert len(reported["rows"]) == 12
    row = next(r for r in reported["rows"] if r["contender"] == "columns" and r["stage"] == "total")
    assert row["percentile"] == "p50"
    assert (row["n_a"], row["verdict"], row["regression"]) == (40, "slower", True)
    assert row["ci95"][0] < 0.2 < row["ci95"][1]
    assert row["p"] <= row["p_adjusted"] < 0.05
    assert row["change"] == row["b_ns"] / row["a_ns"] - 1


def test_markdown_of_very_many_rows_fits_into_a_comment(folder: Folder) -> None:
    many = tuple(f"{'a long name ' * 20}{i:04}" for i in range(120))
    comparison = compared(
        folder("a", contenders=many, n=6), folder("b", contenders=many, n=6, seed=2)
    )
    text = markdown.answer(comparison_answer(comparison), markdown.COMMENT)
    assert len(text) <= markdown.COMMENT
    assert "310 more " in text


def test_figures_show_both_runs(folder: Folder) -> None:
    many = ("protobuf", "columns", "arrays")
    comparison = compared(folder("a", contenders=many), folder("b", 1.5, contenders=many, seed=2))
    figures = {figure.name: figure.chart.to_dict() for figure in comparison_figures(comparison)}
    assert list(figures) == [
        "changes", "spreads", *(f"distribution-{i}" for i in range(1, 7)), "medians",
    ]  # fmt: skip
    boxes = figures["spreads"]["data"]["values"]
    medians = {(b["row"], b["run"]): b["median"] for b in boxes}
    assert medians["columns · total", "A"] == pytest.approx(1)
    assert medians["columns · total", "B"] == pytest.approx(1.5, rel=0.05)
    tail = figures["distribution-1"]["data"]["values"]
    assert {point["run"] for point in tail} == {"A", "B"}
    assert max(point["beyond"] for point in tail) == 1
