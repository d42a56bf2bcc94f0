# SPDX-License-Identifier: Apache-2.0
"""Wrong options of every scenario: one line says what is wrong, and nothing is left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("scenario", "options", "printed"),
    [
        ("classes", ("--objects", "0"), "--objects 0: must lie between"),
        ("classes", ("--objects", "few"), "--objects few: give whole numbers"),
        ("classes", ("--content", "empty"), "--content empty: there are full, sparse"),
        ("classes", ("--allocators", "tcmalloc"), "--allocators tcmalloc: there are glibc"),
        ("classes", ("--repetitions", "0"), "--repetitions 0: at least 1"),
        ("classes", ("--processes", "0"), "--processes 0: at least 1"),
        ("classes", ("--seed", "-1"), "--seed -1: must lie between"),
        ("cloud", ("--study", "sky"), "--study sky: there are ring, area"),
        ("cloud", ("--scan", "none.pcd"), "none.pcd: No such file"),
        ("cloud", ("--points", "0"), "--points 0: must lie between"),
        ("cloud", ("--vertices", "2"), "--vertices 2: must lie between"),
        ("cloud", ("--inside", "101"), "--inside 101: must lie between"),
        ("cloud", ("--inside", "some"), "--inside some: give percentages"),
        ("cloud", ("--samples", "0"), "--samples 0: at least 1"),
        ("cloud", ("--seconds", "0"), "--seconds 0: must be above"),
        ("cloud", ("--format", "las"), "--format las: there are aedt, radrt"),
        ("heap", ("--allocators", "tcmalloc"), "--allocators tcmalloc: there are wirecost, glibc"),
        ("heap", ("--study", "latency"), "--study latency: there are callback, throughput"),
        ("heap", ("--samples", "0"), "--samples 0: must lie between"),
        ("heap", ("--rounds", "0"), "--rounds 0: must lie between"),
        ("heap", ("--threads", "1,0"), "--threads 0: must lie between"),
        ("heap", ("--threads", "few"), "--threads few: give whole numbers"),
        ("heap", ("--pairs", "5"), "--pairs 5: must lie between"),
        ("notification", ("--sizes", "0"), "--sizes 0: must lie between"),
        ("notification", ("--sizes", "four"), "--sizes four: give whole numbers"),
        ("notification", ("--lang", "ada"), "--lang ada: there are cpp, python, java"),
        ("notification", ("--modes", "old"), "--modes old: there are"),
        ("notification", ("--content", "none"), "--content none: there are"),
        (
            "notification",
            ("--lang=python", "--modes=arena"),
            "no contender of python has mode",
        ),
        ("notification", ("--allocators", "tcmalloc"), "--allocators tcmalloc: there are glibc"),
        ("notification", ("--repetitions", "0"), "--repetitions 0: at least 1"),
        ("notification", ("--seed", "-1"), "--seed -1: must lie between"),
        ("lists", ("--list", "sonar"), "--list sonar: there are radar-reflection"),
        ("lists", ("--count", "0"), "--count 0: must lie between"),
        ("lists", ("--count", "many"), "--count many: give whole numbers"),
        ("lists", ("--repetitions", "0"), "--repetitions 0: at least 1"),
        ("lists", ("--seed", "-1"), "--seed -1: must lie between"),
        ("lists", ("--scan", "none.pcd"), "none.pcd: No such file"),
        ("lists", ("--scan", "none.pcd", "--list", "moving-object"), "--scan: fills only"),
        ("probe", ("--samples", "0"), "--samples 0: must lie between"),
        ("probe", ("--samples", "1001"), "--samples 1001: must lie between"),
    ],
)
def test_wrong_options_are_named(
    wirecost: Callable[..., subprocess.CompletedProcess[str]],
    tmp_path: Path,
    scenario: str,
    options: tuple[str, ...],
    printed: str,
) -> None:
    done = wirecost("bench", scenario, *options, "--out", tmp_path / "r")
    assert done.returncode == 2
    assert printed in done.stderr
    assert list(tmp_path.iterdir()) == []
