# SPDX-License-Identifier: Apache-2.0
"""Remedies tried on a program that takes new memory from the kernel again and again."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import polars as pl

from support.programs import execute

PROGRAM_FILES = Path(__file__).parents[2] / "build/cmake"
PROGRAM = """
import ctypes
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]
libc.prctl(41, 1, 0, 0, 0)  # small pages, whatever the machine prefers
for _ in range(10):
    memory = libc.malloc(40 << 20)
    ctypes.memset(memory, 1, 40 << 20)
    libc.free(memory)
print("the same")
"""
PAGES = 10 * 10240
"""glibc gives blocks above 32 MiB back each time."""


def test_what_keeps_memory_loses_the_faults(tmp_path: Path) -> None:
    out = tmp_path / "tried"
    command = [Path(sys.executable).with_name("wirecost"), "probe", "try", "--remedies",
               "heap,malloc", "--rounds", "2", "--out", out, "--json", tmp_path / "t.json", "--",
               sys.executable, "-c", PROGRAM]  # fmt: skip
    done = execute([str(word) for word in command], timeout=120)
    assert done.returncode == 0, done.stderr
    result = json.loads((tmp_path / "t.json").read_text())
    remedies = {one["remedy"]: one for one in result["remedies"]}
    assert remedies.keys() == {"as it is", "heap", "malloc"}
    assert remedies["as it is"]["minor_faults"] > PAGES
    assert remedies["malloc"]["minor_faults"] < PAGES / 2
    assert {one["outputs"] for one in remedies.values()} == {"equal"}
    assert {(one["case"], one["remedy"]) for one in result["gains"]} == {
        ("whole program", "heap"),
        ("whole program", "malloc"),
    }
    assert result["refused"] == {}
    samples = pl.read_parquet(out / "samples.parquet")
    assert sorted(samples["remedy"].unique()) == ["as it is", "heap", "malloc"]
    assert len(samples) == 6
    assert json.loads((out / "trial.json").read_text()) == result
    assert "needs 3 rounds: --rounds 3." in done.stdout
    told = execute([str(command[0]), "report", str(out), "--tables"], timeout=60)
    assert "pool of 64" in told.stdout


def test_a_time_limit_is_no_time_of_the_program(tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("wirecost"), "probe", "try", "--remedies", "malloc",
               "--rounds", "1", "--for", "0.5s", "--out", tmp_path / "tried", "--json",
               tmp_path / "t.json", "--", "sleep", "30"]  # fmt: skip
    done = execute([str(word) for word in command], timeout=60)
    assert done.returncode == 0, done.stderr
    assert "whole program was" in done.stdout
    result = json.loads((tmp_path / "t.json").read_text())
    assert result["gains"] == []
    assert [one["processes"] for one in result["remedies"]] == [1, 1]
    assert pl.read_parquet(tmp_path / "tried" / "samples.parquet").is_empty()


def test_functions_of_a_program_without_probes_are_compared(tmp_path: Path) -> None:
    hooks = PROGRAM_FILES / "cpp/wirecost/hooks/function"
    program = PROGRAM_FILES / "tests/cpp/functions/functions_O2"
    command = [Path(sys.executable).with_name("wirecost"), "probe", "try", "--remedies", "malloc",
               "--rounds", "1", "--function", "cases::works", "--out", tmp_path / "tried",
               "--json", tmp_path / "t.json", "--", program, "calls", "200"]  # fmt: skip
    done = execute(
        [str(word) for word in command], env=os.environ | {"WIRECOST_HOOKS": str(hooks)}, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("1 function recorded") == 1
    gains = {one["case"]: one for one in json.loads((tmp_path / "t.json").read_text())["gains"]}
    assert gains["cases::works"]["count"] == 200
    assert "p99 of malloc needs 2 rounds: --rounds 2." in done.stdout


def test_a_program_that_fails_says_why(tmp_path: Path) -> None:
    command = [Path(sys.executable).with_name("wirecost"), "probe", "try", "--remedies", "malloc",
               "--rounds", "1", "--out", tmp_path / "tried", "--", "sh", "-c",
               "echo no such map >&2; exit 2"]  # fmt: skip
    done = execute([str(word) for word in command], timeout=60)
    assert done.returncode == 2
    assert "status 2" in done.stderr
    assert "no such map" in done.stderr
