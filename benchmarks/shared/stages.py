# SPDX-License-Identifier: Apache-2.0
"""Stages of presets, which consist of those that the programs of messages measure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.backend import Timed

Stages = Mapping[str, Mapping[str, float]]
"""Share of each measured stage by the stage that it is part of."""


def combined(items: Iterable[StageSample | Timed], stages: Stages) -> Iterator[StageSample | Timed]:
    """Yield the samples of these stages, each after the last sample of its repetition."""
    measured: dict[str, StageSample] = {}
    repetition = 0
    for item in items:
        if isinstance(item, Timed):
            yield item
            continue
        if item.repetition != repetition:
            yield from _sums(measured, stages)
            measured, repetition = {}, item.repetition
        measured[item.stage] = item
    yield from _sums(measured, stages)


def _sums(measured: Mapping[str, StageSample], stages: Stages) -> Iterator[StageSample]:
    for stage, parts in stages.items() if measured else ():
        ns = sum(share * measured[part].ns for part, share in parts.items())
        yield replace(measured[next(iter(parts))], stage=stage, ns=ns)
