# SPDX-License-Identifier: Apache-2.0
"""Contenders that compile for long: compiled when all others are measured, and shown as they come.

The library in use is measured in turns with them once more, so that ratios are of one race.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.processes import ProcessPlan
from wirecost.measure.bench.message.first_look import LANGUAGES, time_text
from wirecost.measure.serializers.backend import LaterContenders, MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.race import RacePart, run_race
from wirecost.measure.serializers.selection import asking_for
from wirecost.results.records.schemas.message import SCENARIO

LIMIT_S = 300
"""Seconds after which the compilers of a language's contenders are ended."""
LEFT = "the run ended before it was compiled; {}"


@dataclass(frozen=True)
class LastRace:
    """A language's contenders that compile for long, and those in use, ``beside`` them."""

    backend: MessageBackend
    later: LaterContenders
    beside: Sequence[Contender]

    @property
    def libraries(self) -> list[str]:
        return list(dict.fromkeys(contender.library for contender in self.later.contenders))

    @property
    def count(self) -> int:
        """Number of contenders that run."""
        return len(self.later.contenders) + len(self.beside)

    def left(self) -> dict[str, str]:
        """Return why the libraries are missing as long as they are not compiled."""
        return {
            f"{self.backend.lang} {name}": LEFT.format(asking_for(name)) for name in self.libraries
        }

    def missing(self) -> dict[str, str]:
        """Return why libraries could not be compiled."""
        missing = self.backend.missing
        return {
            f"{self.backend.lang} {name}": f"{missing[name]}; {asking_for(name)}"
            for name in self.libraries
            if name in missing
        }

    def compile(self, say: Callable[[str], None]) -> list[Contender]:
        """Compile, and return those of the contenders that can run."""
        named = " and ".join(self.libraries)
        note = f"compiling {named}, which takes long (Ctrl-C ends with what is here)"
        say(note)
        self.later.compile(lambda text: say(f"{note}: {text.rpartition(', ')[2]}"), LIMIT_S)
        there = set(self.backend.contenders())
        return [contender for contender in self.later.contenders if contender in there]


def last_races(
    backends: Sequence[MessageBackend], measured: Mapping[str, Sequence[Contender]]
) -> list[LastRace]:
    """Return a race for each language that has contenders which compile for long."""
    return [
        LastRace(backend, later, _in_use(measured[backend.lang]))
        for backend in backends
        if (later := backend.later()) is not None
    ]


def _in_use(contenders: Sequence[Contender]) -> list[Contender]:
    """Return the baseline among contenders, in all its modes: one of them is its best."""
    names = [(contender.library, contender.mode) for contender in contenders]
    (library, _), _ = SCENARIO.compared_with(names)
    return [contender for contender in contenders if contender.library == library]


def compile_and_measure(
    races: Sequence[LastRace],
    about: Subject,
    messages: Sequence[bytes],
    failed: Collection[str],
    measurement: Measurement,
    plan: ProcessPlan,
    not_run: Mapping[str, str],
) -> None:
    """Compile and measure one language after the other.

    ``failed``: keys of contenders that are not measured again; ``not_run``: why others are missing.
    """
    missing = dict(not_run)
    left = {name: why for race in races for name, why in race.left().items()}
    measurement.revise(not_run=missing | left)
    measurement.part_ended()
    for race in races:
        contenders = race.compile(measurement.report)
        missing |= race.missing()
        for name in race.left():
            del left[name]
        measurement.revise(not_run=missing | left)
        beside = [contender for contender in race.beside if contender.key not in failed]
        if not contenders:
            continue
        entries = [contender.later_entry(about.type) for contender in (*beside, *contenders)]
        with measurement.case(race.backend.lang, entries, plan.samples) as case:
            totals = run_race([RacePart(about, messages, race.backend, entries)], case, plan)
        for line in _rows(race.backend.lang, beside, contenders, totals):
            measurement.remark(line)


def _rows(
    lang: str,
    beside: Sequence[Contender],
    contenders: Sequence[Contender],
    totals: Mapping[str, float],
) -> list[str]:
    """Return a line for each contender that was measured, with its ratio to the first in use."""
    reference = next((contender for contender in beside if contender.key in totals), None)
    lines = []
    for contender in contenders:
        if contender.key not in totals:
            continue
        ns = totals[contender.key]
        line = f"{LANGUAGES[lang]}: {contender.library} {contender.mode} {time_text(ns)}"
        if reference is not None:
            ratio = ns / totals[reference.key]
            line += f", {ratio:.2g} × {reference.library} {reference.mode}"
        lines.append(line)
    return lines
