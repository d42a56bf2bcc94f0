# SPDX-License-Identifier: Apache-2.0
"""Numbers that a run has once: sizes on the wire, allocations, memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl
from msgspec import structs

from wirecost.results.analysis.compare.runs import SIZE, ComparedRun, Key, is_counter, rows_of
from wirecost.results.records.schemas import common, replay
from wirecost.results.records.schemas.common import Meta

SIZE_MARGIN = 0.001
"""Sizes move by a few bytes with the simulation time."""
MEMORY = "memory"


@dataclass(frozen=True)
class PlainChange:
    """``what`` of a row that is the same for all its samples; ``change`` None where A has 0."""

    row: Key
    what: str
    a: float
    b: float
    change: float | None
    verdict: str
    regression: bool = False

    @property
    def is_size(self) -> bool:
        """True where it is in bytes."""
        return self.what.endswith("bytes")


def plain_changes(
    a: ComparedRun, b: ComparedRun, names: list[str], margin: float, size_limit: float | None
) -> list[PlainChange]:
    """Return every such number that both runs have.

    Sizes on the wire are the same however often one measures, so each change of theirs beyond
    ``SIZE_MARGIN`` is reported, and each growth beyond ``size_limit``, however small, is a
    regression; the others' changes are reported beyond ``margin``.
    """
    ours, of_b = _numbers(a, names), _numbers(b, names)
    return [
        _change(key, what, ours[key, what], of_b[key, what], margin, size_limit)
        for key, what in ours
        if (key, what) in of_b
    ]


def _change(
    key: Key, what: str, a: float, b: float, margin: float, size_limit: float | None
) -> PlainChange:
    size = what.endswith("bytes") and MEMORY not in what
    change = b / a - 1 if a > 0 else (0.0 if a == b else None)
    fails = size and size_limit is not None and b > a and (change is None or change > size_limit)
    least = SIZE_MARGIN if size else margin
    changed = fails or change is None or abs(change) > least
    verdict = ("larger" if b > a else "smaller") if changed else "no difference"
    return PlainChange(key, what, a, b, change, verdict, fails)


def _numbers(run: ComparedRun, names: list[str]) -> dict[tuple[Key, str], float]:
    """Return those of the runs in ``meta.json``; sizes of the samples where these have none."""
    values: dict[tuple[Key, str], float] = {}
    for contender in run.meta.runs:
        if contender.failure:
            continue
        key = tuple(_name(contender, name) for name in names)
        values |= {
            (key, name): float(value)
            for name, value in structs.asdict(contender).items()
            if isinstance(value, int | float) and (is_counter(name) or name.endswith("_bytes"))
        }
    values |= {((None,) * len(names), what): value for what, value in _repeats(run.meta).items()}
    if any(what.endswith("_bytes") for _, what in values) or SIZE not in run.samples.columns:
        return values
    without_stage = [name for name in names if name != "stage"]
    for key, part in rows_of(run, without_stage).items():
        sizes = part[SIZE].cast(pl.Float64, strict=False).drop_nulls().drop_nans()
        if len(sizes):
            whole = dict(zip(without_stage, key, strict=True))
            values[tuple(whole.get(name) for name in names), SIZE] = float(sizes.to_numpy().max())
    return values


def _repeats(meta: Meta) -> dict[str, float]:
    """Return the means of what a replayed process counted in each repetition."""
    counted: dict[str, list[float]] = {}
    for repeat in meta.repeats if isinstance(meta, replay.ReplayMeta) else ():
        for name, value in structs.asdict(repeat).items():
            if is_counter(name) and value is not None:
                counted.setdefault(name, []).append(float(value))
    return {f"{name} of the process": sum(counts) / len(counts) for name, counts in counted.items()}


def _name(run: common.Run, name: str) -> Any:
    value = getattr(run, name, None)
    return value if isinstance(value, str | int) else None
