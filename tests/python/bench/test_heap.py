# SPDX-License-Identifier: Apache-2.0
"""The allocators' benchmark without its programs: tails, what programs tell, fair turns."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from wirecost.analysis.tail import quantile, tail_of
from wirecost.bench.heap import Settings, programs, race
from wirecost.bench.heap.allocators import ALLOCATORS, DEFAULTS, LOW_FAULT, MODES, Allocator
from wirecost.bench.heap.programs import ProgramFailedError, Told, read
from wirecost.bench.heap.race import Case, run_race
from wirecost.errors import UserError

GLIBC = ALLOCATORS["glibc"]
CONTENDERS = [(one, mode) for one in ALLOCATORS.values() for mode in MODES]


def test_a_quantile_is_the_least_that_the_share_does_not_exceed() -> None:
    samples = np.random.default_rng(1).permutation(np.arange(1.0, 10_001))
    far = quantile(samples, 0.999)
    assert far.value == 9990
    # Binomial(10000, 0.999) lies between 9983 and 9996 with 95 %.
    assert (far.low, far.high) == (9983, 9997)
    assert quantile(np.array([3.0]), 0.999).high == 3


@pytest.mark.parametrize("share", [0.5, 0.99, 0.999])
def test_the_interval_covers_the_true_quantile(share: float) -> None:
    random = np.random.default_rng(997)
    true = -np.log(1 - share)
    found = [quantile(random.exponential(size=4000), share) for _ in range(400)]
    assert 0.93 <= np.mean([one.low <= true <= one.high for one in found]) <= 1.0


def test_a_tail_tells_faults_and_what_switches_did() -> None:
    quiet = [(float(i), 0, 0) for i in range(1999)]
    frame = pl.DataFrame(
        [*quiet, (1e6, 3, 1)], ["ns", "minor_faults", "context_switches"], orient="row"
    )
    tail = tail_of(frame)
    assert tail is not None
    assert (tail.p999_ns, tail.undisturbed_p999_ns) == (1997, 1997)
    assert tail.p999_ci95_ns is not None
    assert tail.p999_ci95_ns[1] == 1e6
    assert (tail.undisturbed, tail.callbacks_with_faults) == (1999 / 2000, 1)
    assert tail.minor_faults == 3 / 2000
    few = tail_of(frame.head(10))
    assert few is not None
    assert few.p999_ns is None
    assert tail_of(frame.select("ns")) is None


def test_defaults_are_free_of_what_was_inherited() -> None:
    inherited = {
        "LD_PRELOAD": "other.so", "MALLOC_CONF": "x", "MIMALLOC_VERBOSE": "1",
        "GLIBC_TUNABLES": "y", "WIRECOST_HEAP_POOL": "1", "HOME": "/h",
    }  # fmt: skip
    assert GLIBC.environment(DEFAULTS, inherited) == {"HOME": "/h"}
    jemalloc = ALLOCATORS["jemalloc"].environment(LOW_FAULT, inherited)
    assert jemalloc["LD_PRELOAD"] == "libjemalloc.so.2"
    assert jemalloc["MALLOC_CONF"].startswith("dirty_decay_ms:-1")
    ours = ALLOCATORS["wirecost"].environment(LOW_FAULT, inherited)
    assert "other.so" not in ours["LD_PRELOAD"]
    assert ours["WIRECOST_HEAP_HUGE"] == "1"


def test_a_program_tells_result_and_rows() -> None:
    text = "allocator\t/lib/libc.so.6\t/lib/libc.so.6\nresult\tabc\n10\t0\t0\t1\n11\t2\t0\t0\n"
    assert read(GLIBC, text) == Told("abc", [(10, 0, 0, 1), (11, 2, 0, 0)])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "did not tell its allocator"),
        ("result\tabc\n", "did not tell its allocator"),
        ("allocator\t/lib/libjemalloc.so.2\t/lib/libc.so.6\n", "malloc of /lib/libjemalloc.so.2"),
        ("allocator\t/lib/libc.so.6\tunknown\n", "malloc of unknown"),
        ("allocator\t/lib/libc.so.6\nten\n", "no number"),
    ],
)
def test_a_program_under_another_allocator_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ProgramFailedError, match=problem):
        read(GLIBC, text)


def test_an_allocator_that_is_not_installed_is_named_with_its_remedy() -> None:
    if not (programs.PROGRAMS / "heap_callbacks").is_file():
        pytest.skip("the programs are not installed")
    absent = Allocator("absent", "libnosuchmalloc.so.7", "sudo apt-get install absent", ())
    why = programs.missing(absent)
    assert why is not None
    assert "not libnosuchmalloc.so.7; sudo apt-get install absent" in why
    assert programs.missing(GLIBC) is None


def fake(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """``programs.throughput`` by name of the contender; the order of the calls."""
    calls: list[str] = []

    def throughput(allocator: Allocator, mode: str, *_: object) -> Told:
        calls.append(f"{allocator.name} {mode}")
        found = told.get(calls[-1], Told("a", [(1, 1)]))
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[no-any-return]

    monkeypatch.setattr(programs, "throughput", throughput)
    return calls


def race_of(rounds: int) -> list[race.Lane]:
    lanes = [race.Lane(*who) for who in CONTENDERS]
    run_race(Case("larson", 2, 100), lanes, rounds, lambda *_: None, lambda: None)
    return lanes


def test_everyone_begins_a_round_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fake({}, monkeypatch)
    lanes = race_of(8)
    turns = [calls[i : i + 8] for i in range(8, len(calls), 8)]
    assert {turn[0] for turn in turns} == {lane.key for lane in lanes}
    assert all(sorted(turn) == sorted(turns[0]) for turn in turns)
    assert all(len(lane.rounds) == 8 for lane in lanes)


def test_whose_result_differs_fails_and_runs_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fake({"mimalloc defaults": Told("b", [(1, 1)])}, monkeypatch)
    failed = {lane.key: lane.failure for lane in race_of(2) if lane.failure}
    assert failed == {"mimalloc defaults": "its result b is not the others' a"}
    assert calls.count("mimalloc defaults") == 1


def test_who_crashes_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    fake({"glibc low-fault": ProgramFailedError("ended with -11")}, monkeypatch)
    assert [lane.failure for lane in race_of(2) if lane.failure] == ["ended with -11"]


def test_an_interrupt_keeps_whole_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = fake({}, monkeypatch)
    ended = 0

    def report(processes: int, _: str) -> None:
        nonlocal ended
        ended += processes
        if ended == 12:
            raise KeyboardInterrupt

    lanes = [race.Lane(*who) for who in CONTENDERS]
    kept: list[set[int]] = []
    with pytest.raises(KeyboardInterrupt):
        run_race(
            Case("larson", 2, 100),
            lanes,
            5,
            report,
            lambda: kept.append({len(lane.rounds) for lane in lanes}),
        )
    assert len(calls) == 8 + 11
    assert kept == [{1}]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (Settings(samples=0), "--samples 0"),
        (Settings(rounds=0), "--rounds 0"),
        (Settings(threads=(1, 300)), "--threads 300"),
        (Settings(pairs=10), "--pairs 10"),
    ],
)
def test_wrong_settings_are_named(settings: Settings, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        settings.check()
