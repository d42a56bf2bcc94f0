# SPDX-License-Identifier: Apache-2.0
"""The fastest object of each type in a fleet of traces, by DuckDB.

It takes record batches as they come: no more than a few frames are in memory.

    python duckdb_speeds.py fleet

Needs duckdb and pyarrow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pyarrow as pa

import wirecost.osi

OBJECTS = wirecost.osi.Decoder("GroundTruth", "moving_object")
QUERY = """
    SELECT coalesce(type, 0) AS type, count(*) AS count,
           max(sqrt(coalesce(base.velocity.x, 0) ** 2 + coalesce(base.velocity.y, 0) ** 2)) AS max
    FROM objects GROUP BY 1 ORDER BY 1
"""


def batches(paths: list[Path]) -> Iterator[pa.RecordBatch]:
    """Yield the moving objects of each frame; in a sensor view its ground truth has them."""
    for path in paths:
        with wirecost.osi.open(path) as frames:
            inside = "" if frames.type_name == "GroundTruth" else "global_ground_truth."
            decode = wirecost.osi.Decoder(frames.type_name, f"{inside}moving_object")
            yield from (decode(frame.data) for frame in frames)


def main() -> None:
    paths = sorted(Path(sys.argv[1]).rglob("*.osi"))
    objects = pa.RecordBatchReader.from_batches(OBJECTS.schema, batches(paths))
    with duckdb.connect() as database:
        database.register("objects", objects)
        result = database.sql(QUERY)
        print(",".join(result.columns))
        for row in result.fetchall():
            print(",".join(map(str, row)))


if __name__ == "__main__":
    main()
