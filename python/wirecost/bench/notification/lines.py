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


class OtherContentError(ProgramFailedError):
    """Contenders sent or read something else while they were timed. ``faults``: how, by key."""

    def __init__(self, faults: dict[str, str]) -> None:
        super().__init__("; ".join(f"{key}: {fault}" for key, fault in faults.items()))
        self.faults = faults


def carried(lines: Iterable[str]) -> list[Carried]:
    found = []
    for line in lines:
        key, index, encoded, decoded = line.split("\t")
        found.append(Carried(key, int(index), bytes.fromhex(encoded), decoded))
    return found


def rounds(lines: Iterable[str], report: Report) -> Iterator[list[Sample]]:
    """Samples in turns, all of a repetition together. Raises OtherContentError in the end."""
    sums: dict[str, int] = {}
    faults: dict[str, str] = {}
    yield from program.rounds(program.samples(_without_sent(lines, faults), sums), report)
    expected = next(iter(sums.values()), 0)
    for key, read in sums.items():
        if read != expected:
            faults.setdefault(key, "it read other content while it was timed")
    if faults:
        raise OtherContentError(faults)


def _without_sent(lines: Iterable[str], faults: dict[str, str]) -> Iterator[str]:
    """The other lines; into ``faults`` whose timed message is not what it should be."""
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
            faults[key] = "it sent other content while it was timed"
