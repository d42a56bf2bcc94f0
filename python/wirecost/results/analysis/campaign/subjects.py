# SPDX-License-Identifier: Apache-2.0
"""Samples of a store that can be compared: same scenario, case and options."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

CHOOSING = frozenset(
    {
        "--allocators", "--contender", "--contenders", "--heaps", "--middlewares", "--modes",
        "--mwares", "--plugins", "--seed", "--versions",
    }
)  # fmt: skip
"""Options that choose who takes part, and in which order, and change nothing for those who do;
``--mwares``: the name of ``--middlewares`` in older stores."""
COLUMNS = ["task", "case", "contender", "mode", "stage", "repetition", "process", "ns"]
"""Columns of samples, as far as they are needed here."""


@dataclass(frozen=True, order=True)
class Subject:
    """``options``: of the command, without those that choose contenders."""

    scenario: str
    case: str
    options: str

    def __str__(self) -> str:
        return " · ".join(part for part in (self.scenario, self.case, self.options) if part)


def options_of(arguments: list[str]) -> str:
    """Return the words of a task that change what is measured, as one text."""
    words: list[str] = []
    skipping = False
    for word in arguments:
        if skipping and not word.startswith("--"):
            skipping = False
            continue
        skipping = word in CHOOSING
        if not skipping:
            words.append(word)
    return " ".join(words)


def described(records: pl.DataFrame) -> pl.DataFrame:
    """Return finished tasks alone, with a column ``options``."""
    options = [options_of(words) for words in records["arguments"].to_list()]
    return records.with_columns(options=pl.Series(options, dtype=pl.String)).filter(
        pl.col("outcome") == "done"
    )


def totals(records: pl.DataFrame, samples: pl.LazyFrame) -> Iterator[tuple[Subject, pl.DataFrame]]:
    """Yield each subject's samples of the stage ``total``, with ``host``.

    ``process`` numbers those of all of a campaign's repetitions: each is a fresh one.
    """
    tasks = described(records).select(
        "task", "scenario", "host", "options", round=pl.col("repetition")
    )
    names = samples.collect_schema().names()
    missing = {
        "mode": pl.lit("").alias("mode"),
        "process": pl.lit(0, pl.Int64).alias("process"),
    }
    columns = [missing[name] if name not in names else pl.col(name) for name in COLUMNS]
    for (scenario,), part in tasks.group_by("scenario", maintain_order=True):
        measured = (
            samples.filter(pl.col("scenario") == str(scenario), pl.col("stage") == "total")
            .select(columns)
            .with_columns(mode=pl.col("mode").fill_null(""), process=pl.col("process").fill_null(0))
            .join(part.drop("scenario").lazy(), on="task")
            .collect()
        )
        for (case, options), group in measured.sort("case", "options").group_by(
            "case", "options", maintain_order=True
        ):
            yield Subject(str(scenario), str(case), str(options)), _numbered(group)


def _numbered(group: pl.DataFrame) -> pl.DataFrame:
    order = ["round", "process"]
    numbers = group.select(order).unique().sort(order).with_row_index("number")
    return (
        group.join(numbers, on=order)
        .with_columns(process=pl.col("number").cast(pl.Int64))
        .sort("process", "repetition", maintain_order=True)
    )


def name_of(row: Mapping[str, object]) -> tuple[str, str]:
    """Return a contender and its mode."""
    return str(row["contender"]), str(row["mode"] or "")
