# SPDX-License-Identifier: Apache-2.0
"""Compare a GroundTruth sent whole with static data sent once.

Protobuf, FlatBuffers and columns; the reader reads all objects and a lane's centre line.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.data.traces.choices import SUFFIXES, TYPES
from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench static --kilometres 100"
KILOMETRES, OBJECTS = 100, 50
"""Synthetic road, unless asked for another."""


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Content, and how often it is sent."""

    file: Path | None = option.argument(
        "[FILE]",
        f"A trace of GroundTruth or SensorView ({', '.join(SUFFIXES)}); without one, a synthetic "
        "road.",
        takes="OSI",
    )
    kilometres: int = option.setting(
        KILOMETRES,
        "Without FILE: kilometres of lanes, 10 of 100 m each.",
        check=option.within(1, 10_000),
    )
    objects: int = option.setting(
        OBJECTS, "Without FILE: moving objects.", check=option.within(1, 100_000)
    )
    rounds: int = option.setting(
        30,
        "Samples of each contender, over all processes; a sample is 16 steps.",
        check=option.within(1, 100_000),
    )
    processes: int = option.setting(
        5,
        "Number of processes, one after the other; each runs all contenders.",
        check=option.within(1, 100),
    )
    seed: int = option.seed("Seed of the contenders' order.")
    type_name: str | None = option.setting(
        None,
        "The message type, such as SensorView; default: detected.",
        "--type",
        metavar="TYPE",
        known=TYPES.values(),
    )
    topic: str | None = option.setting(
        None, "The channel, if an .mcap file has several.", metavar="TOPIC"
    )

    def check(self) -> None:
        """Raise UserError on what cannot be run."""
        super().check()
        if self.file is None and (self.topic or self.type_name):
            raise UserError("--topic, --type: are for a trace; name one")
        if self.file is not None and (self.kilometres, self.objects) != (KILOMETRES, OBJECTS):
            raise UserError("--kilometres, --objects: are for a synthetic road; leave FILE out")

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the rounds in processes."""
        return plan(self.rounds, self.processes, self.seed)
