# SPDX-License-Identifier: Apache-2.0
"""Gains by remedies: a verdict on the tail of its own, and how much more to measure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from support.answers import first_screen
from wirecost.cli.report import command as report
from wirecost.results.analysis.compare.counters import mean_difference
from wirecost.results.analysis.compare.quantiles import Shift, TooFew, shift
from wirecost.results.analysis.gains import (
    MEDIAN,
    P99,
    PROCESSES,
    SAMPLES,
    WHOLE,
    Gain,
    gains_of,
    judged,
    rounds_needed,
)
from wirecost.results.records.remedy_trial import Trial, TrialAbout, begin_trial, end_trial
from wirecost.results.records.result_folders import measured_in
from wirecost.results.report.probe.remedy_gains import cases_of, document, doubts, first_answer
from wirecost.results.report.probe.trial_figure import gain_figure
from wirecost.system.errors import UserError

SAME = Shift(100.0, 95.0, -0.05, (-0.1, 0.01), 0.3)
TAIL = Shift(100.0, 20.0, -0.8, (-0.86, -0.73), 1e-4)
LONGER = replace(TAIL, b=200.0, change=1.0, ci95=(0.5, 2.0))
NOISY = Shift(900.0, 850.0, -0.06, (-0.97, 16.4), 1.0)
LACKING = Shift(900.0, 100.0, -0.9, None, None, "n too small", TooFew(368, 149, 300, 6))
WIDTH, SCREEN = 80, 24


def trial(rounds: int = 6) -> Trial:
    about = TrialAbout(
        command=["./node", "--fast"],
        rounds=rounds,
        refused={"lock": "at most 8 MiB may be locked"},
        remedies_about={"heap": "wirecost heap, a pool of 64 MiB"},
        commands={"heap": "wirecost heap run --pool 64MiB -- ./node --fast"},
    )
    processes = pl.DataFrame(
        [("as it is", 1, 5, 1, "a"), ("heap", 1, 5, 1, "a"), ("pin", 1, 5, 1, "b")],
        PROCESSES,
        orient="row",
    )
    return Trial(Path("try"), pl.DataFrame([], SAMPLES), processes, about)


def gain(remedy: str, median: Shift, p99: Shift, count: int = 600) -> Gain:
    return Gain("callback", remedy, count, median, p99)


def test_a_tail_that_alone_became_shorter_is_a_verdict() -> None:
    (judged_gain,) = judged([gain("fifo", SAME, TAIL)])
    assert (judged_gain.verdict, judged_gain.verdict_p99) == ("no difference", "faster")
    assert document(trial(), [judged_gain])["gains"][0]["verdict_p99"] == "faster"
    (judged_gain,) = judged([gain("fifo", TAIL, LONGER)])
    assert (judged_gain.verdict, judged_gain.verdict_p99) == ("faster", "slower")


def test_a_tail_without_enough_is_no_verdict() -> None:
    by_chance = replace(TAIL, p=0.2)
    for p99, count in ((by_chance, 600), (TAIL, 90), (LACKING, 600), (NOISY, 600)):
        (judged_gain,) = judged([gain("a", SAME, p99, count)])
        assert (judged_gain.verdict, judged_gain.verdict_p99) == ("no difference", "not known")


def test_rounds_that_a_verdict_needs() -> None:
    """Nobody would wait for the 124 rounds of the second one."""
    gains = judged([gain("a", SAME, LACKING), gain("b", SAME, NOISY), gain("c", SAME, TAIL)])
    assert [rounds_needed(judged_gain, P99, 6) for judged_gain in gains] == [15, None, None]
    assert rounds_needed(gains[0], MEDIAN, 6) is None


def test_the_answer_of_a_trial_is_a_screen(snapshot: SnapshotAssertion) -> None:
    """p99 is what is long, so it comes first; what is not known says how many rounds it needs."""
    long_tail = replace(TAIL, a=900.0, b=110.0)
    gains = judged(
        [
            gain("fifo", SAME, LACKING),
            gain("heap", SAME, long_tail),
            gain("huge", TAIL, long_tail),
            *(gain(f"remedy {number}", SAME, replace(SAME, a=900.0)) for number in range(4)),
        ]
    )
    answer = replace(first_answer(trial(), gains), doubts=doubts(trial(), gains), more="More: …")
    lines = first_screen(answer).splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= WIDTH
    assert lines == snapshot


def test_without_a_gain_the_cause_is_looked_for() -> None:
    answer = first_answer(trial(), judged([gain("heap", SAME, SAME)]))
    assert answer.sentence.endswith("Median: no difference. p99: no difference.")
    assert [step.partition("\n")[2] for step in answer.steps] == [
        "wirecost probe run -- ./node --fast"
    ]


@pytest.mark.parametrize(
    ("case", "step"),
    [
        ("plan", "To find the cause:\nwirecost probe run --function plan --for 9s -- ./node.py"),
        (
            WHOLE,
            "To compare its functions instead of the whole program:\nwirecost probe try "
            "--function plan --function 'node:*' --for 9s -- ./node.py",
        ),
    ],
)
def test_the_next_command_has_the_options_of_the_trial(case: str, step: str) -> None:
    about = TrialAbout(command=["./node.py"], functions=["plan"], options=["--for", "9s"])
    gains = judged([replace(gain("heap", SAME, SAME), case=case)])
    assert first_answer(replace(trial(), about=about), gains).steps == [step]


def test_small_shares_of_misses_show_their_change() -> None:
    misses = Shift(0.0104, 0.0025, -0.76, (-0.8, -0.7), 1e-4)
    (judged_gain,) = judged([replace(gain("heap", SAME, SAME), misses=misses)])
    answer = first_answer(trial(), [judged_gain])
    assert answer.table.rows[0][:5] == [
        "heap",
        "misses",
        "1.04 %",
        "0.25 %",
        "−76.0 % [−80.0, −70.0]",
    ]
    assert answer.sentence.startswith("callback: 1.04 % of the calls miss the deadline")


def test_what_waited_less_for_others_comes_behind_what_did_not() -> None:
    """On a busy machine a real-time priority gains most, on an idle one nothing."""
    long_tail = replace(TAIL, a=900.0, b=300.0, change=-0.67)
    gains = judged([gain("fifo", SAME, replace(long_tail, b=100.0, change=-0.9)),
                    gain("heap", SAME, long_tail)])  # fmt: skip
    waited = {"as it is": 0.3, "fifo": 0.01, "heap": 0.29}
    for shares, order in ((waited, ["heap", "fifo"]), ({}, ["fifo", "heap"])):
        about = TrialAbout(command=["./node"], waited=shares, prices={"heap": "holds 64 MiB"})
        disturbed = replace(trial(), about=about)
        answer = first_answer(disturbed, gains)
        assert [row[0] for row in answer.table.rows] == order
        assert [step.split(",")[0] for step in answer.steps] == order
        assert any("(holds 64 MiB)" in step for step in answer.steps)
        lines = [line for line, _ in doubts(disturbed, gains) if "waited for a CPU" in line]
        assert len(lines) == bool(shares)
        if lines:
            assert "30.0 % of its time as it is, 1.0 % with fifo" in lines[0]


def test_what_makes_misses_fewer_is_advised_and_nothing_else() -> None:
    fewer = Shift(0.06, 0.0025, -0.96, (-0.98, -0.9), 1e-4)
    same = Shift(0.06, 0.06, 0.0, (-0.01, 0.01), 1.0)
    gains = judged(
        [
            replace(gain("fifo", SAME, TAIL), misses=same),
            replace(gain("malloc", SAME, TAIL), misses=fewer, only_first=True),
        ]
    )
    assert [step.split(",")[0] for step in first_answer(trial(), gains).steps] == ["malloc"]
    assert any("malloc only the first call" in line for line, _ in doubts(trial(), gains))


def test_rows_of_no_difference_are_counted_beside_others() -> None:
    gains = judged([gain("fifo", SAME, TAIL), gain("heap", SAME, SAME)])
    table = first_answer(trial(), gains).table
    assert [row[:2] for row in table.rows] == [["fifo", "p99"]]
    assert any("3 rows" in note for note in table.notes)
    assert len(first_answer(trial(), gains[1:]).table.rows) == 2


def test_the_case_that_took_most_time_is_first() -> None:
    cases = [
        Gain(name, "heap", 600, SAME, SAME, total_ns=total_ns)
        for name, total_ns in ((WHOLE, 9.0), ("small", 1.0), ("large", 5.0))
    ]
    assert [of_case[0].case for of_case in cases_of(cases)] == ["large", "small", WHOLE]


def test_a_folder_is_read_listed_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also one of an earlier version, which lacks what each remedy is."""
    samples = pl.DataFrame(
        [
            (remedy, number, "callback", 1000 * factor + i)
            for number in range(1, 7)
            for remedy, factor in (("as it is", 10), ("heap", 2))
            for i in range(100)
        ],
        SAMPLES,
        orient="row",
    )
    of_processes = trial().processes
    for name, about in (("new", trial().about), ("old", TrialAbout(command=["./node"], rounds=6))):
        folder = tmp_path / name
        folder.mkdir()
        measured = Trial(folder, samples, of_processes, about)
        end_trial(folder, measured, document(measured, gains_of(samples, about.plain)))
        report(folder, tables=True)
        assert "faster" in capsys.readouterr().out
        report(folder)
        assert capsys.readouterr().out.split() == [str(folder / "report.html")]
        page = (folder / "report.html").read_text()
        assert "callback: median 10.0 µs. Median: heap" in page
        assert page.index('class="lead answer"') < page.index("<figure") < page.index("<table")
        with pytest.raises(UserError, match="--format svg: of a trial"):
            report(folder, format_="svg")
    assert [run.scenario for run in measured_in(tmp_path)] == ["try", "try"]
    begin_trial(tmp_path / "new")
    assert sum(run.interrupted for run in measured_in(tmp_path)) == 1
    with pytest.raises(UserError, match="was interrupted"):
        report(tmp_path / "new")


