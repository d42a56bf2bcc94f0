# SPDX-License-Identifier: Apache-2.0
"""What the languages' programs print, read alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wirecost.bench import program
from wirecost.bench.entry import Sample
from wirecost.bench.notification import readers
from wirecost.bench.notification.backend import Carried
from wirecost.bench.notification.content import canonical
from wirecost.bench.program import ProgramFailedError, Report

SENT = "sent"
"""Instead of a stage: bytes of a message that was timed, and the canonical line of its content."""


def carried(lines: Iterable[str]) -> list[Carried]:
    found = []
    for line in lines:
        key, index, encoded, decoded = line.split("\t")
        found.append(Carried(key, int(index), bytes.fromhex(encoded), decoded))
    return found


def rounds(lines: Iterable[str], report: Report) -> Iterator[list[Sample]]:
    """Samples in turns, all of a repetition together. Raises ProgramFailedError in the end if, when
    timed, a contender sent or read something else than the others."""
    sums: dict[str, int] = {}
    wrong: list[str] = []
    yield from program.rounds(program.samples(_without_sent(lines, wrong), sums), report)
    for key in wrong:
        raise ProgramFailedError(f"{key}: it sent other content while it was timed")
    expected = next(iter(sums.values()), 0)
    for key, read in sums.items():
        if read != expected:
            raise ProgramFailedError(
                f"{key}: it read other content while it was timed than the other contenders"
            )


def _without_sent(lines: Iterable[str], wrong: list[str]) -> Iterator[str]:
    """The other lines; into ``wrong`` whose timed message is not what it should be."""
    for line in lines:
        key, _, stage, *values = line.split("\t")
        if stage != SENT:
            yield line
            continue
        encoded, expected = values
        try:
            sent = canonical(readers.read(key.rpartition("/")[2], bytes.fromhex(encoded)))
        except (ValueError, KeyError):
            sent = ""
        if sent != expected:
            wrong.append(key)
