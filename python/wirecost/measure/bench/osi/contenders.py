# SPDX-License-Identifier: Apache-2.0
"""The contenders of the OSI co-simulation, as the build installed them."""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.parts import left_out

ROLES = ("source", "sensor")
"""Models that a co-simulation needs of every contender, beside the trace player."""

Compared = Literal["exact", "error", "view", "published"]
"""Comparison with the others: messages must be theirs, lie within a stated error of them, or only
the sensor view must be theirs. A contender that does the published work is not compared."""

PUBLISHED = "protobuf-published"
"""The first contender doing the report's work, faults included, beside others that do not."""


@dataclass(frozen=True)
class OsiContender:
    """Codec: its wire, its reader's schema and the version of the library it uses."""

    name: str
    wire: str
    schema: str
    library: str
    default: bool
    """True if it runs when nobody asks for contenders."""
    compared: Compared
    minutes: int = 0
    """Minutes that two cores take to build its library, if that is only built when asked for; 0 if
    it is built with the package, or there."""
    models: str = ""
    """Contender whose FMUs it runs, if not its own."""

    @property
    def fmus(self) -> str:
        return self.models or self.name


class Registry:
    """All contenders in the order of ``codec/registry.csv``; the first is the baseline."""

    def __init__(self, folder: Path = INSTALLED / "fmus") -> None:
        self.folder = folder

    @cached_property
    def manifest(self) -> dict[str, Any]:
        path = self.folder / "manifest.json"
        try:
            manifest: dict[str, Any] = json.loads(path.read_text())
        except FileNotFoundError as error:
            raise left_out(path) from error
        return manifest

    @cached_property
    def contenders(self) -> dict[str, OsiContender]:
        by_name = {row["name"]: OsiContender(**row) for row in self.manifest["contenders"]}
        first = next(iter(by_name.values()))
        by_name[PUBLISHED] = replace(
            first, name=PUBLISHED, default=False, compared="published", models=first.name
        )
        return by_name

    @property
    def default(self) -> list[str]:
        return [name for name, contender in self.contenders.items() if contender.default]

    @property
    def rivals(self) -> list[str]:
        """Return the contenders whose libraries are built from source when asked for."""
        return [name for name, contender in self.contenders.items() if contender.minutes]

    def chosen(self, names: Collection[str]) -> tuple[str, ...]:
        """Return the names that take part: of no names the default ones. Raises UserError."""
        if list(names) == ["all"]:
            return tuple(name for name in self.contenders if name not in self.rivals)
        self.select(names)
        return tuple(names or self.default)

    def select(self, names: Collection[str]) -> list[OsiContender]:
        unknown = [name for name in names if name not in self.contenders]
        if unknown:
            available = ", ".join(self.contenders)
            raise UserError(f"unknown contender {', '.join(unknown)}; there are {available}")
        return [self.contenders[name] for name in self.contenders if name in names]

    def archive(self, fmus: str, role: str, fmi: int, build: str) -> Path:
        return self.folder / build / f"wirecost_{role}_{fmus}_fmi{fmi}.fmu"

    def missing(self, build: str, names: Iterable[str]) -> list[str]:
        """Return the contenders whose FMUs of that build are not installed."""
        fmus = dict.fromkeys(contender.fmus for contender in self.select(list(names)))
        return [
            name
            for name in fmus
            if not all(
                self.archive(name, role, fmi, build).is_file() for role in ROLES for fmi in (2, 3)
            )
        ]

    def effort(self, build: str, fmus: list[str]) -> str:
        """Return what building them will be like, in a line."""
        what = f"building the {build} FMUs of {', '.join(fmus)}, once"
        libraries = {c.library: c.minutes for c in self.select(fmus) if c.minutes}
        if not libraries:
            return what
        minutes = sum(libraries.values())
        of = " and ".join(libraries)
        return f"{what}; {of}, the first time, in about {minutes} minutes on two cores"

    def make(self, build: str, fmus: list[str]) -> None:
        """Build and install FMUs of a build that was not installed with the package."""
        directory = Path(self.manifest["build_directory"] or "/nonexistent")
        if not (directory / "CMakeCache.txt").is_file():
            raise UserError(
                f"the {build} FMUs of {', '.join(fmus)} are not installed, and building them needs "
                "a compiler and a checkout: run this from one, after `make install`"
            )
        prefix = str(self.folder.parent)
        targets = [f"fmus_{build}_{name}" for name in fmus]
        own = Path(sys.executable).with_name("cmake")
        cmake = str(own) if own.exists() else "cmake"
        install = [cmake, "--install", str(directory), "--prefix", prefix, "--component"]
        with (directory.parent / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # as `make install` does: one build at a time
            for command in (
                [cmake, "--build", str(directory), "--target", *targets],
                *([*install, f"{build}_{name}"] for name in fmus),
            ):
                done = children.run(command)
                if done.returncode != 0:
                    reason = _reason(done.stdout + done.stderr)
                    raise UserError(f"`{' '.join(command)}` failed: {reason}")


def _reason(output: str) -> str:
    """Return the line of a failed build that says most: its first error, else its last line."""
    lines = output.strip().splitlines() or ["no output"]
    return next((line for line in lines if "error:" in line.lower()), lines[-1]).strip()
