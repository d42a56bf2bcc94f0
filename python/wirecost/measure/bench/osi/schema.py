# SPDX-License-Identifier: Apache-2.0
"""Result folders of ``bench osi``. Scenario 1 knew this scenario alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirecost.results.records.schemas import common
from wirecost.results.records.schemas.common import Amount, Count, Scenario, columns
from wirecost.results.records.stages import OF_SENSOR_VIEW, STAGES
from wirecost.results.records.table_columns import AMOUNT, TEXT, WHOLE


class OsiAbout(common.About, kw_only=True):
    wire: str


class OsiRun(common.Run, kw_only=True):
    """Sizes and digests are those of the first verified step."""

    race: str
    reflections: Count
    objects: Count
    content: str
    read: str = "sampled"
    """Part of the reflections that the sensor read: a sample or all."""
    pages: str = "huge"
    """Pages of memory: huge where a contender asks for them, or small for all."""
    mode: str = ""
    """The allocator; empty: the one with which wirecost was started."""
    malloc: str | None = None
    """The file that its malloc lay in."""
    player: bool = False
    trace: str | None = None
    fmi: int
    sensor_view_bytes: Amount | None
    sensor_data_bytes: Amount | None
    sensor_view_digest: str | None
    sensor_data_digest: str | None
    peak_memory_bytes: Count | None


class OsiMeta(common.Meta, kw_only=True):
    steps: Count
    processes: Count = 1
    fmi: int
    seed: int
    contenders: Mapping[str, OsiAbout]
    runs: Sequence[OsiRun]


SCENARIO = Scenario(
    meta=OsiMeta,
    columns=columns({"ns": AMOUNT, "fmi": WHOLE, "mode": replace(TEXT, optional=True)}),
    stages=STAGES,
    needed=STAGES,
    baseline=("protobuf", ""),
    rivals=frozenset(
        f"protobuf{release}{mode}"
        for release in ("", "-current")
        for mode in ("", "-arena", "-reuse")
    ),
    best_codec=("protobuf-view", ""),
    second_subject=frozenset(STAGES) - OF_SENSOR_VIEW,
    subjects=("sensor_view", "sensor_data"),
)
