# SPDX-License-Identifier: Apache-2.0
"""The allocators' benchmark without its programs: tails, what programs print, fair turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.engine.allocators import (
    ALLOCATORS,
    DEFAULTS,
    LOW_FAULT,
    MODES,
    Allocator,
    AllocatorContender,
)
from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Case
from wirecost.results.analysis.tail import quantile, tail_of
from wirecost.results.records.journal import Journal
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError
from wirecost_scenarios.heap import program
from wirecost_scenarios.heap.program import HeapOutput, read
from wirecost_scenarios.heap.settings import Settings
from wirecost_scenarios.heap.turns import HeapWork, run_race

GLIBC = ALLOCATORS["glibc"]
CONTENDERS = [
    AllocatorContender(allocator, mode) for allocator in ALLOCATORS.values() for mode in MODES
]


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
    estimates = [quantile(random.exponential(size=4000), share) for _ in range(400)]
    assert 0.93 <= np.mean([estimate.low <= true <= estimate.high for estimate in estimates]) <= 1.0


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
    assert AllocatorContender(GLIBC, DEFAULTS).environment(inherited) == {"HOME": "/h"}
    jemalloc = AllocatorContender(ALLOCATORS["jemalloc"], LOW_FAULT).environment(inherited)
    assert jemalloc["LD_PRELOAD"] == "libjemalloc.so.2"
    assert jemalloc["MALLOC_CONF"].startswith("dirty_decay_ms:-1")
    ours = AllocatorContender(ALLOCATORS["wirecost"], LOW_FAULT).environment(inherited)
    assert "other.so" not in ours["LD_PRELOAD"]
    tlsf = AllocatorContender(ALLOCATORS["tlsf"], LOW_FAULT).environment(inherited)
    assert tlsf["LD_PRELOAD"].endswith("libwirecost-tlsf.so")
    assert tlsf["WIRECOST_TLSF_POOL"] == str(64 << 20)
    assert ours["WIRECOST_HEAP_HUGE"] == "1"


def test_a_program_prints_result_and_rows() -> None:
    text = "allocator\t/lib/libc.so.6\t/lib/libc.so.6\nresult\tabc\n10\t0\t0\t1\n11\t2\t0\t0\n"
    assert read(GLIBC, text) == HeapOutput("abc", [(10, 0, 0, 1), (11, 2, 0, 0)])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "did not report its allocator"),
        ("result\tabc\n", "did not report its allocator"),
        ("allocator\t/lib/libjemalloc.so.2\t/lib/libc.so.6\n", "malloc of /lib/libjemalloc.so.2"),
        ("allocator\t/lib/libc.so.6\tunknown\n", "malloc of unknown"),
        ("allocator\t/lib/libc.so.6\nten\n", "no number"),
    ],
)
def test_a_program_under_another_allocator_is_refused(text: str, problem: str) -> None:
    with pytest.raises(ProgramFailedError, match=problem):
        read(GLIBC, text)


def test_an_allocator_that_is_not_installed_is_named_with_its_remedy() -> None:
    if not program.CALLBACKS.path.is_file():
        pytest.skip("the programs are not installed")
    absent = Allocator("absent", "libnosuchmalloc.so.7", "sudo apt-get install absent", ())
    assert str(program.missing(absent)).endswith(f", not {absent.file}; {absent.install}")
    assert program.missing(GLIBC) is None


def fake(outcomes: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """``program.throughput`` by the contender's key; the order of the calls."""
    calls: list[str] = []

    def throughput(contender: AllocatorContender, *_: object) -> HeapOutput:
        calls.append(contender.key)
        outcome = outcomes.get(contender.key, HeapOutput("a", [(1, 1)]))
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome  # type: ignore[no-any-return]

    monkeypatch.setattr(program, "throughput", throughput)
    return calls


def race_of(rounds: int, folder: Path) -> list[Entry[AllocatorContender]]:
    work = HeapWork("larson", 2, 100)
    entries = [work.entry(contender) for contender in CONTENDERS]
    run_race(work, Case(entries, Journal(folder), lambda *_: None), rounds)
    return entries


def test_everyone_has_a_turn_in_each_round_and_the_order_changes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = fake({}, monkeypatch)
    many = len(CONTENDERS)
    entries = race_of(many, tmp_path)
    turns = [calls[i : i + many] for i in range(many, len(calls), many)]
    assert len(set(map(tuple, turns))) > 1
    assert all(sorted(turn) == sorted(turns[0]) for turn in turns)
    assert all(entry.samples == many for entry in entries)


def test_whose_result_differs_fails_and_runs_no_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    calls = fake({"mimalloc defaults": HeapOutput("b", [(1, 1)])}, monkeypatch)
    failed = {entry.key: entry.failure for entry in race_of(2, tmp_path) if entry.failure}
    assert failed == snapshot
    assert calls.count("mimalloc defaults") == 1


def test_who_crashes_fails_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake({"glibc low-fault": ProgramFailedError("ended with -11")}, monkeypatch)
    failures = [entry.failure for entry in race_of(2, tmp_path) if entry.failure]
    assert failures == ["ended with -11"]


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
