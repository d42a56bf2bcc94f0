# SPDX-License-Identifier: Apache-2.0
"""Compare Protobuf, FlatBuffers and columns between real FMUs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.measure.bench.osi.choices import BOTH, BUILDS, CONTENTS, PAGES, READS, VARIANTS
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench osi --reflections 100000 --contenders protobuf-reuse,columns"
BYTES_A_REFLECTION = 28  # the largest contender's
MAX_REFLECTIONS = (2**31 - 1 - 2**20) // BYTES_A_REFLECTION
MAX_OBJECTS = 1_000_000


def _check_reflections(label: str, number: int) -> None:
    if number < 0:
        raise UserError(f"{label} {number}: must not be negative")
    if number > MAX_REFLECTIONS:
        raise UserError(
            f"{label} {number}: the message would reach 2^31 bytes, more than OSMP can carry; at "
            f"most {MAX_REFLECTIONS}"
        )


def _check_fmi(label: str, version: int) -> None:
    if version not in (2, 3):
        raise UserError(f"{label} {version}: give 2 or 3")


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of ``bench osi``; ``steps`` of each contender are over all its processes."""

    contenders: tuple[str, ...] = option.setting(
        (),
        "Contenders, comma-separated; `all` adds those outside the default set, except those "
        "whose libraries are built from source (named …-current).",
        known=lambda: Registry().contenders,
        parse=option.words,
    )
    reflections: tuple[int, ...] = option.setting(
        (829440,),
        "Reflections per message; several: N,N,…",
        metavar="N",
        check=_check_reflections,
    )
    objects: tuple[int, ...] = option.setting(
        (10,),
        "Moving objects per message; several: N,N,…",
        metavar="N",
        check=option.within(1, MAX_OBJECTS),
    )
    steps: int = option.samples(30, "Measured steps of each contender, over all processes.")
    processes: int = option.processes()
    variant: str | None = option.setting(
        None,
        "same-work: equal messages, each codec at its best; published: as the report's code did; "
        "or both. Default same-work; both with --table1.",
        metavar="NAME",
        known=(*VARIANTS, BOTH),
    )
    content: str | None = option.setting(
        None,
        "Reflections: varied, 256 different ones again and again; distinct, no two alike; or the "
        "report's constant ones. Default varied for same-work, report for published.",
        metavar="NAME",
        known=CONTENTS,
    )
    read: tuple[str, ...] = option.setting(
        READS[:1],
        "What the sensor reads: sampled, every 18th reflection as in the report; all, every field "
        "of every reflection; or both, comma-separated.",
        metavar="WHAT",
        known=READS,
    )
    pages: tuple[str, ...] = option.setting(
        PAGES[:1],
        "Pages of memory: huge where contenders ask the kernel for them, small for all of them, "
        "or both, comma-separated.",
        metavar="KIND",
        known=PAGES,
    )
    builds: tuple[str, ...] = option.setting(
        BUILDS[:1], "Builds, comma-separated: release, debug.", known=BUILDS
    )
    allocators: tuple[str, ...] = option.setting(
        (),
        f"Allocators for all contenders, comma-separated: {', '.join(NAMED)}. Default: the one "
        "with which wirecost was started, and for the best Protobuf mode also the best one.",
        known=NAMED,
    )
    fmi: int = option.setting(2, "FMI version of the FMUs, 2 or 3.", metavar="", check=_check_fmi)
    seed: int = option.setting(
        1, "Seed of varied content.", metavar="", check=option.within(0, 2**31 - 1)
    )
    trace: Path | None = option.setting(
        None,
        "Play this trace of sensor views instead of the synthetic highway, in Protobuf's wire "
        "format and in columns.",
        metavar="FILE",
        takes="OSI",
    )
    player: bool = option.setting(False, "Use a trace player as the source.", "--player")
    table1: bool = option.setting(
        False, "Measure the rows of the OSI report's Table 1 and show both.", "--table1"
    )

    def check(self) -> None:
        """Raise UserError on what cannot be run."""
        super().check()
        if "all" in self.read and (self.table1 or "published" in self.variants):
            raise UserError(
                "--read all: the report's sensor reads a sample; use --variant same-work"
            )
        if self.table1:
            if self.allocators:
                raise UserError("--allocators: not with --table1")
            if "small" in self.pages:
                raise UserError("--pages small: not with --table1")
            if self.trace:
                raise UserError("--trace: cannot be used with --table1, which has its own trace")

    @property
    def variants(self) -> tuple[str, ...]:
        """Variants of the work."""
        if self.variant in VARIANTS:
            return (self.variant,)
        return VARIANTS if self.variant or self.table1 else VARIANTS[:1]

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the steps in processes."""
        return plan(self.steps, self.processes, self.seed)
