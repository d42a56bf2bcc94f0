# SPDX-License-Identifier: Apache-2.0
"""A small message in C++, Python and Java: libraries, wires."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from wirecost.measure.bench.engine import option
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.processes import ProcessPlan, plan
from wirecost.measure.serializers.choices import LANGUAGES
from wirecost.system.errors import UserError

EXAMPLE = "wirecost bench --from benchmarks notification --lang cpp,python"
MODES = ("new", "recycled", "reused", "arena", "view", "facade")
CONTENTS = ("ticket", "realistic")
WIRES = ("protobuf", "ros1", "cdr")
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
"""Contenders by language and wire, and the modes of their rows."""


@dataclass(frozen=True)
class Settings(option.ScenarioSettings):
    """Settings of the study."""

    languages: tuple[str, ...] = option.setting(
        LANGUAGES, "Languages, comma-separated.", "--lang", known=LANGUAGES
    )
    sizes: tuple[int, ...] = option.setting(
        (4, 8, 16, 32, 64, 128),
        "Size factors: lengths of the byte strings.",
        check=option.within(1, 65_536),
    )
    modes: tuple[str, ...] = option.setting(
        MODES,
        "Modes, comma-separated. new: new objects, memory from malloc; recycled: new "
        "objects, small blocks from a free list of the codec's own.",
        known=MODES,
    )
    wires: tuple[str, ...] = option.setting(WIRES, "Wires, comma-separated.", "--wire", known=WIRES)
    contents: tuple[str, ...] = option.setting(
        CONTENTS,
        "ticket: the message of the ticket; realistic: epoch times, ids, varied lengths.",
        "--content",
        known=CONTENTS,
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
