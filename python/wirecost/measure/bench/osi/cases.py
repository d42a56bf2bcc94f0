# SPDX-License-Identifier: Apache-2.0
"""Cases in which the contenders of ``bench osi`` are measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from wirecost.measure.bench.osi.choices import PAGES, READS
from wirecost.measure.bench.osi.contenders import PUBLISHED, Registry
from wirecost.measure.bench.osi.settings import Settings
from wirecost.measure.bench.osi.trace_files import REFLECTIONS
from wirecost.system.counted import counted

TRACE_PLAYER = (
    "protobuf",
    PUBLISHED,
    "protobuf-arena",
    "protobuf-reuse",
    "protobuf-view",
    "flatbuffers-table",
    "columns",
)
"""Contenders that take part in the trace-player case."""

BEST_PROTOBUF = ("protobuf-reuse", "wirecost")
"""The mode and allocator that make Protobuf quickest at the default size."""


@dataclass(frozen=True)
class OsiWork:
    """Content, build and variant of a case, the same for all its contenders."""

    reflections: int
    objects: int
    variant: str
    content: str
    build: str
    contenders: tuple[str, ...]
    player: bool = False
    """True where a trace player sends the source's messages, or the frames of ``trace``."""
    trace: Path | None = None
    allocators: tuple[str, ...] = ("",)
    """Allocators that each contender runs under: of ``allocators.NAMED``; empty: this process's."""
    also: tuple[tuple[str, str], ...] = ()
    """Contenders, and further allocators that they run under."""
    read: str = READS[0]
    pages: str = PAGES[0]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return contenders and allocators."""
        under = [(name, allocator) for allocator in self.allocators for name in self.contenders]
        return [*under, *self.also]

    @property
    def name(self) -> str:
        content = f"{counted(self.reflections, 'reflection')}, {counted(self.objects, 'object')}"
        if self.trace:
            content = f"trace {self.trace.name}"
        elif self.player:
            content = f"trace player, {content}"
        ways = (", all read" * (self.read == "all"), ", small pages" * (self.pages == "small"))
        return "".join((content, *ways))


def cases_of(settings: Settings, registry: Registry) -> tuple[OsiWork, ...]:
    """Return every combination; content is by default varied for same-work, else the report's.

    Where no allocator is asked for, Protobuf at its best also runs under the best one for it.
    Raises UserError for a contender that there is not.
    """
    if settings.table1:
        return table1_cases(settings.variants, settings.content)
    contenders = registry.chosen(settings.contenders)
    has_player = settings.player or settings.trace is not None
    is_plain = not settings.allocators and not has_player and BEST_PROTOBUF[0] in contenders
    combinations = product(
        settings.variants,
        settings.builds,
        settings.reflections,
        settings.objects,
        settings.read,
        settings.pages,
    )
    return tuple(
        OsiWork(
            reflections,
            objects,
            variant,
            settings.content or _default_content(variant),
            build,
            contenders,
            has_player,
            settings.trace,
            settings.allocators or ("",),
            (BEST_PROTOBUF,) if is_plain and variant == "same-work" else (),
            read,
            pages,
        )
        for variant, build, reflections, objects, read, pages in combinations
    )


def table1_cases(variants: Sequence[str], content: str | None) -> tuple[OsiWork, ...]:
    """Return the races behind the ten rows of the report's Table 1."""
    pair = ("protobuf", "flatbuffers-table")
    all_four = (*pair, "flatbuffers-object", "flatbuffers-struct")
    cases = []
    for variant in variants:
        full = OsiWork(
            829_440, 10, variant, content or _default_content(variant), "release", all_four
        )
        cases.append(full)
        for reflections, objects in ((400_000, 10), (100_000, 10), (0, 10), (0, 200), (0, 500)):
            cases.append(replace(full, reflections=reflections, objects=objects, contenders=pair))
        cases.append(replace(full, build="debug", contenders=pair))
        playing = TRACE_PLAYER if variant == "same-work" else pair
        cases.append(replace(full, reflections=REFLECTIONS, contenders=playing, player=True))
    return tuple(cases)


def _default_content(variant: str) -> str:
    return "varied" if variant == "same-work" else "report"
