# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the ASAM OSI FlatBuffers performance report (Persival, 2022), to print beside ours."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.counted import counted

Pair = tuple[int, int]
"""Milliseconds of source and model."""


@dataclass(frozen=True)
class PublishedRow:
    """A row of the table and which of our measurements stands for it."""

    subject: str
    reflections: int
    objects: int
    build: str
    contender: str
    flatbuffers: Pair
    protobuf: Pair | None
    player: bool = False

    @property
    def case(self) -> str:
        content = f"{counted(self.reflections, 'reflection')}, {counted(self.objects, 'object')}"
        return f"trace player, {content}" if self.player else content


TABLE1 = (
    PublishedRow(
        "829,440 reflections", 829_440, 10, "release", "flatbuffers-table", (43, 9), (27, 66)
    ),
    PublishedRow(
        "400,000 reflections", 400_000, 10, "release", "flatbuffers-table", (20, 4), (13, 32)
    ),
    PublishedRow(
        "100,000 reflections", 100_000, 10, "release", "flatbuffers-table", (5, 1), (3, 8)
    ),
    PublishedRow("10 objects", 0, 10, "release", "flatbuffers-table", (0, 0), (0, 0)),
    PublishedRow("200 objects", 0, 200, "release", "flatbuffers-table", (1, 1), (1, 1)),
    PublishedRow("500 objects", 0, 500, "release", "flatbuffers-table", (2, 2), (2, 2)),
    PublishedRow("debug build", 829_440, 10, "debug", "flatbuffers-table", (352, 117), (132, 258)),
    PublishedRow("object API", 829_440, 10, "release", "flatbuffers-object", (68, 9), None),
    PublishedRow("structs", 829_440, 10, "release", "flatbuffers-struct", (28, 5), None),
    PublishedRow(
        "trace player", 668_052, 10, "release", "flatbuffers-table", (1, 7), (7, 49), player=True
    ),
)
"""In the report's order: its figures 1 to 10. The three before the last send 829,440."""

PUBLISHED_RATIO = (43 + 9) / (27 + 66)
"""FlatBuffers to Protobuf, source + model at 829,440 reflections: the report's 0.56."""
