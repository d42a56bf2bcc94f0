# SPDX-License-Identifier: Apache-2.0
"""Arrays as ROS images (``sensor_msgs/Image``), which ROS 1 and ROS 2 share but for their wires."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wirecost.messaging.transport.shared.ros_topic import RosTopic
from wirecost.system.errors import UserError

_USUAL = {"u1": {1: "mono8", 3: "rgb8", 4: "rgba8"}, "u2": {1: "mono16", 3: "rgb16", 4: "rgba16"}}
_LETTER = {"u": "U", "i": "S", "f": "F"}
_ITEM_BYTES = {"u": (1, 2), "i": (1, 2, 4), "f": (2, 4, 8)}


@dataclass(frozen=True)
class Image:
    """The fields of an image message, and its rows of pixels as one run of bytes."""

    height: int
    width: int
    encoding: str
    big_endian: bool
    step: int
    """Bytes of a row."""
    pixels: memoryview


def image(array: Any, encoding: str | None = None) -> Image:
    """Return the image in an array of shape (height, width) or (height, width, channels).

    ``encoding``: ROS's name for the pixels, as ``bgr8``; else three channels of bytes are ``rgb8``,
    four ``rgba8``, and what has no such name is called ``32FC1`` and the like. Raises UserError for
    an array that is no image.
    """
    import numpy as np  # noqa: PLC0415 - transports are listed without it

    pixels = np.ascontiguousarray(array)
    kind, size = pixels.dtype.kind, pixels.dtype.itemsize
    if pixels.ndim not in {2, 3} or not pixels.size or size not in _ITEM_BYTES.get(kind, ()):
        raise UserError(
            f"an array of shape {pixels.shape} and type {pixels.dtype} is no image: (height, width)"
            " or (height, width, channels) of uint8, uint16, int8, int16, int32 or floats is"
        )
    height, width = pixels.shape[:2]
    channels = pixels.shape[2] if pixels.ndim == 3 else 1
    if encoding is None:
        usual = _USUAL.get(f"{kind}{size}", {})
        encoding = usual.get(channels, f"{8 * size}{_LETTER[kind]}C{channels}")
    big = pixels.dtype.byteorder == ">"  # NumPy normalises the machine's own to "="
    data = pixels.reshape(-1).view(np.uint8).data
    return Image(height, width, encoding, big, width * channels * size, data)


class ImagePublisher:
    """Publisher of arrays as images for any node of ROS."""

    def __init__(
        self, topic: RosTopic, message: Callable[[Image, int, str], Sequence[Any]]
    ) -> None:
        """Publish images; ``message`` makes the parts of one, its time and its frame's name."""
        self._topic = topic
        self._message = message

    def send(
        self,
        array: Any,
        *,
        encoding: str | None = None,
        stamp_ns: int | None = None,
        frame_id: str = "",
    ) -> None:
        """Publish ``array`` as ``image`` takes it. ``stamp_ns``: since 1970, else now."""
        stamp = time.time_ns() if stamp_ns is None else stamp_ns
        self._topic.send(self._message(image(array, encoding), stamp, frame_id))

    def wait_for_subscriber(self, timeout: float) -> bool:
        """Return whether one was there within ``timeout`` seconds."""
        return self._topic.wait(timeout)

    def close(self) -> None:
        """Close it. A second call does nothing."""
        self._topic.close()
