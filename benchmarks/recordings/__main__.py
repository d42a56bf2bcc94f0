# SPDX-License-Identifier: Apache-2.0
"""``python -m benchmarks.recordings [PYTHON]``: writes docs/results/recordings.md.

PYTHON has the other readers: rerun-sdk, mcap-ros2-support-fast, mcap-ros2-support.
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
from .page import write_page

RUNS = 7
CONTENDER_FILE = Path(__file__).with_name("contenders.py")


def _measured(python: str, contender: str, path: Path, topic: str) -> dict[str, Any] | None:
    """Return what a contender measured of itself; None where it cannot read the file."""
    command = [python, str(CONTENDER_FILE), contender, str(path), topic]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{contender}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def main() -> None:
    """Run all contenders of a file in turn, several times, each in a process of its own."""
    others = sys.argv[1] if len(sys.argv) > 1 else ""
    rows: dict[str, dict[str, dict[str, float]]] = {}
    with scratch.run(), scratch.folder("recordings") as folder:
        for name in FILES:
            path = write_file(folder, name)
            runs: dict[str, list[dict[str, Any]]] = {}
            for _ in range(RUNS):
                for contender, (where, files) in CONTENDERS.items():
                    python = sys.executable if where == "here" else others
                    if not python or name not in files or runs.get(contender) == []:
                        continue
                    result = _measured(python, contender, path, FILES[name].topic)
                    runs.setdefault(contender, []).extend([result] if result else [])
            _check(name, runs)
            rows[name] = {
                contender: {
                    "cpu_ms": statistics.median(run["cpu_ms"] for run in measured),
                    "spread_ms": max(run["cpu_ms"] for run in measured)
                    - min(run["cpu_ms"] for run in measured),
                    "wall_ms": statistics.median(run["wall_ms"] for run in measured),
                    "peak_mb": max(run["peak_mb"] for run in measured),
                }
                for contender, measured in runs.items()
                if measured
            }
            path.unlink()
    write_page(rows)


def _check(name: str, runs: dict[str, list[dict[str, Any]]]) -> None:
    """Leave out contenders that read another number of messages than there are."""
    for contender, measured in runs.items():
        wrong = {run["count"] for run in measured} - {FILES[name].messages, -1}
        if wrong:
            print(f"{name}: {contender} read {wrong} messages", file=sys.stderr)
            measured.clear()


if __name__ == "__main__":
    main()
