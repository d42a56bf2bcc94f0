# SPDX-License-Identifier: Apache-2.0
"""Times of `bench message` on a processor that other programs keep busy, in each language."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from wirecost.measure.serializers.cpp import code as cpp
from wirecost.measure.serializers.java.code import TEMPLATES as JAVA

NEIGHBOURS = 2
SPIN_MS = 400
"""Elapsed time of the action, of which its thread has a third."""
CPP = """#include <cstdio>
#include "stopwatch.hpp"
int main() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(SPIN_MS);
  const message_bench::Stopwatch stopwatch;
  while (std::chrono::steady_clock::now() < end) {}
  std::printf("%.0f", stopwatch.nanoseconds());
}
"""
JAVA_MAIN = """package wirecost.message;
final class Main {
    public static void main(String[] arguments) {
        Stopwatch stopwatch = new Stopwatch();
        long end = System.nanoTime() + SPIN_MS * 1_000_000L;
        stopwatch.start();
        while (System.nanoTime() < end) {}
        System.out.print(stopwatch.nanoseconds());
    }
}
"""


@pytest.fixture
def cpu() -> Iterator[int]:
    """Return a CPU on which other programs always want to run."""
    shared = min(os.sched_getaffinity(0))
    loop = f"import os\nos.sched_setaffinity(0, [{shared}])\nwhile True: pass"
    neighbours = [subprocess.Popen([sys.executable, "-c", loop]) for _ in range(NEIGHBOURS)]
    yield shared
    for neighbour in neighbours:
        neighbour.kill()
        neighbour.wait()


def cpp_program(folder: Path) -> list[str]:
    source = folder / "main.cpp"
    source.write_text(CPP.replace("SPIN_MS", str(SPIN_MS)))
    options = ["-std=c++20", "-I", str(cpp.TEMPLATES), "-o", str(folder / "main")]
    subprocess.run(["c++", *options, str(source)], check=True)
    return [str(folder / "main")]


def java_program(folder: Path) -> list[str]:
    (folder / "Main.java").write_text(JAVA_MAIN.replace("SPIN_MS", str(SPIN_MS)))
    sources = [str(folder / "Main.java"), str(JAVA / "Stopwatch.java")]
    subprocess.run(["javac", "-d", str(folder), *sources], check=True)
    return ["java", "-XX:+UseSerialGC", "-cp", str(folder), "wirecost.message.Main"]


@pytest.mark.parametrize("program", [cpp_program, java_program])
def test_waiting_for_a_processor_does_not_count(
    program: Callable[[Path], list[str]], cpu: int, tmp_path: Path
) -> None:
    command = program(tmp_path)
    done = subprocess.run(["taskset", "-c", str(cpu), *command], capture_output=True, check=True)
    assert 0.01 * SPIN_MS < float(done.stdout) / 1e6 < 0.75 * SPIN_MS
