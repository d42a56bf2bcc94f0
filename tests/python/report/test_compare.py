# SPDX-License-Identifier: Apache-2.0
"""Comparisons of whole folders: what is paired, reported, warned of, and what fails."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from support.comparisons import compared, probes
from support.result_folders import copied, edit_meta
from wirecost.analysis.compare.comparison import SLOWER, Comparison
from wirecost.analysis.compare.runs import Run, read_run
from wirecost.cli import app
from wirecost.errors import UserError
from wirecost.records.folder import write_results
from wirecost.report.compare import tables
from wirecost.report.compare.document import LONGEST, document, markdown
from wirecost.report.compare.figures import comparison_figures
from wirecost.report.compare.page import page
from wirecost.report.compare.rows import Labels, changed_first, headline, verdict_line

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


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """``folder(name, factor=…)``: a result folder of the scenario lists, its times ``factor`` times
    what they are by default; the same ``seed`` gives the same times."""

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
                parts.append(
                    pl.DataFrame(
                        {
                            "case": ["radar, 10 elements"] * n,
                            "variant": ["radar"] * n,
                            "build": ["release"] * n,
                            "contender": [contender] * n,
                            "mode": ["new"] * n,
                            "wire": ["protobuf"] * n,
                            "elements": [10] * n,
                            "stage": [stage] * n,
                            "repetition": list(range(n)),
                            "ns": ns,
                            "bytes": [120] * n,
                        }
                    )
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


def with_samples(run: Path, **columns: Any) -> Run:
    """As the run would be with these columns."""
    read = read_run(run)
    return replace(read, samples=read.samples.with_columns(**columns))


def verdicts(comparison: Comparison) -> dict[tuple[str, str], str]:
    labels = Labels(comparison)
    return {(labels(one.row), one.quantile): one.verdict for one in comparison.times}


def test_what_became_slower_is_reported_and_fails(folder: Folder) -> None:
    found = compared(folder("a"), folder("b", 1.2, seed=2))
    reported = verdicts(found)
    assert reported["columns · encode", "p50"] == "slower"
    assert reported["columns · total", "p90"] == "slower"
    assert reported["protobuf · encode", "p50"] == "no difference"
    assert ("columns · encode", "p99") not in reported  # 40 samples do not tell it
    assert len(found.regressions()) == 6
    assert verdict_line(found) == "6 regressions above 5 %"
    assert {one.verdict for one in changed_first(found.times)} == {"slower"}


def test_the_other_way_round_it_is_faster_and_nothing_fails(folder: Folder) -> None:
    found = compared(folder("a", 1.2, seed=2), folder("b"))
    assert verdicts(found)["columns · encode", "p50"] == "faster"
    assert found.regressions() == []
    said = verdict_line(found) or ""
    assert said.startswith("No regression above 5 %: the highest of 6 is protobuf · total p50, ")


def test_the_headline_says_what_it_comes_to(folder: Folder) -> None:
    slower = compared(folder("a"), folder("b", 1.2, seed=2), None)
    assert headline(slower).endswith(f" and 0 faster of {len(slower.times)} times")
    assert headline(compared(folder("c"), folder("d"), None)) == "No significant change"
    few = with_few(folder("e"))
    assert headline(compared(few, few, None)).startswith(
        "Nothing to conclude: 4 samples of a row at most, 6 are needed; measure both again"
    )


def with_few(run: Path) -> Run:
    """As the run would be with four samples of each row."""
    read = read_run(run)
    return replace(read, samples=read.samples.filter(pl.col("repetition") < 4))


def test_a_build_fails_only_where_the_whole_interval_lies_above(folder: Folder) -> None:
    """A slowdown of 20 % is beyond 18 % as well, but not surely so."""
    a, b = folder("a", n=10), folder("b", 1.2, n=10, seed=2)
    (one,) = [t for t in compared(a, b).times if t.row[3:5] == ("columns", "new")][:1]
    assert one.shift.ci95 is not None
    assert one.verdict == "slower"
    low = one.shift.ci95[0]
    assert low < 0.2
    for limit, fails in ((low - 0.001, True), (low + 0.001, False)):
        again = compared(a, b, limit).times
        assert [t.regression for t in again if t.row == one.row] == [fails]
    assert compared(a, b, None).regressions() == []


def test_a_folder_is_no_different_from_itself(folder: Folder) -> None:
    path = folder("a")
    found = compared(path, path, 0.0)
    assert set(verdicts(found).values()) == {"no difference"}
    assert all(one.shift.change == 0 and one.shift.p == 1 for one in found.times)
    assert (found.only_a, found.only_b, found.differences) == ([], [], [])
    assert tables.warnings(found) == []
    assert tables.environment(found) is None


def test_single_samples_have_no_interval_and_no_verdict(folder: Folder) -> None:
    found = compared(folder("a", n=1), folder("b", 3, n=1), 0.0)
    assert set(verdicts(found).values()) == {"cannot tell"}
    assert found.regressions() == []
    assert "(n too small: 6 needed, 1 there)" in markdown(found)


def test_what_cannot_be_told_is_listed_with_the_reason(folder: Folder) -> None:
    found = compared(folder("a", n=5), folder("b", n=5))
    table = tables.undecided(found)
    assert table is not None
    assert len(table.rows) == 6
    assert {row[3] for row in table.rows} == {"5, 6 needed: 1.2 times as long a run"}
    assert tables.undecided(compared(folder("c"), folder("d"))) is None
    alike = 1000.0 + 20 * (pl.col("repetition") // 10)
    runs = [with_samples(folder(name), ns=alike) for name in "ef"]
    table = tables.undecided(compared(*runs))
    assert table is not None
    assert all(" count as " in row[3] and ", 6 needed: " in row[3] for row in table.rows)
    assert table.notes[0].startswith("count as: executions that follow one another")


def test_a_busy_machine_is_warned_of(folder: Folder) -> None:
    busy = {"environment": ENVIRONMENT | {"doctor": {"load": "fail (6.50 on 2 CPUs)"}}}
    a, b, quiet = folder("a", meta=busy), folder("b", meta=busy), folder("c")
    (line,) = tables.warnings(compared(a, b))
    assert line.startswith(
        "both runs were on a busy machine (load 6.50 on 2 CPUs, then 6.50 on 2 CPUs): measure again"
    )
    (line,) = tables.warnings(compared(quiet, b))
    assert line.startswith("run B was on a busy machine (load 6.50 on 2 CPUs)")


def test_counters_that_are_times_are_printed_as_times(folder: Folder) -> None:
    a, b = (
        with_samples(folder(name), **{"counter:run-queue-wait-ns": pl.lit(ns)})
        for name, ns in (("a", 2_000_000), ("b", 78_000))
    )
    table = tables.counts(compared(a, b), every=False)
    assert table is not None
    assert table.rows[0][1:6] == [
        "run-queue-wait-ns", "2.00 ms", "78.0 µs", "−96.1 %", "[−96.1, −96.1]",
    ]  # fmt: skip


def test_differences_are_whole_on_a_narrow_terminal(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    doctor = {"verdict": "fail"} | {f"check {i}": "fail (0)" for i in range(21)}
    cpu = "AMD EPYC Processor of a very long name with sixteen cores"
    a = folder("a", meta={"environment": {"cpu": cpu, "doctor": {}}})
    b = folder("b", meta={"environment": {"cpu": f"{cpu} more", "doctor": doctor}})
    monkeypatch.setenv("COLUMNS", "80")
    lines = CliRunner().invoke(app, ["compare", str(a), str(b)]).stdout.splitlines()
    assert f"cpu: {cpu} → {cpu} more" in lines
    assert "doctor: – → fail, 22 verdicts" in lines
    assert sum("– " in line for line in lines) == 1


def test_the_result_is_said_once(folder: Folder) -> None:
    for factor, said in ((1.2, "6 slower, 0 faster"), (1.0, "No significant change: 0 slower, 0")):
        a, b = folder(f"a{factor}"), folder(f"b{factor}", factor, seed=2)
        lines = CliRunner().invoke(app, ["compare", str(a), str(b)]).stdout.splitlines()
        assert lines[-1].startswith(said)
        assert sum(" slower, " in line for line in lines) == 1


def test_rows_of_one_side_are_listed(folder: Folder) -> None:
    b = folder("b", contenders=("protobuf", "arrays"))
    edit_meta(b, lambda meta: meta["runs"].append(
        meta["runs"][0] | {"contender": "columns", "failure": "sent 3 values"}
    ))  # fmt: skip
    found = compared(folder("a"), b)
    sides = dict(tables.one_sided(found))
    assert sides["A"] == [f"columns · {stage}" for stage in STAGES]
    assert sides["B"] == [f"arrays · {stage}" for stage in STAGES]
    (note,) = found.notes
    assert note.startswith("not measured in B: radar, 10 elements · radar · release · columns")
    assert note.endswith("sent 3 values")
    assert not any(d.what.startswith("library") for d in found.differences)


def test_other_machines_versions_and_settings_are_reported(folder: Folder) -> None:
    other = {
        "cpu": "B CPU", "kernel": "6.1", "load_average": [9.0], "flags": {"release": "-O2"},
        "doctor": {"verdict": "fail", "load": "ok (1.9 on 2 CPUs)"},
    }  # fmt: skip
    libraries = {"protobuf": ABOUT | {"library": "protobuf 2.0"}}
    meta = {"environment": other, "seed": 2, "contenders": libraries}
    found = compared(folder("a"), folder("b", meta=meta))
    assert {one.what: (one.a, one.b) for one in found.differences} == {
        "cpu": ("A CPU", "B CPU"),
        "flags release": ("-O3", "-O2"),
        "doctor verdict": ("warn", "fail"),
        "library of protobuf": ("protobuf 1.0", "protobuf 2.0"),
        "seed": ("1", "2"),
    }
    assert "cpu: A CPU in A, B CPU in B" in markdown(found)


def test_other_content_is_not_the_same_work(folder: Folder) -> None:
    found = compared(folder("a"), folder("b", run={"message_digest": "def"}))
    (warning,) = tables.warnings(found)
    assert warning.startswith("1 contents differ, so not the same work was measured: radar")


def test_another_scenario_is_refused(folder: Folder, tmp_path: Path) -> None:
    a, b = folder("a"), copied("map", tmp_path / "b")
    with pytest.raises(UserError, match=r"a holds lists, .*b map: only runs of one scenario"):
        compared(a, b)
    with pytest.raises(UserError, match="no row is in both"):
        compared(a, folder("c", contenders=("arrays",)))
    with pytest.raises(UserError, match=r"\$\.scenario: Expected `str`, got `int`"):
        compared(a, folder("d", meta={"scenario": 7}))


def test_older_folders_lack_columns_and_are_compared_all_the_same(folder: Folder) -> None:
    """A column that only describes a row names nothing; one that tells rows apart does."""
    new = read_run(folder("new"))
    old = replace(new, samples=new.samples.drop("wire", "elements"))
    found = compared(old, new)
    assert (found.only_a, found.only_b) == ([], [])
    both = pl.concat([new.samples.with_columns(heap=pl.lit(heap)) for heap in (True, False)])
    old = replace(new, samples=both)
    found = compared(old, old)
    assert "heap" in found.names
    assert len(found.times) == 2 * 2 * 6


def test_sizes_and_allocations_are_compared(folder: Folder) -> None:
    found = compared(folder("a"), folder("b", run={"message_bytes": 132, "allocations": 2.0}))
    reported = {(one.what, one.verdict, one.regression) for one in found.plain if one.change}
    assert reported == {("message_bytes", "larger", True), ("allocations", "smaller", False)}
    assert verdict_line(found) == "1 regression above 5 %"
    slight = compared(folder("c"), folder("d", run={"message_bytes": 121}))
    assert {one.verdict for one in slight.plain} == {"larger", "no difference"}
    assert slight.regressions() == []
    assert compared(folder("e"), folder("f", run={"message_bytes": 119})).regressions() == []


def test_sizes_come_from_samples_where_runs_have_none(folder: Folder) -> None:
    a, b = read_run(folder("a")), with_samples(folder("b"), bytes=pl.lit(240))
    found = compared(*(replace(one, meta=one.meta | {"runs": []}) for one in (a, b)))
    assert [(one.what, one.a, one.b, one.regression) for one in found.plain] == [
        ("bytes", 120, 240, True)
    ] * 2


def test_counters_of_samples_are_compared(folder: Folder) -> None:
    a, b = (
        with_samples(
            folder(name), minor_faults=pl.when(contender="columns").then(faults).otherwise(1)
        )
        for name, faults in (("a", 0), ("b", 3))
    )
    found = compared(a, b)
    assert "minor_faults" not in found.names
    reported = {
        (Labels(found)(c.row), c.verdict) for c in found.counts if c.verdict != "no difference"
    }
    assert reported == {(f"columns · {stage}", "more") for stage in STAGES}
    assert found.regressions() == []  # reported, not judged: no share of nothing
    table = tables.counts(found, every=False)
    assert table is not None
    assert ["columns · encode", "minor_faults", "0", "3", "+3", "[+3, +3]", "more"] in table.rows


def test_samples_without_a_time_are_left_out_and_reported(folder: Folder) -> None:
    spoilt = pl.when(repetition=3).then(float("nan")).when(repetition=4).then(None)
    b = with_samples(folder("b"), ns=spoilt.otherwise("ns"))
    found = compared(folder("a"), b)
    assert {one.n_b for one in found.times} == {38}
    assert tables.warnings(found) == [f"{b.path}: 12 samples without a time left out"]


def test_a_move_of_all_rows_is_said_to_be_the_machine_s(folder: Folder) -> None:
    many = tuple("abcdefgh")
    found = compared(folder("x", contenders=many), folder("y", contenders=many, seed=2))
    assert found.notes == []
    slow = folder("z", contenders=many, seed=3)
    samples = pl.read_parquet(slow / "samples.parquet").with_columns(pl.col("ns") * 1.1)
    samples.write_parquet(slow / "samples.parquet")
    found = compared(folder("w", contenders=many), slow)
    (note,) = found.notes
    changed = re.match(r"(\d+) of (\d+) changed rows lie within what rows of the other", note)
    assert changed is not None and changed[1] == changed[2]
    assert 0.1 < found.drift["p50"] < 0.2
    assert "what rows of the other contenders moved by" in tables.method(found)
    slowest = folder("v", contenders=many, seed=3)
    spoilt = pl.when(contender="a").then(pl.col("ns") * 2).otherwise(pl.col("ns") * 1.1)
    found = compared(folder("u", contenders=many), with_samples(slowest, ns=spoilt))
    who = found.names.index("contender")
    assert {one.row[who] for one in found.times if one.verdict == SLOWER} == {"a"}


def test_few_contenders_that_move_alike_are_reported(folder: Folder) -> None:
    few = tuple("abcd")
    slow = with_samples(folder("z", contenders=few, seed=3), ns=pl.col("ns") * 1.1)
    found = compared(folder("w", contenders=few), slow)
    assert found.drift == {}
    (note,) = found.notes
    assert note.startswith("100 % of the medians moved in one direction, by +1")


def test_what_a_second_run_of_a_differs_by_is_noise(folder: Folder) -> None:
    a, b = folder("a"), folder("b", 1.2, seed=2)
    quiet, loud = read_run(folder("quiet", seed=3)), read_run(folder("loud", 0.8, seed=3))
    assert len(compared(a, b, again=quiet).regressions()) == 6
    found = compared(a, b, again=loud)
    assert found.regressions() == []
    assert found.noise["p50"] == pytest.approx(0.25, abs=0.03)
    assert "the noise between two runs of A" in tables.method(found)
    with pytest.raises(UserError, match=r"--again .*holds osi, A lists"):
        compared(a, b, again=replace(quiet, scenario="osi"))


def outputs(path: Path, digests: list[str], **columns: Any) -> None:
    content = {
        "topic": ["/points"] * len(digests), "index": list(range(len(digests))),
        "digest": digests, "bytes": [8] * len(digests),
    }  # fmt: skip
    pl.DataFrame(content | columns).write_parquet(path / "outputs.parquet")


def test_outputs_are_compared_message_by_message(folder: Folder) -> None:
    a, b = folder("a"), folder("b")
    assert compared(a, b).outputs is None
    outputs(a, ["x", "y", "z"])
    outputs(b, ["x", "y", "z"])
    (topic,) = compared(a, b).outputs or []
    assert (topic.messages_a, topic.equal, topic.first_difference) == (3, 3, None)
    outputs(b, ["x", "w", "z", "v"])
    found = compared(a, b)
    (topic,) = found.outputs or []
    assert (topic.messages_b, topic.equal) == (4, 2)
    assert topic.first_difference == "message 1: digests y and w, 8 B"
    assert "outputs differ: /points, message 1" in tables.warnings(found)[0]
    outputs(b, ["x", "y"])
    (topic,) = compared(a, b).outputs or []
    assert topic.first_difference == "message 2 only in A"
    (b / "outputs.parquet").unlink()
    (topic,) = compared(a, b).outputs or []
    assert topic.first_difference == "message 0 only in A"


def test_outputs_of_repetitions_that_one_run_lacks_are_left_out(folder: Folder) -> None:
    a, b = folder("a"), folder("b")
    outputs(a, ["x", "y"] * 2, index=[0, 1, 0, 1], repetition=[1, 1, 2, 2])
    outputs(b, ["x", "y"], repetition=[1, 1])
    (topic,) = compared(a, b).outputs or []
    assert (topic.messages_a, topic.messages_b, topic.first_difference) == (2, 2, None)


def test_what_a_process_counted_in_each_repetition_is_compared(folder: Folder) -> None:
    runs = [{"minor_faults": 10, "played_s": 1.0}, {"minor_faults": 30}, {"minor_faults": None}]
    a, b = (read_run(folder(name)) for name in "ab")
    found = compared(
        replace(a, meta=a.meta | {"repeats": runs}),
        replace(b, meta=b.meta | {"repeats": [{"minor_faults": 40}]}),
    )
    (one,) = [one for one in found.plain if "faults" in one.what]
    assert (one.what, one.a, one.b, one.verdict) == (
        "minor_faults of the process", 20, 40, "larger",
    )  # fmt: skip


def test_measurements_of_unknown_names_name_no_row(folder: Folder) -> None:
    number = pl.int_range(pl.len())
    columns = {
        "sequence": number, "value": number % 3, "begin_ns": number * 1000, "points": pl.lit(5),
    }  # fmt: skip
    a, b = folder("a", n=80), folder("b", n=80, seed=2)
    found = compared(with_samples(a, **columns), with_samples(b, **columns))
    assert not {"value", "begin_ns", "sequence"} & set(found.names)
    assert "points" in found.names
    assert {one.n_a for one in found.times} == {80}


def test_damaged_outputs_are_refused(folder: Folder) -> None:
    a, b = folder("a"), folder("b")
    (a / "outputs.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match=r"outputs\.parquet: cannot be read"):
        compared(a, b)
    pl.DataFrame({"topic": ["/t"]}).write_parquet(a / "outputs.parquet")
    with pytest.raises(UserError, match="has no column index; replay again"):
        compared(a, b)
    outputs(a, ["x"], index=["first"])
    with pytest.raises(UserError, match=r"outputs\.parquet: column index is String, not whole num"):
        compared(a, b)


def test_probe_logs_are_compared_section_by_section(tmp_path: Path) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 500, 3)
    for one, other in ((a, b), (a / "1.wprobe", b / "1.wprobe")):
        found = compared(one, other)
        reported = verdicts(found)
        assert reported == {("filter", "p50"): "slower", ("filter", "p90"): "slower"}
        (count,) = found.counts
        assert (count.counter, count.verdict) == ("counter:minor-faults", "more")
        assert (count.difference.a, count.difference.b) == (0.5, 3.5)
        assert len(found.regressions()) == 2
        assert any("5 executions dropped" in note for note in found.notes)
        page(found)


def test_the_doctor_s_verdicts_beside_probe_logs_are_compared(tmp_path: Path) -> None:
    a, b = probes(tmp_path / "a", 400, 0), probes(tmp_path / "b", 400, 0)
    for path, verdict in ((a, "ok"), (b, "fail")):
        reported = {"verdict": verdict, "checks": [{"title": "turbo", "verdict": verdict}]}
        (path / "doctor.json").write_text(json.dumps(reported))
    assert {one.what: (one.a, one.b) for one in compared(a, b).differences} == {
        "doctor verdict": ("ok", "fail"),
        "doctor turbo": ("ok", "fail"),
    }
    for damaged in ("[1]", "{", '{"checks": 3}', "[" * 100_000):
        (b / "doctor.json").write_text(damaged)
        assert {one.b for one in compared(a, b).differences} == {None}


def test_names_from_programs_stay_text(tmp_path: Path) -> None:
    name = "a|b<script>@me `#1` [x](y)"
    a, b = (probes(tmp_path / which, 400, 0, name) for which in "ab")
    found = compared(a, b)
    text = markdown(found)
    assert "a\\|b&lt;script>&#64;me \\`&#35;1\\` \\[x\\](y)" in text
    assert "<script>" not in text
    assert "a|b&lt;script&gt;@me" in page(found)


def test_the_document_has_every_row_and_is_json(folder: Folder) -> None:
    a, b = folder("a"), folder("b", 1.2, seed=2, contenders=("protobuf", "columns", "arrays"))
    reported = json.loads(json.dumps(document(compared(a, b)), allow_nan=False))
    assert reported["failed"] is True
    assert reported["paired"] is False
    assert reported["only_in_b"][0]["contender"] == "arrays"
    assert len(reported["rows"]) == 12
    row = next(r for r in reported["rows"] if r["contender"] == "columns" and r["stage"] == "total")
    assert row["percentile"] == "p50"
    assert (row["n_a"], row["verdict"], row["regression"]) == (40, "slower", True)
    assert row["ci95"][0] < 0.2 < row["ci95"][1]
    assert row["p"] <= row["p_adjusted"] < 0.05
    assert row["change"] == row["b_ns"] / row["a_ns"] - 1


def test_markdown_puts_regressions_first_and_folds_the_rest(folder: Folder) -> None:
    found = compared(folder("a"), folder("b", 1.2, seed=2))
    lines = markdown(found).splitlines()
    assert lines[0] == "### wirecost lists: 6 slower, 0 faster, 6 no difference"
    table = lines.index("| row | percentile | A | B | change \\[95 %\\] | verdict |")
    assert all(line.endswith("| REGRESSION |") for line in lines[table + 2 : table + 8])
    assert lines[lines.index("<details><summary>6 not changed</summary>") + 1] == ""


def test_markdown_of_very_many_rows_fits_into_a_comment(folder: Folder) -> None:
    many = tuple(f"{'a long name ' * 20}{i:04}" for i in range(120))
    found = compared(folder("a", contenders=many, n=6), folder("b", contenders=many, n=6, seed=2))
    assert len(markdown(found)) <= LONGEST
    assert "310 more: `--json`" in markdown(found)


def test_figures_show_both_runs(folder: Folder) -> None:
    many = ("protobuf", "columns", "arrays")
    found = compared(folder("a", contenders=many), folder("b", 1.5, contenders=many, seed=2))
    figures = {figure.name: figure.chart.to_dict() for figure in comparison_figures(found)}
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


def test_hostile_meta_is_no_crash(folder: Folder) -> None:
    strange = {
        "environment": [1, {"x": None}], "contenders": "all", "created": None,
        "runs": [7, {"contender": ["x"], "message_bytes": True, "a_digest": {"b": 1}}, {}],
        "interrupted": {"k": 3},
    }  # fmt: skip
    a, b = (read_run(folder(name)) for name in "ab")
    found = compared(
        replace(a, meta=a.meta | strange), replace(b, meta=b.meta | strange | {"runs": None})
    )
    assert len(found.times) == 12
    page(found)
    json.dumps(document(found), allow_nan=False)


def test_options_that_cannot_be_are_named(folder: Folder, tmp_path: Path) -> None:
    a, other = folder("a"), copied("map", tmp_path / "b")
    wrong: list[tuple[list[Any], str]] = [
        ([a, other], "only runs of one scenario"),
        ([a, tmp_path / "gone"], "not a result folder"),
        ([a, a, "--margin", "much"], "--margin much: give a percentage"),
        ([a, a, "--fail-above", "nan"], "--fail-above nan: give a percentage"),
        ([a, a, "--figures", tmp_path / "figures", "--format", "gif"], "--format gif"),
        ([a, a, "--json", "-", "--markdown", "-"], "name a file for one of them"),
        ([a, a, "--json", tmp_path / "no" / "file"], "name a writable --json file"),
        ([a, a, "--report", tmp_path], "name a writable --report file"),
        ([a, a, "--again", other], "--again .*name a second run of A"),
    ]
    for arguments, reported in wrong:
        done = CliRunner().invoke(app, ["compare", *map(str, arguments)])
        assert isinstance(done.exception, UserError), arguments
        assert re.search(reported, str(done.exception))
    done = CliRunner().invoke(app, ["compare", str(a), str(a), "--json", "-", "--margin", "2"])
    assert done.exit_code == 0
    assert json.loads(done.stdout)["margin"] == 0.02


def test_a_narrow_terminal_shows_every_change_and_verdict(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = f"wirecost {'very ' * 20}long"
    options: dict[str, Any] = {"of": long, "contenders": ("protobuf", long)}
    a, b = folder("a", **options), folder("b", 1.5, seed=2, **options)
    monkeypatch.setenv("COLUMNS", "80")
    done = CliRunner().invoke(app, ["compare", str(a), str(b)])
    lines = [line for line in done.stdout.splitlines() if line.startswith("wirecost very")]
    assert len(lines) == 6
    assert all(line.endswith("slower") and "…" in line and len(line) <= 80 for line in lines)
    assert {stage for stage in STAGES for line in lines if f"· {stage}" in line} == {*STAGES}
    assert {line.split()[-6] for line in lines} == {"p50", "p90"}
