# SPDX-License-Identifier: Apache-2.0
"""Two runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from support import probe_logs
from wirecost.results.analysis.compare.comparison import CompareSettings, Comparison, compare
from wirecost.results.analysis.compare.runs import ComparedRun, read_run


def compared(
    a: Path | ComparedRun, b: Path | ComparedRun, fail_above: float | None = 0.05, **options: Any
) -> Comparison:
    runs = [run if isinstance(run, ComparedRun) else read_run(run) for run in (a, b)]
    return compare(*runs, CompareSettings(0.05, fail_above), **options)


def probes(path: Path, ns: int, faults: int, name: str = "filter") -> Path:
    path.mkdir()
    content = probe_logs.header([("minor-faults", 1)], [(1, name)], dropped=5)
    for i in range(100):
        begin = 1000 * i
        content += probe_logs.record(
            i + 1, begin, begin + ns + i % 7, counted=1, counters=[faults + i % 2]
        )
    (path / "1.wprobe").write_bytes(content)
    return path
