# SPDX-License-Identifier: Apache-2.0
"""Numbers within the data of clouds, images, scans and grids: what they are like."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import lz4.frame
import numpy as np
import numpy.typing as npt
import zstandard

from wirecost.data.clouds.packed import TYPES
from wirecost.data.clouds.point_cloud2 import fields_apart, points_of
from wirecost.data.clouds.waste import CloudWaste
from wirecost.data.messages.anatomy import parts_by_field
from wirecost.data.recordings.survey import TopicSurvey
from wirecost.measure.cost.cloud import clouds
from wirecost.measure.cost.prices import PriceList
from wirecost.results.records.cost import FieldCost, InnerColumn, Packing, TopicInside
from wirecost.system.errors import UserError

Numbers = npt.NDArray[Any]
Columns = dict[str, list[Numbers]]

PADDING = "(padding"
STEPS = tuple(10.0**-power for power in range(6))
"""Resolutions that are looked for, the coarsest first."""
ON_GRID = 1e-3
"""Part of a step by which a value on its grid may differ from it: what float32 loses."""
MOST = 1 << 20
"""Values of a column that are looked at."""
IMAGE_TYPES = {"16": "<u2", "32FC": "<f4"}
"""NumPy's names of an image's values, by what its encoding has in it; else they are bytes."""


def inside(read: TopicSurvey, prices: PriceList, lang: str) -> TopicInside:
    """Return where the bytes and the time of a topic's messages go."""
    columns = _columns(read)
    return TopicInside(
        topic=read.connection.topic,
        fields=_fields(read, prices, lang),
        columns=columns,
        packings=_packings(read, columns),
        waste=list(_waste(read).advice()),
    )


def _waste(read: TopicSurvey) -> CloudWaste:
    waste = CloudWaste()
    for message in clouds(read):
        with suppress(UserError):  # a cloud that contradicts itself
            waste.add(points_of(message))
    return waste


def _fields(read: TopicSurvey, prices: PriceList, lang: str) -> list[FieldCost]:
    if read.subject is None:
        return []
    fields = []
    for path, (parts, size) in parts_by_field(read.subject, read.sample.values()).items():
        priced = prices.of(lang, read.connection.wire, parts)
        times = (priced.encode_ns, priced.decode_ns) if priced is not None else (None, None)
        fields.append(FieldCost(path=path, bytes=size, encode_ns=times[0], decode_ns=times[1]))
    return sorted(
        fields, key=lambda one: (-(one.encode_ns or 0) - (one.decode_ns or 0), -one.bytes)
    )


def _columns(read: TopicSurvey) -> list[InnerColumn]:
    """Return what the numbers in the data of a topic's messages are like; none for other types."""
    kind = read.connection.type.rpartition("/")[2]
    columns: Columns = {}
    for message in clouds(read) if kind == "PointCloud2" else read.whole_messages():
        for name, numbers in READERS.get(kind, _nothing)(message):
            columns.setdefault(name, []).append(numbers)
    return [_described(name, np.concatenate(parts)) for name, parts in columns.items()]


def _packings(read: TopicSurvey, columns: list[InnerColumn]) -> list[Packing]:
    """Return how small the topic's messages become in some ways, as a share of their bytes."""
    size = sum(map(len, read.sample.values()))
    if not columns or not size:
        return []
    inner = sum(column.bytes for column in columns)
    rest = max(0, size - inner)
    used = [column for column in columns if not column.name.startswith(PADDING)]
    packed = sum(column.bytes for column in used)
    on_grid = sum(column.bits * column.count / 8 for column in used)
    data = b"".join(read.sample.values())
    return [
        Packing(what="without padding", share=(rest + packed) / size),
        Packing(what="as many bits as are used", share=(rest + on_grid) / size),
        Packing(what="lz4", share=len(lz4.frame.compress(data)) / size),
        Packing(
            what="zstd -1",
            share=len(zstandard.ZstdCompressor(level=1).compress(data)) / size,
        ),
    ]


def _nothing(message: Any) -> Iterator[tuple[str, Numbers]]:
    del message
    yield from ()


