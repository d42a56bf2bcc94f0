# SPDX-License-Identifier: Apache-2.0
"""Program with all versions of both studies: its output, and processes of it that serve."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.engine.program import Program
from wirecost.system.channel.process import Channel
from wirecost.system.parts import BENCHMARKS

PROGRAM = Program("cloud", BENCHMARKS)
CALLS_S = 600.0
"""Seconds that the callbacks of a turn may take."""


@dataclass(frozen=True)
class Version:
    """Version of a study: usual, recommended or wirecost; ``about`` says what it does."""

    study: str
    name: str
    library: str
    about: str


@dataclass(frozen=True)
class CloudContender:
    """Version, plain or under the heap."""

    version: Version
    mode: str


@dataclass(frozen=True)
class CallbackLoad:
    """Input of a callback: files of points, and further arguments of the program."""

    study: str
    clouds: tuple[Path, ...]
    options: tuple[str, ...] = ()

    def arguments(self, version: str) -> list[str]:
        """Return the program's arguments for a version."""
        clouds = [part for path in self.clouds for part in ("--cloud", str(path))]
        return ["--study", self.study, "--version", version, *clouds, *self.options]


def versions(study: str) -> list[Version]:
    """Return a study's versions in this build."""
    return [version for row in PROGRAM.rows("list") if (version := Version(*row)).study == study]


def absent() -> dict[tuple[str, str], str]:
    """Return by study and version why it is not in this build."""
    return {(study, name): why for study, name, why in PROGRAM.rows("absent")}


def answers(load: CallbackLoad, version: str, folder: Path) -> list[bytes]:
    """Return a version's answer to each cloud; all of them, and then all of them again.

    Raises ProgramFailedError.
    """
    folder.mkdir()
    for _ in PROGRAM.lines("verify", *load.arguments(version), "--out", str(folder)):
        pass
    names = [f"{turn}.{cloud}" for turn in (0, 1) for cloud in range(len(load.clouds))]
    return [(folder / name).read_bytes() for name in names]


class Served(Channel):
    """Process with one version, which runs callbacks when asked.

    Its probe logs go to ``log``; ``secret``: seed of the differences between messages; ``calls``:
    callbacks of the version in earlier processes.
    """

    def __init__(
        self,
        load: CallbackLoad,
        version: str,
        log: Path,
        secret: int,
        calls: int = 0,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.log = log
        environment = {**os.environ, **(variables or {}), "WIRECOST_PROBE": str(log)}
        differing = ["--secret", str(secret), "--calls", str(calls)]
        command = [str(PROGRAM.path), "serve", *load.arguments(version), *differing]
        super().__init__(version, command, environment)

    def wait_until_warm(self) -> None:
        """Wait for its first answer."""
        self.receive(CALLS_S)

    def call(self, times: int) -> None:
        """Run ``times`` callbacks and wait for their end."""
        self.ask("call", CALLS_S, times=times)

    def finish(self) -> str:
        """Let it end; return a digest of all its answers."""
        return str(self.ask("finish")["digest"])
