# SPDX-License-Identifier: Apache-2.0
"""What the languages' programs print, read alike."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence

from wirecost.bench.notification.backend import BackendFailedError, Carried, Report, Sample


def run(command: Sequence[str], standard_input: str = "") -> Iterator[str]:
    """The lines a program prints, as it prints them. Raises BackendFailedError."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise AssertionError
        try:
            process.stdin.write(standard_input)
            process.stdin.close()
            for line in process.stdout:
                yield line.rstrip("\n")
        except BaseException:
            process.kill()
            raise
        told = process.stderr.read().strip().splitlines()
    if process.returncode != 0:
        raise BackendFailedError(
            f"`{' '.join(command[:3])} …` ended with {process.returncode}: {' '.join(told[-1:])}"
        )


def carried(lines: Iterable[str]) -> list[Carried]:
    found = []
    for line in lines:
        key, index, encoded, decoded = line.split("\t")
        found.append(Carried(key, int(index), bytes.fromhex(encoded), decoded))
    return found


def samples(lines: Iterable[str], report: Report) -> list[Sample]:
    """Raises BackendFailedError if, when timed, a contender read something else than the others."""
    found: list[Sample] = []
    sums: dict[str, str] = {}
    for line in lines:
        key, repetition, stage, value = line.split("\t")
        if stage == "sum":
            sums[key] = value
            continue
        found.append(Sample(key, int(repetition), stage, float(value)))
        if stage == "total":
            report(1, key)
    expected = next(iter(sums.values()), "")
    for key, read in sums.items():
        if read != expected:
            raise BackendFailedError(f"{key}: what it read when timed is not what the others read")
    return found
