# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.recordings [PYTHON]``: writes docs/results/recordings.md.

PYTHON has the other readers: rerun-sdk, mcap-ros2-support-fast, mcap-ros2-support, pybag-sdk.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from wirecost.system import scratch

from .contenders import CONTENDERS
from .files import FILES, write_file
from .page import PAGE, Measured, text

RUNS = 3
ENOUGH_MS = 3000.0
"""CPU time of a contender's readings after which it is run no more on a file."""
CONTENDER_FILE = Path(__file__).with_name("contenders.py")


def _run(python: str, contender: str, path: Path, topic: str) -> dict[str, Any] | None:
    """Return what a contender measured of itself; None where it cannot read the file."""
    command = [python, str(CONTENDER_FILE), contender, str(path), topic]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{contender}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def _measured(path: Path, name: str, others: str) -> dict[str, Measured]:
    """Run all contenders of a file in turn, several times, each in a process of its own."""
    runs: dict[str, list[dict[str, Any]]] = {}
    for _ in range(RUNS):
        for contender, (where, files) in CONTENDERS.items():
            python = sys.executable if where == "here" else others
            former = runs.get(contender)
            is_done = former is not None and (
                not former or sum(run["cpu_ms"] for run in former) > ENOUGH_MS
            )
            if not python or name not in files or is_done:
                continue
            result = _run(python, contender, path, FILES[name].topic)
            runs.setdefault(contender, []).extend([result] if result else [])
    _check(name, runs)
    return {
        contender: Measured(
            statistics.median(run["cpu_ms"] for run in results),
            max(run["cpu_ms"] for run in results) - min(run["cpu_ms"] for run in results),
        )
        for contender, results in runs.items()
        if results
    }


def _check(name: str, runs: dict[str, list[dict[str, Any]]]) -> None:
    """Leave out contenders that read another number of messages than there are."""
    for contender, results in runs.items():
        wrong = {run["count"] for run in results} - {FILES[name].messages, -1}
        if wrong:
            print(f"{name}: {contender} read {wrong} messages", file=sys.stderr)
            results.clear()


def main() -> None:
    others = sys.argv[1] if len(sys.argv) > 1 else ""
    rows: dict[str, dict[str, Measured]] = {}
    with scratch.run(), scratch.folder("recordings") as folder:
        for name in FILES:
            path = write_file(folder, name)
            rows[name] = _measured(path, name, others)
            path.unlink()
    page = text(rows)
    PAGE.write_text(page, encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
