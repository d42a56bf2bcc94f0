# SPDX-License-Identifier: Apache-2.0
"""First numbers of a run, while most contenders are not compiled yet.

The likely best and the one in use are verified and timed in a process each. These samples are said
and not kept: the race begins anew, with all contenders in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.race import RacePart, verify_all
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

SAMPLES = 5
SAID = 4
"""Most contenders of a line."""
LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java"}
UNITS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds by unit."""


def first_look(
    about: Subject, messages: Sequence[bytes], say: Callable[[str], None]
) -> Callable[[MessageBackend], None]:
    """Return a function that times what a backend has by now and says it in a line."""

    def look(backend: MessageBackend) -> None:
        entries = [contender.entry(about.type) for contender in backend.contenders()]
        totals = _totals(RacePart(about, messages, backend, entries))
        if totals:
            quickest = sorted(totals, key=lambda pair: pair[1])[:SAID]
            named = ", ".join(f"{_name(entry)} {time_text(ns)}" for entry, ns in quickest)
            say(f"{LANGUAGES[backend.lang]}, first {SAMPLES} samples: {named}")

    return look


def _totals(part: RacePart) -> list[tuple[Entry[Contender], float]]:
    """Return the median nanoseconds per message of each contender that verifies."""
    totals = []
    with scratch.folder("look") as folder:
        content = folder / "content"
        write_content(content, part.messages)
        verify_all(part, folder, content)
        for entry in part.entries:
            if entry.failure is not None:
                continue
            with entry.failing(ProgramFailedError):
                items = part.backend.measured(entry.contender, [content], [entry.key], SAMPLES)
                samples = [
                    item.ns
                    for item in items
                    if isinstance(item, StageSample) and item.stage == "total"
                ]
                if samples:
                    totals.append((entry, median(samples)))
    return totals


def _name(entry: Entry[Contender]) -> str:
    return f"{entry.contender.library} {entry.contender.mode}"


def time_text(ns: float) -> str:
    unit = next((unit for unit, size in UNITS.items() if ns < 999.5 * size), "s")
    return f"{ns / UNITS[unit]:.3g} {unit}"
