# SPDX-License-Identifier: Apache-2.0
"""The program with all versions of both studies: what it says, and processes of it that serve."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirecost import children
from wirecost.bench.contenders import INSTALLED
from wirecost.bench.notification import lines
from wirecost.bench.notification.backend import BackendFailedError
from wirecost.errors import UserError

PROGRAM = INSTALLED / "programs" / "cloud"


@dataclass(frozen=True)
class Version:
    """``name`` is usual, recommended or wirecost; ``about`` says what it does."""

    study: str
    name: str
    library: str
    about: str


@dataclass(frozen=True)
class Load:
    """What a callback is about: files of points, and further arguments of the program."""

    study: str
    clouds: tuple[Path, ...]
    options: tuple[str, ...] = ()

    def arguments(self, version: str) -> list[str]:
        clouds = [part for path in self.clouds for part in ("--cloud", str(path))]
        return ["--study", self.study, "--version", version, *clouds, *self.options]


def check_installed() -> None:
    """Raises UserError where the program is missing."""
    if not PROGRAM.is_file():
        raise UserError(
            "the program of the point clouds is not installed; install wirecost with `make run`"
        )


def built() -> dict[str, str]:
    """Compiler and flags of the program."""
    compiler, flags = next(iter(lines.run([str(PROGRAM), "built"]))).split("\t")
    return {"compiler": compiler, "flags": flags}


def versions(study: str) -> list[Version]:
    found = [Version(*line.split("\t")) for line in lines.run([str(PROGRAM), "list"])]
    return [version for version in found if version.study == study]


def absent() -> dict[tuple[str, str], str]:
    """Why a study's version is not in this build."""
    told = (line.split("\t") for line in lines.run([str(PROGRAM), "absent"]))
    return {(study, name): why for study, name, why in told}


def said(load: Load, version: str, folder: Path) -> list[bytes]:
    """What a version says of each cloud; all of them, and then all of them again.

    Raises BackendFailedError.
    """
    folder.mkdir()
    for _ in lines.run([str(PROGRAM), "verify", *load.arguments(version), "--out", str(folder)]):
        pass
    names = [f"{turn}.{cloud}" for turn in (0, 1) for cloud in range(len(load.clouds))]
    return [(folder / name).read_bytes() for name in names]


class Served:
    """A process with one version, which runs callbacks when it is told to.

    Its probe logs go to ``log``. Raises BackendFailedError where it ends early.
    """

    def __init__(
        self, load: Load, version: str, log: Path, variables: Mapping[str, str] | None = None
    ) -> None:
        environment = {**os.environ, **(variables or {}), "WIRECOST_PROBE": str(log)}
        self.version = version
        self._process: subprocess.Popen[str] = children.start(
            [str(PROGRAM), "serve", *load.arguments(version)],
            environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def wait_until_warm(self) -> None:
        self._expect("ready")

    def call(self, times: int) -> None:
        """Run ``times`` callbacks and wait for their end."""
        if self._process.stdin is None:
            raise AssertionError
        try:
            self._process.stdin.write(f"{times}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failed() from None
        self._expect("done")

    def finish(self) -> list[str]:
        """End it; the digests of what it said last of each cloud."""
        out, _ = self._process.communicate(timeout=60)
        if self._process.returncode != 0:
            raise self._failed()
        return out.split()

    def kill(self) -> None:
        children.end(self._process)

    def _expect(self, word: str) -> None:
        if self._process.stdout is None:
            raise AssertionError
        if self._process.stdout.readline().strip() != word:
            raise self._failed()

    def _failed(self) -> BackendFailedError:
        self._process.wait(timeout=60)
        told = self._process.stderr.read().strip().splitlines() if self._process.stderr else []
        how = children.ending(self._process.returncode)
        return BackendFailedError(f"{self.version} {how}: {' '.join(told[-1:])}")


def digest(content: bytes) -> str:
    """Words of 64 bits, the rest filled with zeros, times 1, 3, 5, …, modulo 2^64."""
    words = np.frombuffer(content + bytes(-len(content) % 8), "<u8")
    factors = np.arange(len(words), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return f"{int((words * factors).sum(dtype=np.uint64)):016x}"
