# SPDX-License-Identifier: Apache-2.0
"""One case: all contenders come to the same bytes, then each is measured in processes of its
own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from wirecost import scratch
from wirecost.bench.classes import program
from wirecost.bench.classes.contender import Contender, Work
from wirecost.bench.entry import Sample
from wirecost.bench.processes import Plan, measured
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case


def run_race(work: Work, case: Case[Contender], plan: Plan) -> None:
    """Fills the entries."""
    with scratch.folder("classes") as folder:
        message = folder / "message"
        case.report("verifying")
        _verify(work, case, message)
        entries = {entry.key: entry for entry in case.running}

        def measure(keys: list[str], repetitions: int) -> Iterator[list[Sample]]:
            for key in keys:
                one = entries[key]
                if one.failure is None:
                    with one.failing(ProgramFailedError):
                        yield from program.measure(
                            one.contender, work, message, repetitions, case.report
                        )

        for samples in measured(plan, list(entries), measure):
            case.keep(samples)
    for entry in case.running:
        case.report(f"{entry.key}, memory")
        if entry.contender.allocator in program.COUNTED:
            with entry.failing(ProgramFailedError):
                held, kept = program.memory(entry.contender, work)
                entry.facts |= {"memory_bytes": held, "kept_bytes": kept}


def _verify(work: Work, case: Case[Contender], message: Path) -> None:
    """Leaves the first contender's bytes in the file; who comes to others is not timed."""
    expected: bytes | None = None
    for entry in case.entries:
        with entry.failing(ProgramFailedError):
            made = program.encoded(entry.contender, work, message)
            entry.bytes = len(made)
            entry.digest = hashlib.blake2b(made, digest_size=8).hexdigest()
            if expected is None:
                expected = made
            entry.failure = _difference(made, expected)
    message.write_bytes(expected or b"")


def _difference(made: bytes, expected: bytes) -> str | None:
    if made == expected:
        return None
    at = next(
        (i for i, (a, b) in enumerate(zip(made, expected, strict=False)) if a != b),
        min(len(made), len(expected)),
    )
    return (
        f"its message of {len(made)} bytes is not the first contender's of {len(expected)}: they "
        f"differ from byte {at} on"
    )
