# SPDX-License-Identifier: Apache-2.0
"""What the languages' programs print, read alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirecost.bench import program
from wirecost.bench.entry import Sample
from wirecost.bench.notification.backend import Carried
from wirecost.bench.program import ProgramFailedError, Report


def carried(lines: Iterable[str]) -> list[Carried]:
    found = []
    for line in lines:
        key, index, encoded, decoded = line.split("\t")
        found.append(Carried(key, int(index), bytes.fromhex(encoded), decoded))
    return found


def rounds(lines: Iterable[str], report: Report) -> Iterator[list[Sample]]:
    """Samples in turns, all of a repetition together. Raises ProgramFailedError in the end if, when
    timed, a contender read something else than the others."""
    sums: dict[str, int] = {}
    yield from program.rounds(program.samples(lines, sums), report)
    expected = next(iter(sums.values()), 0)
    for key, read in sums.items():
        if read != expected:
            raise ProgramFailedError(
                f"{key}: it read other content while it was timed than the other contenders"
            )
