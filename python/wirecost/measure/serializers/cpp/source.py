# SPDX-License-Identifier: Apache-2.0
"""Sources of a program."""

from __future__ import annotations

from dataclasses import dataclass, replace

SHARED = "holders.cpp"
"""The unit of the schema that every program has."""
MAIN = "program.cc"
"""The unit with ``main``, which knows no schema."""
HARNESS = "harness.hpp"
"""What each unit includes, so that what it includes of the standard library is compiled once."""
RECYCLED = ".recycled"
"""Behind the name of a program whose holders have a free list."""


@dataclass(frozen=True)
class ProgramSource:
    """A program before it is compiled.

    ``units``: the files that are compiled for it; ``is_recycled``: whether its holders take small
    blocks from a free list; ``is_later``: whether it compiles for so long that others come first.
    """

    name: str
    units: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    classes: str = "google"
    """Folder of the classes with Protobuf's interface: protoc's or ours."""
    is_recycled: bool = False
    is_later: bool = False

    @property
    def holders(self) -> str:
        """Folder of its holders."""
        return "recycled/cpp" if self.is_recycled else "cpp"

    @property
    def objects(self) -> dict[str, str]:
        """Names of the object files by those of the units, in the order in which they compile."""
        suffix = RECYCLED if self.is_recycled else ""
        # The one that does not wait for the header comes first.
        return {MAIN: f"{MAIN}.o"} | {unit: f"{unit}{suffix}.o" for unit in (*self.units, SHARED)}

    def recycled(self) -> ProgramSource:
        """Return the same program with the other holders."""
        return replace(self, name=f"{self.name}{RECYCLED}", is_recycled=True)
