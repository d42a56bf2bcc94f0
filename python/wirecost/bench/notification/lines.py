# SPDX-License-Identifier: Apache-2.0
"""What the languages' programs print, read alike."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from wirecost import children
from wirecost.bench.notification.backend import BackendFailedError, Carried, Report, Sample


def run(command: Sequence[str], standard_input: str = "") -> Iterator[str]:
    """The lines a program prints, as it prints them. Raises BackendFailedError."""
    process = children.start(
        command,
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
            yield line.rstrip("\n")
        told = process.stderr.read().strip().splitlines()
        process.wait()
    finally:
        children.end(process)
    if process.returncode != 0:
        raise BackendFailedError(
            f"`{' '.join(command[:3])} …` {children.ending(process.returncode)}: "
            f"{' '.join(told[-1:])}"
        )


def carried(lines: Iterable[str]) -> list[Carried]:
    found = []
    for line in lines:
        key, index, encoded, decoded = line.split("\t")
        found.append(Carried(key, int(index), bytes.fromhex(encoded), decoded))
    return found


def rounds(lines: Iterable[str], report: Report) -> Iterator[list[Sample]]:
    """Samples in turns, all of a repetition together. Raises BackendFailedError in the end if, when
    timed, a contender read something else than the others."""
    found: list[Sample] = []
    sums: dict[str, str] = {}
    for line in lines:
        key, repetition, stage, value = line.split("\t")
        if stage == "sum":
            sums[key] = value
            continue
        if found and int(repetition) != found[0].repetition:
            yield found
            found = []
        found.append(Sample(key, int(repetition), stage, float(value)))
        if stage == "total":
            report(1, key)
    yield found
    expected = next(iter(sums.values()), "")
    for key, read in sums.items():
        if read != expected:
            raise BackendFailedError(f"{key}: what it read when timed is not what the others read")
