# SPDX-License-Identifier: Apache-2.0
"""Contenders in turns, in one thread, in several processes; what is read is checked first."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable

from wirecost.measure.bench.engine.program import Program
from wirecost.measure.bench.ground_truth.steps import Steps
from wirecost.observe.doctor.environment import environment
from wirecost.results.records.static import StaticRace, StaticRun
from wirecost.system import scratch
from wirecost.system.errors import UserError

PROGRAM = Program("static_once")


def race(
    steps: Steps, rounds: int, processes: int, say: Callable[[int, int, str], None]
) -> StaticRace:
    """Let all contenders send the steps, ``rounds`` times in all. Raises UserError."""
    PROGRAM.check_installed()
    sent = dict(PROGRAM.rows("list"))
    times: dict[str, list[tuple[int, float, float]]] = {}
    sizes: dict[str, float] = {}
    static: dict[str, int] = {}
    failed: dict[str, str] = {}
    count = len(steps.traffic)
    with scratch.folder("static") as folder:
        (folder / "roads").write_bytes(steps.roads)
        (folder / "traffic").write_bytes(
            b"".join(struct.pack("<I", len(one)) + one for one in steps.traffic)
        )
        for process in range(processes):
            say(process, processes, f"process {process + 1} of {processes}")
            for words in PROGRAM.rows(
                "race", "--roads", str(folder / "roads"), "--traffic", str(folder / "traffic"),
                "--rounds", str(-(-rounds // processes)), "--seed", str(process + 1),
            ):  # fmt: skip
                if words[0] == "failed":
                    failed[words[1]] = words[2]
                elif words[0] == "static":
                    static[words[1]] = int(words[2])
                elif int(words[1]):  # the first round is checked, not timed
                    name = words[0]
                    sizes[name] = int(words[2]) / count
                    times.setdefault(name, []).append(
                        (process, float(words[3]) / count, float(words[4]) / count)
                    )
    runs = [
        StaticRun(
            name=name,
            sent=sent[name],
            bytes=sizes[name],
            static_bytes=static[name],
            write_ns=[write for _, write, _ in times[name]],
            read_ns=[read for _, _, read in times[name]],
            processes=[process for process, _, _ in times[name]],
        )
        for name in sent
        if name in times and name not in failed
    ]
    if not any(run.sent == "all" for run in runs):
        raise UserError(
            f"{steps.source}: no contender could send it ({'; '.join(failed.values())})"
        )
    ((compiler, flags, *libraries),) = PROGRAM.rows("built")
    where = environment()
    lanes, boundaries, objects = steps.counts
    return StaticRace(
        about={
            "date": time.strftime("%Y-%m-%d"),
            "machine": f"{where['cpu']}, {where['usable_cores']} cores, {where['os']}",
            "compiler": compiler,
            "flags": flags,
            "libraries": ", ".join(libraries),
        },
        source=steps.source,
        lanes=lanes,
        boundaries=boundaries,
        objects=objects,
        steps=count,
        covered=steps.covered,
        runs=runs,
        failed=failed,
        changes=steps.changes,
    )
