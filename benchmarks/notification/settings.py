# SPDX-License-Identifier: Apache-2.0
"""Settings of the presets of ``bench message``. Imports little: the command line lists them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.measure.bench.message.choices import LANGUAGES
from wirecost.system.errors import UserError

LISTS = (
    "radar-reflection",
    "radar-detection",
    "lidar-reflection",
    "lidar-detection",
    "moving-object",
    "point",
)
SCANNED_LISTS = ("lidar-reflection", "lidar-detection", "point")
"""Lists that a scan fills."""
LIST_COUNTS = (10, 1000, 100_000)
"""Numbers of elements of the lists of ``bench repeated``."""
GROUND_TRUTHS = ("full", "sparse")
NOTIFICATION_MODES = ("new", "recycled", "reused", "arena", "view", "facade")
NOTIFICATION_CONTENTS = ("ticket", "realistic")
NOTIFICATION_WIRES = ("protobuf", "ros1", "cdr")
_NEW = frozenset({"new"})
_OWNED = frozenset({"new", "reused"})
_OURS = frozenset({"new", "recycled", "reused", "view"})
_LIBRARIES: dict[tuple[str, str], Mapping[str, Collection[str]]] = {
    ("cpp", "protobuf"): {
        "protobuf": _OWNED | {"arena"},
        "wirecost": _OURS,
        "wirecost-classes": {"facade"},
    },
    ("cpp", "ros1"): {
        "wirecost": _OURS,
        "hand_written": _OWNED | {"recycled"},
        "memcpy": {"reused"},
        "gencpp": _OWNED,
    },
    ("cpp", "cdr"): {"wirecost": _OURS, "fast-cdr": _OWNED},
    ("python", "protobuf"): dict.fromkeys(("protobuf", "wirecost", "wirecost-native"), _NEW),
    ("python", "ros1"): dict.fromkeys(("genpy", "wirecost", "wirecost-native"), _NEW),
    ("python", "cdr"): dict.fromkeys(("wirecost", "wirecost-native"), _NEW),
    ("java", "protobuf"): {"protobuf": _OWNED | {"view"}, "wirecost": _OWNED},
    ("java", "ros1"): {"wirecost": _OWNED, "HandWritten": _NEW},
    ("java", "cdr"): {"wirecost": _OWNED},
}
"""Contenders of ``bench notification`` by language and wire, and the modes of their rows."""


@dataclass(frozen=True)
class ClassesSettings(option.ScenarioSettings):
    """Settings of ``bench classes``; ``jobs``: compilers at the same time."""

    objects: tuple[int, ...] = option.setting(
        (10, 100, 1000, 10_000),
        "Moving objects of a GroundTruth.",
        check=option.within(1, 100_000),
    )
    contents: tuple[str, ...] = option.setting(
        GROUND_TRUTHS,
        "full: all vectors of an object's base, lanes, a model's name, attributes; "
        "sparse: four of the seven vectors.",
        "--content",
        known=GROUND_TRUTHS,
    )
    repetitions: int = option.samples(30, "Samples of each operation, over all processes.")
    processes: int = option.processes()
    allocators: tuple[str, ...] = option.setting(
        (),
        f"Comma-separated: {', '.join(NAMED)}. Default: glibc's at its defaults.",
        known=NAMED,
    )
    seed: int = option.seed("Seed of the processes' order.")
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.repetitions, self.processes, self.seed)


@dataclass(frozen=True)
class RepeatedSettings(option.ScenarioSettings):
    """Settings of ``bench repeated``; ``jobs``: compilers at the same time."""

    lists: tuple[str, ...] = option.setting(
        LISTS, "Lists, comma-separated; default: all.", "--list", known=LISTS
    )
    counts: tuple[int, ...] = option.setting(
        (),
        "Elements of the synthetic lists; default: 10,1000,100000, or none with --scan.",
        "--count",
        check=option.within(1, 2_000_000),
    )
    scans: tuple[Path, ...] = option.setting(
        (),
        "A real scan, as lidar lists and points; can be repeated.",
        "--scan",
        metavar="FILE.pcd|.ply|.bin",
    )
    repetitions: int = option.samples(30, "Samples of each stage, in all processes.")
    processes: int = option.processes()
    seed: int = option.seed("Seed of the synthetic lists.")
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        super().check()
        if self.scans and not set(self.lists) & set(SCANNED_LISTS):
            raise UserError(
                f"--scan: fills only {', '.join(SCANNED_LISTS)}; choose one with --list"
            )

    @property
    def synthetic_counts(self) -> tuple[int, ...]:
        """Numbers of elements of the synthetic lists."""
        return self.counts or (() if self.scans else LIST_COUNTS)

    @property
    def plan(self) -> ProcessPlan:
        """Plan of the samples in processes."""
        return plan(self.repetitions, self.processes, self.seed)


@dataclass(frozen=True)
class NotificationSettings(option.ScenarioSettings):
    """Settings of ``bench notification``."""

    languages: tuple[str, ...] = option.setting(
        LANGUAGES, "Languages, comma-separated.", "--lang", known=LANGUAGES
    )
    sizes: tuple[int, ...] = option.setting(
        (4, 8, 16, 32, 64, 128),
        "Size factors: lengths of the byte strings.",
        check=option.within(1, 65_536),
    )
    modes: tuple[str, ...] = option.setting(
        NOTIFICATION_MODES,
        "Modes, comma-separated. new: new objects, memory from malloc; recycled: new "
        "objects, small blocks from a free list of the codec's own.",
        known=NOTIFICATION_MODES,
    )
    wires: tuple[str, ...] = option.setting(
        NOTIFICATION_WIRES, "Wires, comma-separated.", "--wire", known=NOTIFICATION_WIRES
    )
    contents: tuple[str, ...] = option.setting(
        NOTIFICATION_CONTENTS,
        "ticket: the message of the ticket; realistic: epoch times, ids, varied lengths.",
        "--content",
        known=NOTIFICATION_CONTENTS,
    )
    repetitions: int = option.samples(30, "Samples of each stage, in all processes.")
    processes: int = option.processes()
    allocators: tuple[str, ...] = option.setting(
        (),
        f"Comma-separated, for the C++ contenders: {', '.join(NAMED)}. Default: the one "
        "with which wirecost was started.",
        known=NAMED,
    )
    seed: int = option.seed("Seed of the content.")

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        super().check()
        if not self.sides():
            raise self.without_contender()

    def without_contender(self, missing: Mapping[str, str] | None = None) -> UserError:
        """Return the error; ``missing``: contenders that cannot take part, and why."""
        reasons = "".join(f"; {name}: {why}" for name, why in (missing or {}).items())
        return UserError(
            f"no contender of {', '.join(self.languages)} has mode {', '.join(self.modes)} on "
            f"{', '.join(self.wires)}{reasons}"
        )

    def sides(self) -> list[tuple[str, str]]:
        """Return the languages and wires that have a contender."""
        sides = [(lang, wire) for lang in self.languages for wire in self.wires]
        return [side for side in sides if self.libraries(*side)]

    def libraries(self, lang: str, wire: str) -> frozenset[str]:
        """Return the libraries with a row in the chosen modes."""
        modes = _LIBRARIES[lang, wire]
        return frozenset(name for name, has in modes.items() if not set(has).isdisjoint(self.modes))

    def plan(self, lang: str) -> ProcessPlan:
        """Plan the processes: a virtual machine takes seconds to compile what it runs."""
        return plan(self.repetitions, 1 if lang == "java" else self.processes, self.seed)
