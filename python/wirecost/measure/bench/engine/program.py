# SPDX-License-Identifier: Apache-2.0
"""Programs of the contenders, most of them installed with the package, and what they print."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost import _core
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.system import children
from wirecost.system.children import failed
from wirecost.system.parts import Part, build, left_out

INSTALLED = Path(_core.__file__).parent
SCHEMAS = INSTALLED / "schemas"
PROGRAMS = INSTALLED / "programs"

Report = Callable[[str, int], None]
"""Function to call with what runs now and the samples taken since the last call."""


@dataclass(frozen=True)
class Program:
    """C++ program that was installed with the package. Methods raise ProgramFailedError."""

    name: str
    part: Part | None = None
    """Part that a checkout builds when the program is missing."""

    @property
    def path(self) -> Path:
        return PROGRAMS / self.name

    def check_installed(self) -> None:
        """Check that it is there. Raises UserError where it is missing."""
        if not self.path.is_file() and self.part is not None:
            build(self.part)
        if not self.path.is_file():
            raise left_out(self.path)

    def lines(
        self,
        *arguments: str,
        before: Iterable[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> Iterator[str]:
        """Yield the lines it prints, as it prints them.

        ``before``: words in front of the command; ``environment``: None for this process's.
        """
        return run([*before, str(self.path), *arguments], environment=environment)

    def rows(
        self, *arguments: str, environment: Mapping[str, str] | None = None
    ) -> list[list[str]]:
        """Return the lines it prints, split at tabs."""
        return [line.split("\t") for line in self.lines(*arguments, environment=environment)]

    def built(self) -> dict[str, str]:
        """Return compiler and flags."""
        ((compiler, flags),) = self.rows("built")
        return {"compiler": compiler, "flags": flags}


def run(
    command: Sequence[str],
    standard_input: str = "",
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Yield the lines a program prints, as it prints them. Raises ProgramFailedError."""
    process = children.start(
        command,
        environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        with suppress(BrokenPipeError):  # its status says why
            process.stdin.write(standard_input)
            process.stdin.close()
        for line in process.stdout:
            if not line.endswith("\n"):
                break  # it was killed while it wrote
            yield line[:-1]
        errors = process.stderr.read()
        process.wait()
    finally:
        children.end(process)
    if process.returncode != 0:
        raise failed(f"`{' '.join(command[:3])} …`", process.returncode, errors)


def rounds(samples: Iterable[StageSample], report: Report) -> Iterator[list[StageSample]]:
    """Yield samples of contenders in turns, a list for each repetition."""
    current: list[StageSample] = []
    for sample in samples:
        if current and sample.repetition != current[0].repetition:
            yield current
            current = []
        current.append(sample)
        report(sample.key, 1 if sample.stage == "total" else 0)
    yield current
