# SPDX-License-Identifier: Apache-2.0
"""Sources of lists to advise on: traces, and point clouds taken as OSI's lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from wirecost.data.clouds import scan_files
from wirecost.data.osi.lists import RepeatedField, find, without_indices
from wirecost.data.osi.transpose import Arrays, transposed
from wirecost.data.traces import Trace, messages, wire
from wirecost.system.errors import UserError

LIGHT_M_S = 299_792_458.0
Values = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SampledList:
    """One list of one frame."""

    path: str
    """``lidar_sensor_view.reflection``, without indices."""
    message: str
    """Full name of its elements' type."""
    arrays: Arrays
    rows: bytes
    """Rows in Protobuf: tags, lengths and messages."""


class ListSource(Protocol):
    """Frames to look at, as often as wanted."""

    total: int
    """Frames there are."""
    sampled: int
    """Frames that are looked at."""

    def __iter__(self) -> Iterator[list[SampledList]]: ...


class TraceSource:
    """Some frames of a trace, evenly spread, first and last among them; 0 are all of them."""

    def __init__(self, trace: Trace, count: int, only: str | None) -> None:
        self._trace, self._only = trace, only
        frame_count = trace.frame_count
        self.total = sum(1 for _ in trace.frames()) if frame_count is None else frame_count
        most = min(count, self.total) if count else self.total
        last, steps = self.total - 1, max(most - 1, 1)
        self._numbers = [round(step * last / steps) for step in range(most)]
        self.sampled = most

    def __iter__(self) -> Iterator[list[SampledList]]:
        for number in self._numbers:
            for _, data in self._trace.frames(number, number + 1):
                try:
                    yield list(self._lists(messages.parse(self._trace.type_name, data)))
                except ValueError as error:
                    raise UserError(
                        f"{self._trace.path}: frame {number} cannot be read ({error}); "
                        "run `wirecost trace check`"
                    ) from error

    def _lists(self, message: Message) -> Iterator[SampledList]:
        for listed in find(message):
            path = without_indices(listed.path)
            if self._only in (None, path, listed.path):
                yield _of_rows(listed, path)


def _of_rows(listed: RepeatedField, path: str) -> SampledList:
    rows: Sequence[Message] = listed.rows
    if listed.columns is not None:
        element = GetMessageClass(listed.element)
        held = listed.kind.read(listed.columns).to_rows()
        rows = [element.FromString(row.encode_protobuf()) for row in held]
    content = _framed(listed.number, [row.SerializeToString() for row in rows])
    return SampledList(path, listed.element.full_name, transposed(listed.kind, rows), content)


def _framed(number: int, encoded: Sequence[bytes]) -> bytes:
    """Return the bytes of a repeated message in the message around it."""
    return b"".join([wire.bytes_field(number, element) for element in encoded])


class CloudSource:
    """A point cloud as ``osi3.LidarSensorView.Reflection`` and as ``osi3.LidarDetection``.

    Time of flight from the range, angles from x, y, z; the intensity as part of its full scale (255
    or, of real numbers up to 1, 1) in dB, 0 as half of 1/255, or in percent. Points without a
    return (no range, not finite) are left out. Raises UserError.
    """

    total = sampled = 1

    def __init__(self, path: Path, only: str | None) -> None:
        fields = scan_files.read(path)
        if missing := {"x", "y", "z"} - fields.keys():
            raise UserError(
                f"{path}: its points have no {', '.join(sorted(missing))}; save the cloud with "
                "x y z"
            )
        x, y, z = (fields[name].astype(np.float64) for name in "xyz")
        distance = np.sqrt(x * x + y * y + z * z)
        if "distance" in fields:
            distance = fields["distance"].astype(np.float64)
        there = np.isfinite(distance) & np.isfinite(x + y + z) & (distance > 0)
        if not there.any():
            raise UserError(f"{path}: none of its points has a return; name a cloud that has some")
        x, y, z, self._distance = x[there], y[there], z[there], distance[there]
        self._azimuth = np.arctan2(y, x)
        self._elevation = np.arctan2(z, np.hypot(x, y))
        self._intensity = _intensity(fields.get("intensity"), there)
        self._makers: dict[str, Callable[[], SampledList]] = {
            "reflection": self._reflections,
            "detection": self._detections,
        }
        if only is not None:
            if only not in self._makers:
                raise UserError(
                    f"--list {only}: of a point cloud there are {' and '.join(self._makers)}"
                )
            self._makers = {only: self._makers[only]}

    def __iter__(self) -> Iterator[list[SampledList]]:
        yield [make() for make in self._makers.values()]

    def _reflections(self) -> SampledList:
        from wirecost_osi.osi3 import osi_sensorview_columns  # noqa: PLC0415  made by the build

        values = {"time_of_flight": 2 * self._distance / LIGHT_M_S}
        if self._intensity is not None:
            values["signal_strength"] = 10 * np.log10(np.maximum(self._intensity, 0.5 / 255))
        kind = osi_sensorview_columns.LidarSensorViewReflectionColumns
        return self._list("reflection", "osi3.LidarSensorView.Reflection", kind, 2, values)

    def _detections(self) -> SampledList:
        from wirecost_osi.osi3 import osi_featuredata_columns  # noqa: PLC0415  made by the build

        position = {
            "distance": self._distance, "azimuth": self._azimuth, "elevation": self._elevation
        }  # fmt: skip
        values: dict[str, object] = {"position": position}
        if self._intensity is not None:
            values["intensity"] = 100 * self._intensity
        kind = osi_featuredata_columns.LidarDetectionColumns
        return self._list("detection", "osi3.LidarDetection", kind, 2, values)

    def _list(self, path: str, message: str, kind: Any, number: int, values: Any) -> SampledList:
        arrays = Arrays(kind, len(self._distance), values)
        rows = kind.read(arrays.prepare("exact").to_bytes()).to_rows()
        return SampledList(
            path, message, arrays, _framed(number, [r.encode_protobuf() for r in rows])
        )


def _intensity(stored: npt.NDArray[Any] | None, there: npt.NDArray[np.bool_]) -> Values | None:
    """Return intensities as part of full scale, 0 … 1; None where there are none."""
    if stored is None:
        return None
    values = np.nan_to_num(stored[there].astype(np.float64), nan=0, posinf=0, neginf=0)
    is_part = stored.dtype.kind == "f" and values.max(initial=0) <= 1
    return np.clip(values if is_part else values / 255, 0, None)
