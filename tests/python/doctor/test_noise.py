# SPDX-License-Identifier: Apache-2.0
"""Records of a spinning thread, and on whose account the doctor puts them."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import pytest
from syrupy.assertion import SnapshotAssertion

from support.doctor_trees import contents, lay_out
from wirecost import _core
from wirecost.cli.ending import Output
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.noise import measure_noise
from wirecost.results.records.recorded_machine import CpuNoise
from wirecost.results.report.doctor import noise_chart, noise_figure, noise_table
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

SPUN = SimpleNamespace(
    elapsed_ns=2_000_000_000,
    lost_ns=40_000_000,
    reads=1,
    gaps=3,
    step_ns=20,
    histogram=[0] * 11 + [2] + [0] * 13 + [1],
    longest=[(39_994_000, 500_000_000), (3_000, 0), (3_000, 9_000)],
    voluntary_switches=0,
    involuntary_switches=4,
    minor_faults=0,
)


NOISE = CpuNoise(
    cpu=3, elapsed_ns=10**9, threshold_ns=1024, step_ns=20, gaps=7, lost_ns=50_000,
    histogram=[(1024, 7)], longest=[(500_000_000, 40_000)], switches=0, waited_ns=None,
    stolen_ns=None, interrupts={}, softirqs={},
)  # fmt: skip


def test_gaps_are_counted_and_the_longest_kept() -> None:
    # A threshold of one nanosecond makes every read of the clock a gap.
    noise = _core.spin(20_000_000, 1, 50)
    assert noise.elapsed_ns >= 20_000_000
    assert noise.gaps == sum(noise.histogram) > 50
    assert len(noise.longest) == 50
    lengths = [length for length, _ in noise.longest]
    assert lengths == sorted(lengths, reverse=True)
    assert sum(lengths) <= noise.lost_ns <= noise.elapsed_ns
    assert all(0 <= start <= noise.elapsed_ns - length for length, start in noise.longest)
    assert noise.step_ns <= lengths[-1]
    top = max(power for power, count in enumerate(noise.histogram) if count)
    assert 1 << top <= lengths[0] < 2 << top


def test_nothing_below_the_threshold_is_a_gap() -> None:
    noise = _core.spin(1_000_000, sys.maxsize, 1)
    assert (noise.gaps, noise.lost_ns, noise.longest) == (0, 0, [])
    assert noise.reads > 1


@pytest.mark.parametrize(("threshold", "keep"), [(0, 1), (1, 0)])
def test_senseless_settings_are_refused(threshold: int, keep: int) -> None:
    with pytest.raises(ValueError, match="must be positive"):
        _core.spin(1, threshold, keep)


def test_the_kernels_counts_meanwhile_go_with_a_cpus_gaps(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    system = lay_out(tmp_path, contents("amd_vm_untuned"))
    write(tmp_path, local_timer=100, scheduled=7, stolen=3, waited=1_000)

    def spin(duration_ns: int, threshold_ns: int, keep: int) -> SimpleNamespace:
        assert (duration_ns, threshold_ns, keep) == (2_000_000_000, 1024, 1000)
        write(tmp_path, local_timer=600, scheduled=9, stolen=4, waited=21_001_000)
        return SPUN

    monkeypatch.setattr(_core, "spin", spin)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    [noise] = measure_noise(machine(system, "1"), 2.0)
    assert noise.interrupts == {"Local timer interrupts": 500}
    assert noise.softirqs == {"SCHED": 2}
    assert (noise.waited_ns, noise.stolen_ns, noise.switches) == (21_000_000, 10_000_000, 4)
    assert noise.histogram == [(2048, 2), (1 << 25, 1)]
    table = noise_table([noise])
    assert table.rows == [
        ["CPU 1", "3", "2 %", "40.0 ms", "4", "21.0 ms", "10.0 ms", "9.00 ms"],
    ]
    assert table.notes[1:] == snapshot


def test_what_the_kernel_does_not_tell_is_not_available(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_core, "spin", lambda *_: SPUN)
    monkeypatch.setattr(os, "sched_setaffinity", lambda *_: None)
    [noise] = measure_noise(machine(lay_out(tmp_path, {})), 1.0)
    assert (noise.waited_ns, noise.stolen_ns, noise.interrupts) == (None, None, {})
    assert noise_table([noise]).rows[0][5:7] == ["n/a", "n/a"]


@pytest.mark.parametrize("seconds", [0.0, -1.0, 3601.0, float("nan"), float("inf")])
def test_durations_that_make_no_sense_are_refused(seconds: float, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="at most 3600 seconds"):
        measure_noise(machine(lay_out(tmp_path, {})), seconds)


def test_a_cpu_that_may_not_be_used_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    with pytest.raises(UserError, match="CPU 0: Invalid argument"):
        measure_noise(machine(lay_out(tmp_path, {})), 1.0)


@pytest.mark.parametrize("suffix", [".svg", ".png", ".pdf", ".html"])
def test_the_figure_is_drawn_in_every_format(suffix: str, tmp_path: Path) -> None:
    starts = {".svg": b"<svg", ".png": b"\x89PNG", ".pdf": b"%PDF", ".html": b"<!doctype html>"}
    path = tmp_path / f"noise{suffix}"
    answer = Answer("", figures=lambda _: [noise_figure([NOISE])])
    Output(report=path).write(answer)
    drawn = path.read_bytes()
    assert drawn.strip().startswith(starts[suffix])
    assert suffix in {".png", ".pdf"} or b"CPU 3" in drawn


def test_gaps_and_histogram_reach_the_chart() -> None:
    over_time, by_length = noise_chart([NOISE]).to_dict()["vconcat"]
    assert over_time["data"]["values"] == [{"cpu": "CPU 3", "s": 0.5, "us": 40.0}]
    assert by_length["data"]["values"] == [{"cpu": "CPU 3", "us": 1.024, "count": 7}]


def write(root: Path, local_timer: int, scheduled: int, stolen: int, waited: int) -> None:
    files = {
        "proc/interrupts": f"     CPU0  CPU1\nLOC:  5  {local_timer}  Local timer interrupts\n"
        " 36:  7  9  PCI-MSIX  virtio1-req.0\n",
        "proc/softirqs": f"     CPU0  CPU1\nSCHED:  4  {scheduled}\n",
        "proc/stat": f"cpu  0 0 0 0 0 0 0 9 0 0\ncpu1 1 1 1 1 1 1 1 {stolen} 0 0\n",
        "proc/thread-self/schedstat": f"123456 {waited} 17\n",
    }
    lay_out(root, files)
