# SPDX-License-Identifier: Apache-2.0
"""First numbers of a run, while most contenders are not compiled yet.

The likely best and the one in use are verified and timed in a process each. These samples are said
and not kept: the race begins anew, with all contenders in turns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.race import RacePart, verify_all
from wirecost.results.records.schemas.message import SCENARIO
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

SAMPLES = 5
LANGUAGES = {"cpp": "C++", "python": "Python", "java": "Java"}
UNITS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds by unit."""


def first_look(
    about: Subject, messages: Sequence[bytes], say: Callable[[str], None]
) -> Callable[[MessageBackend], None]:
    """Return a function that times what a backend has by now and says it in a table."""

    def look(backend: MessageBackend) -> None:
        entries = [contender.entry(about.type) for contender in backend.contenders()]
        totals = _totals(RacePart(about, messages, backend, entries))
        if totals:
            heading = (
                f"{LANGUAGES[backend.lang]}, first {SAMPLES} samples of each library's best mode:"
            )
            say("\n".join((heading, *_rows(totals))))

    return look


def _rows(totals: Sequence[tuple[Contender, float]]) -> Iterator[str]:
    """Yield a line for each library, with its time compared with the one in use."""
    ns_of = {(contender.library, contender.mode): ns for contender, ns in totals}
    now, _ = SCENARIO.compared_with(ns_of)
    libraries = set[str]()
    for (library, mode), ns in sorted(ns_of.items(), key=lambda item: item[1]):
        if library not in libraries:
            libraries.add(library)
            ratio = f"{ns / ns_of[now]:.2g} × {' '.join(now)}" if now in ns_of else ""
            yield f"  {library:<20} {mode:<12} {time_text(ns):>8}  {ratio}".rstrip()


def _totals(part: RacePart) -> list[tuple[Contender, float]]:
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
                    totals.append((entry.contender, median(samples)))
    return totals


def time_text(ns: float) -> str:
    unit = next((unit for unit, size in UNITS.items() if ns < 999.5 * size), "s")
    return f"{ns / UNITS[unit]:.3g} {unit}"