def _of_cloud(message: Any) -> Iterator[tuple[str, Numbers]]:
    step = message.point_step
    points = np.frombuffer(message.data, np.uint8)
    points = points[: len(points) // step * step].reshape(-1, step)
    fields, used = fields_apart(message)
    order = ">" if message.is_bigendian else "<"
    for field, end in fields:
        raw = np.ascontiguousarray(points[:, field.offset : end])
        yield field.name, raw.view(order + TYPES[field.datatype - 1]).reshape(-1)
    if not used.all():
        name = f"{PADDING}, bytes {_ranges(~used)})"
        yield name, np.ascontiguousarray(points[:, ~used]).reshape(-1)


def _ranges(chosen: npt.NDArray[np.bool_]) -> str:
    """Return the places that are chosen, such as ``12–15, 24–31``."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], chosen, [False]])))
    return ", ".join(f"{begin}–{end - 1}" for begin, end in edges.reshape(-1, 2).tolist())


def _of_scan(message: Any) -> Iterator[tuple[str, Numbers]]:
    for name in ("ranges", "intensities"):
        numbers = np.array(getattr(message, name), np.float32)
        if len(numbers):
            yield name, numbers


def _of_grid(message: Any) -> Iterator[tuple[str, Numbers]]:
    yield "data", np.array(message.data, np.int8)


def _of_image(message: Any) -> Iterator[tuple[str, Numbers]]:
    kind = next((kind for word, kind in IMAGE_TYPES.items() if word in message.encoding), "u1")
    data = bytes(message.data)
    width = np.dtype(kind).itemsize
    yield f"data ({message.encoding})", np.frombuffer(data[: len(data) // width * width], kind)


READERS: dict[str, Callable[[Any], Iterator[tuple[str, Numbers]]]] = {
    "PointCloud2": _of_cloud,
    "LaserScan": _of_scan,
    "OccupancyGrid": _of_grid,
    "Image": _of_image,
}


def _described(name: str, numbers: Numbers) -> InnerColumn:
    size, count = numbers.nbytes, len(numbers)
    looked = numbers[:MOST]
    finite = looked[np.isfinite(looked)] if looked.dtype.kind == "f" else looked
    span = float(finite.max()) - float(finite.min()) if len(finite) else 0.0
    resolution = _resolution(finite)
    values = span / resolution + 2 if resolution else 0.0
    width = 8 * numbers.dtype.itemsize
    return InnerColumn(
        name=name,
        type=numbers.dtype.name,
        count=count,
        bytes=size,
        nan_share=1 - len(finite) / len(looked) if len(looked) else 0.0,
        zero_share=float(np.count_nonzero(looked == 0)) / len(looked) if len(looked) else 0.0,
        constant_bits=_constant_bits(looked),
        low=float(finite.min()) if len(finite) else 0.0,
        high=float(finite.max()) if len(finite) else 0.0,
        resolution=resolution or 0.0,
        bits=min(width, int(np.ceil(np.log2(values))))
        if values
        else width - _constant_bits(looked),
    )


def _resolution(numbers: Numbers) -> float | None:
    """Return the coarsest decimal step that all values are multiples of, None where there is none.

    That of integers is 1.
    """
    if not len(numbers):
        return None
    if numbers.dtype.kind != "f":
        return 1.0
    values = numbers.astype(np.float64)
    for step in STEPS:
        scaled = values / step
        slack = ON_GRID + np.abs(scaled) * np.finfo(numbers.dtype).eps
        if (np.abs(scaled - np.round(scaled)) <= slack).all():
            return step if np.abs(scaled).max() * np.finfo(numbers.dtype).eps < 0.25 else None
    return None


def _constant_bits(numbers: Numbers) -> int:
    """Return how many bits of a value are the same in all."""
    if not len(numbers):
        return 0
    raw = np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), -1)
    changing = np.bitwise_or.reduce(raw ^ raw[0], axis=0)
    return 8 * raw.shape[1] - int(np.unpackbits(changing).sum())
