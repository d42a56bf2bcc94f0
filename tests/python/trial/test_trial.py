# SPDX-License-Identifier: Apache-2.0
"""Remedies are told from no remedy where there is a difference, and only there."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from wirecost.observe.trial.program import run_program
from wirecost.observe.trial.remedies import fifo, huge, lock
from wirecost.observe.trial.remedy import PLAIN, Change, all_remedies, chosen_remedies, refused
from wirecost.observe.trial.turns import permitted, turns
from wirecost.results.analysis.gains import (
    MEDIAN,
    PROCESSES,
    SAMPLES,
    WHOLE,
    effects_of,
    gains_of,
    rounds_needed,
)
from wirecost.results.records.remedy_trial import Trial, TrialAbout
from wirecost.results.report.probe.remedy_gains import document, effect_table, first_answer
from wirecost.system.errors import UserError

NAMES = ["fifo", "heap", "huge", "lock", "malloc", "pin"]


def samples(factors: dict[str, float], rounds: int = 6, each: int = 200) -> pl.DataFrame:
    random = np.random.default_rng(3)
    rows = []
    for number in range(1, rounds + 1):
        for name, factor in factors.items():
            ns = factor * random.lognormal(11, 0.1, each)
            rows += [(name, number, "callback", round(time)) for time in ns]
    return pl.DataFrame(rows, SAMPLES, orient="row")


def trial(command: list[str], refused: dict[str, str] | None = None) -> Trial:
    about = TrialAbout(command=command, rounds=6, refused=refused or {})
    processes = pl.DataFrame([], PROCESSES)
    return Trial(Path("try"), pl.DataFrame([], SAMPLES), processes, about)


def test_a_gain_has_its_interval_and_no_gain_is_none() -> None:
    gains = gains_of(samples({PLAIN: 1.0, "heap": 0.6, "pin": 1.0, "fifo": 1.3}), PLAIN)
    by_remedy = {gain.remedy: gain for gain in gains}
    verdicts = {"heap": "faster", "pin": "no difference", "fifo": "slower"}
    assert {name: gain.verdict for name, gain in by_remedy.items()} == verdicts
    assert {name: gain.verdict_p99 for name, gain in by_remedy.items()} == verdicts
    low, high = by_remedy["heap"].median.ci95 or (0, 0)
    assert low < -0.4 < high
    assert high - low < 0.05
    assert by_remedy["heap"].count == 1200
    table = first_answer(trial([]), gains).table
    assert [row[0] for row in table.rows] == ["heap", "fifo"] * 2
    assert table.rows[0][4].startswith("−4")


def test_few_processes_prove_what_is_far_beyond_their_noise() -> None:
    """Of whole programs, 17.5 s and 3.05 s in three rounds; and nothing in two."""

    def gain_of(times_s: dict[str, list[float]]) -> tuple[str, int]:
        rows = [
            (name, number, WHOLE, round(1e9 * seconds))
            for name, series in times_s.items()
            for number, seconds in enumerate(series)
        ]
        (gain,) = gains_of(pl.DataFrame(rows, SAMPLES, orient="row"), PLAIN)
        return gain.verdict, rounds_needed(gain, MEDIAN, len(times_s[PLAIN])) or 0

    assert gain_of({PLAIN: [17.5, 16.9, 18.2], "heap": [3.05, 3.1, 2.9]}) == ("faster", 0)
    assert gain_of({PLAIN: [17.5, 16.9], "heap": [3.05, 3.1]}) == ("not known", 3)
    verdict, needed = gain_of({PLAIN: [17.5, 3.9, 5.2], "heap": [3.05, 15.1, 2.9]})
    assert (verdict, needed > 3) == ("not known", True)


def test_a_callback_that_is_slow_sometimes_is_judged_by_p99() -> None:
    """Every 17th call of 400 is slow; with the remedy only the first of them, in three rounds."""
    random = np.random.default_rng(3)
    rows = []
    for number in range(3):
        for name, of_slow in ((PLAIN, 17), ("heap", 400), ("pin", 17)):
            ns = random.lognormal(13, 0.02, 400)
            ns[16::of_slow] = random.lognormal(20, 0.05, len(ns[16::of_slow]))
            rows += [(name, number, "callback", round(time)) for time in ns]
    gains = gains_of(pl.DataFrame(rows, SAMPLES, orient="row"), PLAIN)
    assert [(gain.verdict, gain.verdict_p99) for gain in gains] == [
        ("no difference", "faster"),
        ("no difference", "no difference"),
    ]
    answer = first_answer(trial(["./node"]), gains)
    assert answer.sentence.startswith("callback is slow sometimes: p99 ")
    assert "p99: heap " in answer.sentence
    assert answer.steps[0].startswith("heap, p99 −99")
    assert [row[:2] for row in answer.table.rows] == [["heap", "p99"]]


def test_misses_of_a_deadline_come_first() -> None:
    random = np.random.default_rng(6)
    rows = []
    for number in range(6):
        for name, share in ((PLAIN, 0.06), ("heap", 0.0), ("pin", 0.06)):
            ns = np.where(random.random(300) < share, 9e6, random.lognormal(13, 0.02, 300))
            rows += [(name, number, "callback", round(time)) for time in ns]
        rows += [(name, number, WHOLE, 10**9) for name in (PLAIN, "heap", "pin")]
    gains = gains_of(pl.DataFrame(rows, SAMPLES, orient="row"), PLAIN, 5e6)
    of_callback = [gain for gain in gains if gain.case == "callback"]
    assert [gain.verdict_misses for gain in of_callback] == ["faster", "no difference"]
    assert all(gain.misses is None for gain in gains if gain.case == WHOLE)
    answer = first_answer(trial([]), gains)
    assert "of the calls miss the deadline" in answer.sentence
    assert "Misses: heap −100 %" in answer.sentence
    assert answer.table.rows[0][:2] == ["heap", "misses"]
    assert (answer.table.rows[0][3], answer.table.rows[0][-1]) == ("0.0 %", "fewer")
    never = gains_of(pl.DataFrame(rows, SAMPLES, orient="row"), PLAIN, 1e12)
    assert {gain.verdict_misses for gain in never if gain.misses} == {"no difference"}


@pytest.mark.parametrize("each", [1, 150])
def test_what_only_processes_differ_in_is_seldom_a_gain(each: int) -> None:
    """Of 200 trials in three rounds without any difference, about 5 % may have a verdict."""
    random = np.random.default_rng(8)
    verdicts = []
    for _ in range(200):
        rows = [
            (name, number, "callback", round(time))
            for number in range(3)
            for name in (PLAIN, "pin")
            for time in random.lognormal(12, 0.4) * random.lognormal(0, 0.3, each)
        ]
        (gain,) = gains_of(pl.DataFrame(rows, SAMPLES, orient="row"), PLAIN)
        verdicts += [gain.verdict if each == 1 else gain.verdict_p99]
    assert sum(verdict in ("faster", "slower") for verdict in verdicts) <= 20


def test_outputs_are_compared() -> None:
    rows = [
        *[(PLAIN, i, 100, 5, "a") for i in range(3)],
        *[("heap", i, 2, None, "a") for i in range(3)],
        *[("pin", i, 100, 5, "ab"[i % 2]) for i in range(3)],
    ]
    effects = effects_of(pl.DataFrame(rows, PROCESSES, orient="row"), PLAIN)
    assert [(effect.remedy, effect.minor_faults, effect.outputs) for effect in effects] == [
        (PLAIN, 100, "equal"),
        ("heap", 2, "equal"),
        ("pin", 100, "different"),
    ]
    assert effect_table(effects, {}).rows[1] == ["heap", "3", "2", "–", "equal"]
    rows += [(PLAIN, 3, 100, 5, "c")]
    effects = effects_of(pl.DataFrame(rows, PROCESSES, orient="row"), PLAIN)
    assert {effect.outputs for effect in effects} == {"varying"}
    assert document(trial([], {"fifo": "no"}), [])["refused"] == {"fifo": "no"}


def test_each_round_has_all_and_its_own_order() -> None:
    remedies = [remedy for remedy in all_remedies() if remedy.name in ("malloc", "huge")]
    plan = turns(remedies, 8)
    orders = [tuple(name for name, _, n in plan if n == number) for number in range(1, 9)]
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert len(set(orders)) > 1
    assert turns(remedies, 8) == plan


def test_the_remedies_are_those_of_the_folder() -> None:
    assert [remedy.name for remedy in all_remedies()] == NAMES
    assert [remedy.name for remedy in chosen_remedies("--remedies", "pin,heap")] == ["heap", "pin"]
    with pytest.raises(UserError, match="--remedies x: there are"):
        chosen_remedies("--remedies", "x")


def test_what_is_not_permitted_is_listed_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0})
    possible, refusals = permitted(chosen_remedies("--remedies", "fifo,malloc,pin"))
    assert [remedy.name for remedy in possible] == ["malloc"]
    assert set(refusals) == {"fifo", "pin"}
    with pytest.raises(UserError, match="none can be tried here"):
        permitted(chosen_remedies("--remedies", "pin"))


def test_reasons_say_what_would_permit_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr("resource.getrlimit", lambda _: (8 << 20, 8 << 20))
    assert "ulimit -l unlimited" in str(lock.REMEDY.refusal())
    (tmp_path / "enabled").write_text("always madvise [never]\n")
    monkeypatch.setattr(huge, "SETTING", tmp_path / "enabled")
    assert "echo madvise" in str(huge.REMEDY.refusal())
    monkeypatch.setattr(fifo, "refused", lambda _: "Operation not permitted")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert str(fifo.REMEDY.refusal()).startswith("Operation not permitted")


def test_a_refusal_of_the_kernel_leaves_no_trace() -> None:
    def fail() -> None:
        raise PermissionError(1, "x")

    assert refused(fail) == "Operation not permitted"
    assert refused(lambda: None) is None


def test_a_change_is_a_command_to_copy() -> None:
    words = ["./node", "a b"]
    change = Change(variables={"A": "1;2"}, preload=(Path("/x.so"),), cpu=1, fifo=50)
    assert change.command(words) == (
        "A='1;2' LD_PRELOAD=/x.so taskset --cpu-list 1 chrt --fifo 50 ./node 'a b'"
    )
    (heap,) = chosen_remedies("--remedies", "heap")
    assert heap.change().command(words) == "wirecost heap run --pool 64MiB -- ./node 'a b'"


def test_libraries_go_behind_those_that_are_preloaded() -> None:
    change = Change(variables={"A": "1"}, preload=(Path("/x.so"),))
    assert change.environment({"LD_PRELOAD": "/a.so /b.so"}) == {
        "A": "1",
        "LD_PRELOAD": "/a.so:/b.so:/x.so",
    }


def python(
    code: str, tmp_path: Path, change: Change, seconds: float | None = 20
) -> tuple[int, str]:
    printed = tmp_path / "printed"
    process = run_program([sys.executable, "-c", code], {"PATH": "/usr/bin:/bin"}, change, printed,
                          seconds)  # fmt: skip
    assert process.minor_faults > 0
    assert process.elapsed_ns > 0
    assert process.waited_ns is not None
    assert 0 <= process.waited_ns <= process.elapsed_ns
    return process.status, printed.read_text()


def test_a_program_runs_with_the_change(tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    code = "import os; print(os.sched_getaffinity(0), os.environ['X'])"
    changed = Change(variables={"X": "y"}, cpu=cpu)
    assert python(code, tmp_path, changed) == (0, f"{{{cpu}}} y\n")


def test_a_program_that_does_not_end_is_interrupted(tmp_path: Path) -> None:
    code = "import time\ntry: time.sleep(60)\nexcept KeyboardInterrupt: print('ended')"
    assert python(code, tmp_path, Change(), 1.0) == (0, "ended\n")


def test_allocations_are_counted_under_the_heap_too() -> None:
    """The counting library must come before the allocator that would not call it."""
    (heap,) = chosen_remedies("--remedies", "heap")
    inherited = {"LD_PRELOAD": "/a.so:/lib/libwirecost-hook-allocations.so"}
    preloaded = heap.change().environment(inherited)["LD_PRELOAD"].split(":")
    names = [Path(path).name for path in preloaded]
    assert names == ["libwirecost-hook-allocations.so", "libwirecost-heap.so", "a.so"]
