# SPDX-License-Identifier: Apache-2.0
"""Comparison of a node's answers to two replays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from wirecost.results.records.schemas.replay import OUTPUTS
from wirecost.results.records.table_file import read_table

FILE = "outputs.parquet"


@dataclass(frozen=True)
class TopicOutputs:
    """The outputs on one topic; ``first_difference`` is None where all are equal."""

    topic: str
    messages_a: int
    messages_b: int
    equal: int
    first_difference: str | None


def compare_outputs(a: Path, b: Path) -> list[TopicOutputs] | None:
    """Compare topic by topic; None where neither folder holds outputs. Raises UserError."""
    ours, of_b = _read(a), _read(b)
    if ours is None and of_b is None:
        return None
    ours, of_b = _of_both(ours, of_b)
    empty = pl.DataFrame(schema={"topic": pl.String})
    topics = dict.fromkeys(
        str(topic)
        for side in (ours, of_b)
        for topic in (side if side is not None else empty)["topic"].unique(maintain_order=True)
    )
    return [_topic(topic, _of(ours, topic), _of(of_b, topic)) for topic in topics]


def _read(folder: Path) -> pl.DataFrame | None:
    path = folder / FILE
    if not path.exists():
        return None
    return read_table(path, OUTPUTS, "replay again").with_columns(pl.col("repetition").fill_null(0))


def _of_both(
    ours: pl.DataFrame | None, theirs: pl.DataFrame | None
) -> tuple[pl.DataFrame | None, pl.DataFrame | None]:
    """Return the repetitions that both have: one may have been repeated more often."""
    if ours is None or theirs is None:
        return ours, theirs
    both = set(ours["repetition"]) & set(theirs["repetition"])
    if not both:
        return ours, theirs
    chosen = pl.col("repetition").is_in(sorted(both))
    return ours.filter(chosen), theirs.filter(chosen)


def _of(table: pl.DataFrame | None, topic: str) -> list[tuple[int, int, str, int]]:
    """Return the (repetition, index, digest, bytes) of a topic's messages, in order."""
    if table is None:
        return []
    columns = ["repetition", "index", "digest", "bytes"]
    return table.filter(topic=topic).select(columns).rows()


def _topic(
    topic: str, ours: list[tuple[int, int, str, int]], theirs: list[tuple[int, int, str, int]]
) -> TopicOutputs:
    a = {message[:2]: message[2:] for message in ours}
    b = {message[:2]: message[2:] for message in theirs}
    differing = [at for at in sorted(a.keys() | b.keys()) if a.get(at) != b.get(at)]
    equal = len(a.keys() | b.keys()) - len(differing)
    first = _difference(differing[0], a, b) if differing else None
    return TopicOutputs(topic, len(a), len(b), equal, first)


def _difference(
    at: tuple[int, int],
    a: dict[tuple[int, int], tuple[str, int]],
    b: dict[tuple[int, int], tuple[str, int]],
) -> str:
    repetition, index = at
    where = f"message {index}" + (f" of repetition {repetition}" if repetition else "")
    if at not in a or at not in b:
        return f"{where} only in {'A' if at in a else 'B'}"
    (digest_a, bytes_a), (digest_b, bytes_b) = a[at], b[at]
    sizes = f"{bytes_a} B" if bytes_a == bytes_b else f"{bytes_a} and {bytes_b} B"
    return f"{where}: digests {digest_a} and {digest_b}, {sizes}"