def test_an_interval_contains_its_change_where_samples_leave_a_gap() -> None:
    """p99 lies between two samples far apart: any value of the gap is one."""
    processes = np.repeat(np.arange(6), 100)
    for seed in range(5):
        random = np.random.default_rng(seed)
        a, b = random.normal(30e3, 100, 600), random.normal(30e3, 100, 600)
        a[random.permutation(600)[:6]] = 6e5 + random.normal(0, 1e4, 6)
        b[random.permutation(600)[:5]] = 6e5 + random.normal(0, 1e4, 5)
        difference = shift(a, b, 0.99, (processes, processes))
        if difference.ci95 is not None:
            assert difference.change is not None
            assert difference.ci95[0] <= difference.change <= difference.ci95[1]


@pytest.mark.parametrize("count", [1, 6])
def test_nothing_counts_less_than_none(count: int) -> None:
    """Times waited, of a few executions nearly all: 99 % less, and never 147 % less."""
    random = np.random.default_rng(5)
    processes = np.repeat(np.arange(count), 60 // count)
    a = random.lognormal(15, 1.5, 60) * np.repeat(random.lognormal(0, 1, count), 60 // count)
    b = 0.013 * random.lognormal(15, 1.5, 60)
    difference = mean_difference(a, b, (processes, processes))
    assert difference.change95 is not None
    assert difference.change is not None
    assert -1 < difference.change95[0] < difference.change < difference.change95[1]
    never = mean_difference(a, np.where(np.arange(60) == 3, 1.0, 0.0), (processes, processes))
    assert never.change95 is not None
    assert never.change95[0] >= -1


def test_the_figure_has_the_changes_that_have_an_interval() -> None:
    shift = Shift(100.0, 20.0, -0.8, (-0.9, -0.7), 0.01)
    unknown = Shift(100.0, 20.0, -0.8, None, None)
    gains = [Gain("callback", "heap", 10_000, shift, unknown, total_ns=1.0)]
    figure = gain_figure(gains)
    assert figure is not None
    (panel,) = figure.chart.to_dict()["vconcat"]
    (mark,) = panel["layer"][1]["data"]["values"]
    assert (mark["of"], mark["ratio"], mark["low"], mark["high"]) == (
        "median", pytest.approx(0.2), pytest.approx(0.1), pytest.approx(0.3),
    )  # fmt: skip
    assert gain_figure([replace(gains[0], median=unknown)]) is None
