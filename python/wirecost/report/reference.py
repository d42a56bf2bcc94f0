# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the ASAM OSI FlatBuffers performance report (Persival, 2022), to print beside ours."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PublishedRow:
    """One row: milliseconds of source and model; Protobuf is None where it was not measured."""

    subject: str
    figure: int
    case: str
    build: str
    contender: str
    flatbuffers: tuple[int, int]
    protobuf: tuple[int, int] | None


_FULL = "829,440 reflections, 10 objects"
_TABLE = "flatbuffers-table"

TABLE1 = (
    PublishedRow("829,440 reflections, 10 objects", 1, _FULL, "release", _TABLE, (43, 9), (27, 66)),
    PublishedRow(
        "400,000 reflections, 10 objects",
        2,
        "400,000 reflections, 10 objects",
        "release",
        _TABLE,
        (20, 4),
        (13, 32),
    ),
    PublishedRow(
        "100,000 reflections, 10 objects",
        3,
        "100,000 reflections, 10 objects",
        "release",
        _TABLE,
        (5, 1),
        (3, 8),
    ),
    PublishedRow("10 objects", 4, "0 reflections, 10 objects", "release", _TABLE, (0, 0), (0, 0)),
    PublishedRow("200 objects", 5, "0 reflections, 200 objects", "release", _TABLE, (1, 1), (1, 1)),
    PublishedRow("500 objects", 6, "0 reflections, 500 objects", "release", _TABLE, (2, 2), (2, 2)),
    PublishedRow("Debug build", 7, _FULL, "debug", _TABLE, (352, 117), (132, 258)),
    PublishedRow("Object API", 8, _FULL, "release", "flatbuffers-object", (68, 9), None),
    PublishedRow("Structs", 9, _FULL, "release", "flatbuffers-struct", (28, 5), None),
)

PUBLISHED_RATIO = (43 + 9) / (27 + 66)
"""FlatBuffers' total to Protobuf's at 829,440 reflections: the report's 0.56."""
