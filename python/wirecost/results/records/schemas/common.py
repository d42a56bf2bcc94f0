# SPDX-License-Identifier: Apache-2.0
"""Types that the result folders of all scenarios share, and those that declare a scenario.

A field that was added to a scenario after its first version has a default, so that older folders
are read; what a newer wirecost may have added is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

import msgspec

from wirecost.results.records.table_columns import (
    AMOUNT,
    COUNT,
    NUMBER,
    TEXT,
    WHOLE,
    Columns,
    TableColumn,
)

Count = Annotated[int, msgspec.Meta(ge=0)]
Real = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
Amount = Count | Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Scalar = str | int | float | bool | None
Entry = Scalar | list[Scalar] | dict[str, Scalar]


class About(msgspec.Struct, kw_only=True):
    """A contender."""

    library: str


class Codec(About, kw_only=True):
    """A contender that encodes; ``guarantees``: what its decoder does for the time it takes."""

    wire: str
    guarantees: str


class Run(msgspec.Struct, kw_only=True):
    """A contender of a race; ``failure``: why it was not measured."""

    case: str
    variant: str
    build: str
    contender: str
    failure: str | None
    rival: bool | None = None
    """Whether the best of the contenders like it is a yardstick; None: the schema says it."""

    # Fields of some scenarios; the others' contenders differ in none of them.
    @property
    def lang(self) -> str:
        """Language of the contender's program."""
        return ""

    @property
    def mode(self) -> str:
        """Mode of the contender."""
        return ""

    @property
    def fmi(self) -> int | None:
        """Version of FMI."""
        return None


class Message(Run, kw_only=True):
    """A run with one message, and contenders that have modes."""

    mode: str
    message_bytes: Amount
    message_digest: str


class PlainRun(Run, kw_only=True):
    """A run of a scenario without facts of its own."""

    lang: str = ""
    mode: str = ""
    fmi: int | None = None
    message_bytes: Amount | None = 0
    message_digest: str | None = ""


class Declared(msgspec.Struct, kw_only=True):
    """What tables need to know of a scenario, also where the scenario itself is not at hand."""

    title: str = ""
    stages: tuple[str, ...] = ()
    baseline: tuple[str, str] = ("", "")


class Meta(msgspec.Struct, kw_only=True):
    """``meta.json``; a scenario's may have types of its own for contenders and runs."""

    schema: int
    scenario: str
    declared: Declared = msgspec.field(default_factory=Declared)
    created: str
    command: list[str]
    interrupted: bool | str
    """Reason why it did not come to its end; true in older folders."""
    environment: dict[str, Entry]
    not_run: dict[str, str] = {}
    contenders: Mapping[str, About]
    runs: Sequence[Run]

    @property
    def doctor(self) -> dict[str, Scalar]:
        """The doctor's checks and verdict when the run began; empty in folders without them."""
        return doctor_of(self.environment)


def doctor_of(environment: Mapping[str, Entry]) -> dict[str, Scalar]:
    """Return the doctor's checks and verdict in an environment; nothing where it has none."""
    checks = environment.get("doctor")
    return checks if isinstance(checks, dict) else {}


class PlainMeta(Meta, kw_only=True):
    """``meta.json`` of a scenario without facts of its own."""

    contenders: Mapping[str, About] = {}
    runs: Sequence[PlainRun]


def columns(more: Mapping[str, TableColumn]) -> Columns:
    """Return the columns of every scenario, and ``more``."""
    return {
        "case": TEXT,
        "variant": TEXT,
        "build": TEXT,
        "contender": TEXT,
        "stage": TEXT,
        "repetition": COUNT,
        "process": replace(COUNT, optional=True),
        "ns": NUMBER,
        "bytes": AMOUNT,
        **more,
    }


PLAIN = columns(
    {
        "lang": replace(TEXT, optional=True),
        "mode": replace(TEXT, optional=True),
        "fmi": replace(WHOLE, optional=True, nullable=True),
        "counter:*": replace(AMOUNT, nullable=True),
    }
)
"""Columns of a scenario without facts of its own."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Content of a scenario's folder, and the contenders that others are compared with."""

    meta: type[Meta] = PlainMeta
    columns: Columns = field(default_factory=lambda: PLAIN)
    title: str = ""
    """Heading of its page; empty: the scenario's name."""
    stages: tuple[str, ...] = ("total",)
    """Stages in the order in which they are shown."""
    needed: tuple[str, ...] = ("total",)
    """Stages that every contender that was measured has."""
    baseline: tuple[str, str] = ("", "")
    """Contender and mode that others are compared with; empty: there is none."""
    rivals: frozenset[str] = frozenset()
    """Contenders of which the best is a yardstick too, where runs do not say it themselves."""
    usual: tuple[str, ...] = ()
    """Contenders of which the first one that takes part is baseline and only rival instead: what
    people use on other wires."""
    best_codec: tuple[str, str] | None = None
    """Our best codec on the incumbent's wire, a yardstick by itself."""
    second_subject: frozenset[str] = frozenset()
    """Stages whose size and digest are those of ``subjects[1]``."""
    subjects: tuple[str, str] = ("message", "message")
    floor: Callable[[str], str] | None = None
    """Contender, without a mode, that a contender cannot beat."""
    facts: tuple[str, ...] = ()
    """Facts of its summary rows in JSON beside the times: attributes of a row, or of its run."""

    def compared_with(
        self, names: Iterable[tuple[str, str]]
    ) -> tuple[tuple[str, str], frozenset[str]]:
        """Return the baseline and the rivals among these contenders."""
        taking_part = {contender for contender, _ in names}
        name = next((name for name in self.usual if name in taking_part), None)
        if name is None:
            return self.baseline, self.rivals
        return (name, self.baseline[1]), frozenset({name})

    def sent(self, run: Run, stage: str) -> tuple[float, str]:
        """Return bytes and digest of the message that a stage of a measured run is about."""
        subject = self.subjects[stage in self.second_subject]
        return getattr(run, f"{subject}_bytes"), getattr(run, f"{subject}_digest")
