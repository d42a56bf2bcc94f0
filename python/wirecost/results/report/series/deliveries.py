# SPDX-License-Identifier: Apache-2.0
"""Messages of ``bench tensor`` and ``bench transport``: what each stage of each took.

Their samples have no times, but a fixed rate: a message's time is when it was due if none was lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl

from wirecost.results.records.folder import Results
from wirecost.results.records.schemas import scenario_of, tensor, transport
from wirecost.results.records.schemas.common import Run
from wirecost.results.report.series.mcap_file import Channel, SeriesPart
from wirecost.results.report.series.messages import MessageType
from wirecost.results.report.series.names import Distinct, field_name, topic

CLOCK = (
    "every contender starts when the folder was created; a message's time is its number divided "
    "by the rate, lost messages not counted"
)
STAGE_TEXTS = {
    "lateness": "Microseconds from when the message was due to the start of its sending.",
    "publish": "Microseconds that the sending call took.",
    "total": "Microseconds of the whole delivery; of requests until the reply.",
}
WHO = ("case", "variant", "build", "contender", "mode", "device")
LATEST_NS = float(1 << 61)
"""After the begin; later ones, of rates that no one has, are there."""
MOST_HZ = 1e12


def delivery_parts(results: Results, created_ns: int, out: Path) -> list[SeriesPart]:
    """Return series of all contenders with a rate.

    Without one, as in a tight loop, there are no times.
    """
    del out
    stages = scenario_of(results.meta).stages
    kind = MessageType(
        "Delivery",
        "A message that arrived. Its time is the nominal one: see the clock in the file's metadata "
        "record wirecost.",
        {
            **{
                _column(stage): STAGE_TEXTS.get(stage, f"Microseconds of the stage {stage}.")
                for stage in stages
            },
            "bytes": "The message's size in bytes.",
        },
    )
    topics = Distinct()
    meta = results.meta
    assert isinstance(meta, tensor.TensorMeta | transport.TransportMeta)
    runs = {_who(run): run for run in meta.runs}
    parts = []
    for who, subscriber, table in _contenders(results.samples):
        run = runs.get(tuple(who.values()))
        rate = run and (run.asked_rate or run.rate)
        if not run or not rate or rate > MOST_HZ:
            continue
        device = who["device"] if who["device"] != "cpu" else ""
        several = isinstance(run, transport.TransportRun) and run.subscribers > 1
        at = f"subscriber {subscriber}" if several else ""
        levels = (who["contender"], who["mode"], who["case"], device, at)
        about = {name: value for name, value in who.items() if value} | {"rate_hz": str(rate)}
        if subscriber is not None:
            about["subscriber"] = str(subscriber)
        named = topics.name(topic(*(level for level in levels if level)))
        columns = {
            _column(stage): table[stage].cast(pl.Float64).fill_null(np.nan).to_numpy() / 1e3
            for stage in stages
            if stage in table.columns
        }
        columns["bytes"] = table["bytes"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        with np.errstate(over="ignore"):
            since = np.minimum(np.arange(len(table)) * 1e9 / rate, LATEST_NS)
        times = np.int64(created_ns) + since.astype(np.int64)
        parts.append(SeriesPart(Channel(named, kind, about), times, columns))
    return parts


def _contenders(
    samples: pl.DataFrame,
) -> Iterator[tuple[dict[str, str], int | None, pl.DataFrame]]:
    """Yield each contender of each case, the subscriber, and a row a message, a column a stage."""
    missing = [name for name in WHO if name not in samples.columns]
    samples = samples.with_columns(**{name: pl.lit("") for name in missing})
    if "subscriber" not in samples.columns:
        samples = samples.with_columns(subscriber=pl.lit(None, pl.Int64))
    for key, rows in samples.group_by([*WHO, "subscriber"], maintain_order=True):
        *names, subscriber = key
        sizes = rows.group_by("repetition").agg(pl.col("bytes").max())
        table = rows.pivot("stage", index="repetition", values="ns", aggregate_function="first")
        table = table.join(sizes, on="repetition").sort("repetition")
        yield dict(zip(WHO, map(str, names), strict=True)), subscriber, table


def _who(run: Run) -> tuple[str, ...]:
    return tuple(getattr(run, name, "") for name in WHO)


def _column(stage: str) -> str:
    return f"{field_name(stage)}_us"
