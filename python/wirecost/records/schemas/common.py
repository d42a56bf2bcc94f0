# SPDX-License-Identifier: Apache-2.0
"""What the result folders of all scenarios have, and the words in which a scenario says the rest.

What was added to a scenario after its first version has a default, so that older folders are read;
what a newer wirecost may have added is left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated

import msgspec

from wirecost.records.table_columns import AMOUNT, COUNT, NUMBER, TEXT, Column, Columns

Count = Annotated[int, msgspec.Meta(ge=0)]
Real = Annotated[float, msgspec.Meta(ge=-1e18, le=1e18)]
Amount = Count | Annotated[float, msgspec.Meta(ge=0, le=1e18)]
Scalar = str | int | float | bool | None
Entry = Scalar | list[Scalar] | dict[str, Scalar]


class About(msgspec.Struct, kw_only=True):
    """A contender."""

    library: str


class Run(msgspec.Struct, kw_only=True):
    """A contender of a race; ``failure``: why it was not measured."""

    case: str
    variant: str
    build: str
    contender: str
    failure: str | None


class Message(Run, kw_only=True):
    """A run with one message, and contenders that have modes."""

    mode: str
    message_bytes: Amount
    message_digest: str


class Meta(msgspec.Struct, kw_only=True):
    """``meta.json``; a scenario's has ``contenders`` and ``runs`` too, in types of its own."""

    schema: int
    scenario: str
    created: str
    command: list[str]
    interrupted: bool | str
    """Where it did not come to its end, why; true in older folders."""
    environment: dict[str, Entry]
    not_run: dict[str, str] = {}


@dataclass(frozen=True)
class Schema:
    """A scenario's folder. ``stages``: those that everyone who was measured has."""

    meta: type[Meta]
    columns: Columns
    stages: tuple[str, ...] = ("total",)


def columns(more: Mapping[str, Column]) -> Columns:
    """Those of every scenario, and ``more``."""
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
