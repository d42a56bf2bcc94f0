# SPDX-License-Identifier: Apache-2.0
"""``python -m acceptance.frame_instructions``: instructions and cache lines of a frame.

Counted by callgrind, so the same in every run. A frame of 200x200 float64 is encoded, written into
memory of its own, decoded and released. Warm: frames follow each other. Cold: the simulated caches
lose everything between two frames, as in a process that sleeps between messages; lines are then
those that came from memory. What the loop itself takes is subtracted by a run with fewer frames and
as many evictions. The floor is one copy of the same bytes.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

FEW, MANY = 20, 120
LAST_LEVEL = 1 << 20
VALGRIND = [
    "valgrind", "--tool=callgrind", "--vgdb=no", "--cache-sim=yes",
    "--I1=32768,8,64", "--D1=32768,8,64", f"--LL={LAST_LEVEL},16,64",
]  # fmt: skip
PROGRAM = """\
import gc, sys
import numpy as np
{imports}
cold, frames, turns = sys.argv[1] == "cold", int(sys.argv[2]), int(sys.argv[3])
array, memory = np.ones((200, 200)), np.zeros(400_000, np.uint8)
evicting = np.zeros(4 << 20, np.uint8)
def once(): {once}
once(); gc.collect(); gc.freeze(); gc.disable()
for turn in range(turns):
    if cold: evicting.max()
    if turn < frames: once()
"""
FRAME = """
    frame = encode(array)
    frame.write_into(memory[:frame.nbytes])
    decode(memory[:frame.nbytes])
"""
COPY = "memory[:320_000] = array.reshape(-1).view(np.uint8)"
IMPORTS = "from wirecost.tensor import decode, encode"
CONTENDERS = {
    "copy (floor)": ("", COPY, {}),
    "C++": (IMPORTS, FRAME, {}),
    "Python": (IMPORTS, FRAME, {"WIRECOST_TENSOR": "python"}),
}
_SUMMARY = re.compile(r"^summary: (.*)$", re.MULTILINE)
_EVENTS = re.compile(r"^events: (.*)$", re.MULTILINE)


def main() -> int:
    body = []
    for name, (imports, once, environment) in CONTENDERS.items():
        program = PROGRAM.format(imports=imports, once=once)
        warm, cold = (_per_frame(program, state, environment) for state in ("warm", "cold"))
        body.append([name, f"{warm['Ir']:,.0f}", f"{cold['Ir']:,.0f}",
                     f"{cold['ILmr']:,.0f}", f"{cold['DLmr'] + cold['DLmw']:,.0f}"])  # fmt: skip
    headings = ["encode, write, decode", "instructions", "cold", "lines of code", "of data"]
    notes = [
        "Per frame of 200x200 float64; a copy reads 5,000 lines and writes 5,000.",
        f"Simulated last-level cache of {LAST_LEVEL >> 20} MiB, emptied between frames where cold;"
        " the code that stays in the first level is not among the lines.",
    ]
    print_table(Console(), Table("Frames, counted", headings, body, notes))
    return 0


def _per_frame(program: str, state: str, environment: dict[str, str]) -> dict[str, float]:
    few, many = (_counted(program, state, frames, environment) for frames in (FEW, MANY))
    return {event: (many[event] - few[event]) / (MANY - FEW) for event in many}


def _counted(program: str, state: str, frames: int, environment: dict[str, str]) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        words = [sys.executable, "-c", program, state, str(frames), str(MANY)]
        subprocess.run(
            [*VALGRIND, f"--callgrind-out-file={out}", *words],
            env={**os.environ, "PYTHONHASHSEED": "0", "OPENBLAS_NUM_THREADS": "1", **environment},
            check=True, capture_output=True,
        )  # fmt: skip
        text = out.read_text(errors="replace")
    events, summary = _EVENTS.search(text), _SUMMARY.search(text)
    if events is None or summary is None:
        raise SystemExit("callgrind wrote no totals")
    return dict(zip(events[1].split(), map(int, summary[1].split()), strict=False))


if __name__ == "__main__":
    sys.exit(main())
