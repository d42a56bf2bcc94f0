# SPDX-License-Identifier: Apache-2.0
"""The fastest object of each type in a fleet of traces, by Dask.

A partition is a trace, opened by its path where it is worked on.

    python dask_speeds.py fleet

Needs dask[dataframe], which comes with wirecost[campaign] and pandas.
"""

from __future__ import annotations

import sys
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa

import wirecost.osi

OBJECTS = {
    "SensorView": wirecost.osi.Decoder("SensorView", "global_ground_truth.moving_object"),
    "GroundTruth": wirecost.osi.Decoder("GroundTruth", "moving_object"),
}
COLUMNS = pd.DataFrame({"type": np.array([], np.int32), "speed": np.array([], np.float64)})


def speeds(path: Path) -> pd.DataFrame:
    """Type and speed in m/s of every object in every frame."""
    with wirecost.osi.open(path) as frames:
        decode = OBJECTS[frames.type_name]
        found = [objects(decode(frame.data)) for frame in frames]
    return pd.concat([COLUMNS, *(one for one in found if len(one))], ignore_index=True)


def objects(batch: pa.RecordBatch) -> pd.DataFrame:
    velocity = batch.column("base").field("velocity")
    x, y = (np.nan_to_num(velocity.field(axis).to_numpy(False)) for axis in "xy")
    return pd.DataFrame(
        {"type": batch.column("type").fill_null(0).to_numpy(False), "speed": np.hypot(x, y)}
    )


def main() -> None:
    fleet = dd.from_map(speeds, sorted(Path(sys.argv[1]).rglob("*.osi")), meta=COLUMNS)
    fastest = fleet.groupby("type").speed.agg(["count", "max"])
    # A cluster instead of threads: make a distributed.Client, and leave out scheduler.
    print(fastest.compute(scheduler="threads").sort_index().to_csv(), end="")


if __name__ == "__main__":
    main()
