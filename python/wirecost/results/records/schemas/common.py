# SPDX-License-Identifier: Apache-2.0
"""Types that the result folders of all scenarios share, and those that declare a scenario.

A field that was added to a scenario after its first version has a default, so that older folders
are read; what a newer wirecost may have added is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec

from wirecost.results.records.table_columns import AMOUNT, COUNT, NUMBER, TEXT, Columns, TableColumn

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


class Meta(msgspec.Struct, kw_only=True):
    """``meta.json``; a scenario's has types of its own for contenders and runs."""

    schema: int
    scenario: str
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


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Content of a scenario's folder, and the contenders that others are compared with."""

    meta: type[Meta]
    columns: Columns
    stages: tuple[str, ...] = ("total",)
    """Stages in the order in which they are shown."""
    needed: tuple[str, ...] = ("total",)
    """Stages that every contender that was measured has."""
    baseline: tuple[str, str]
    """Contender and mode in which the incumbent is usually used."""
    incumbent: str = "protobuf"
    """Start of the names of the incumbent's contenders; the best of them is a yardstick too."""
    usual: tuple[str, ...] = ()
    """Contenders that are baseline and incumbent instead where one takes part: whom people use on
    other wires, first come first."""
    best_codec: tuple[str, str] | None = None
    """Our best codec on the incumbent's wire, which is not one of the incumbent's contenders."""
    second_subject: frozenset[str] = frozenset()
    """Stages whose size and digest are those of ``subjects[1]``."""
    subjects: tuple[str, str] = ("message", "message")
    floor: Callable[[str], str] | None = None
    """Contender, without a mode, that a contender cannot beat."""
    facts: tuple[str, ...] = ()
    """Facts of its summary rows in JSON beside the times: attributes of a row, or of its run."""

    def incumbents(self, names: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], str]:
        """Return baseline and incumbent among these contenders."""
        taking_part = {contender for contender, _ in names}
        name = next((name for name in self.usual if name in taking_part), None)
        return ((name, self.baseline[1]), name) if name else (self.baseline, self.incumbent)

    def sent(self, run: Run, stage: str) -> tuple[float, str]:
        """Return bytes and digest of the message that a stage of a measured run is about."""
        subject = self.subjects[stage in self.second_subject]
        return getattr(run, f"{subject}_bytes"), getattr(run, f"{subject}_digest")


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
