# SPDX-License-Identifier: Apache-2.0
"""Pillow: images of every mode, with palette and transparency."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.packages import load
from wirecost.messaging.tensor.writer import Handler, Writer
from wirecost.system.errors import UserError

ROOTS = ("PIL",)
INSTALL = "pillow"
PLUGIN_ORDER = 15
_BITS = {
    "1": 1, "L": 8, "P": 8, "LA": 16, "PA": 16, "La": 16, "I;16": 16, "I;16B": 16, "I;16L": 16,
    "I;16N": 16, "RGB": 24, "YCbCr": 24, "LAB": 24, "HSV": 24, "RGBX": 32, "RGBA": 32, "RGBa": 32,
    "CMYK": 32, "I": 32, "F": 32,
}  # fmt: skip
_ROW_BYTES = 8
"""Pillow's pointer to a row, which may have no pixels; it makes room for a row as well."""


def encoder(cls: type) -> Handler | None:
    """Return how a class is written: a file that was opened arrives as its pixels."""
    return _image if cls.__name__ == "Image" else None


def _image(writer: Writer, image: Any) -> Any:
    if image.mode not in _BITS:
        raise UserError(f"pillow: mode {image.mode} is unknown; send image.convert('RGB')")
    # Pillow has no rows one behind the other for most modes: this is a copy.
    pixels = np.frombuffer(image.tobytes(), np.uint8)
    writer.copied(pixels.nbytes)
    palette = image.palette and [image.palette.mode, bytes(image.palette.palette)]
    if image.palette and image.palette.rawmode:
        palette = ["RGB", bytes(image.palette.getdata()[1])]
    transparency = image.info.get("transparency")
    body = {
        "mode": image.mode,
        "size": list(image.size),
        "pixels": pixels,
        "palette": palette or None,
        "transparency": list(transparency) if type(transparency) is tuple else transparency,
    }
    return writer.extension(2, ["pillow", "image", body])


def restore(kind: str, body: Any, budget: Budget) -> Any:
    """Return an image, over received memory for L, P, RGBX, RGBA, RGBa, CMYK, I and F."""
    image = load("PIL.Image")
    mode, (width, height), pixels = body["mode"], body["size"], body["pixels"]
    if kind != "image" or type(width) is not int or type(height) is not int:
        raise ValueError(kind)
    if not isinstance(pixels, np.ndarray):
        raise ValueError("no pixels")
    if type(mode) is not str or mode not in _BITS:
        raise ValueError("no mode")
    if width < 0 or height < 0 or pixels.nbytes != -(-width * _BITS[mode] // 8) * height:
        raise FrameError(f"frame: an image of {width} × {height} {mode} has other pixels")
    stored = 1 if _BITS[mode] <= 8 else 4
    budget.take("an image", _ROW_BYTES * max(width, height) + stored * width * height)
    if not pixels.nbytes:
        restored = image.new(mode, (width, height))
    else:
        restored = image.frombuffer(mode, (width, height), pixels, "raw", mode, 0, 1)
        restored.readonly = 1
    if body["palette"] is not None:
        raw_mode, colours = body["palette"]
        if type(colours) is not bytes:
            # Pillow takes it, and fails once the image is looked at.
            raise ValueError("no palette")
        restored.putpalette(colours, raw_mode)
    if body["transparency"] is not None:
        transparency = body["transparency"]
        restored.info["transparency"] = (
            tuple(transparency) if type(transparency) is list else transparency
        )
    return restored
