# SPDX-License-Identifier: Apache-2.0
"""Made-up images of a camera: sky, ground, boxes with windows, and a sensor's noise.

They are the same on every machine, as they are made of integers alone. Their number is a pattern of
black and white blocks, which lossy compression keeps.
"""

from __future__ import annotations

import numpy as np

from wirecost.measure.bench.tensor.arrays import SEED, VARIANTS, Array, ArraySource, nearest

BLOCK, ACROSS = 8, 4
"""Pixels of a block, and blocks of the pattern, each way: JPEG's own blocks."""
LEAST = BLOCK * ACROSS
"""Rows and columns of the smallest image."""
BITS = ACROSS * ACROSS
BOXES, MOVES = 24, 3
"""Boxes in the scene, and columns that it moves by from one image to the next."""
TEXTURE, GRAIN = 16, 24
"""Pixels between the points of the ground's texture, and how much it is brighter or darker."""


class Camera(ArraySource):
    """Source of images, in the place of what ``--content`` says."""

    def _made(self, content: str) -> list[Array]:  # noqa: ARG002
        return images(self.shape, VARIANTS)

    def _sign(self, array: Array, number: int) -> None:
        for bit in range(BITS):
            _block(array, bit)[...] = 255 * (number >> bit & 1)

    def number_in(self, array: Array, expected: int) -> int:
        white = [_block(array, bit).mean() > 127 for bit in range(BITS)]
        return nearest(sum(1 << bit for bit in range(BITS) if white[bit]), 1 << BITS, expected)


def _block(image: Array, bit: int) -> Array:
    row, column = bit // ACROSS * BLOCK, bit % ACROSS * BLOCK
    return image[row : row + BLOCK, column : column + BLOCK]


def images(shape: tuple[int, ...], count: int) -> list[Array]:
    """Return what a turning camera sees, each image with noise of its own.

    They are of height x width, or height x width x 3 in red, green, blue, as uint8.
    """
    random = np.random.default_rng(SEED)
    height, width = shape[:2]
    wide = _scene(random, height, width + MOVES * count)
    # The standard deviation is 2.8, that of a small sensor indoors.
    noise = random.integers(-2, 3, (4, height, width, 3), np.int8).sum(0, np.int16)
    pictures = []
    for i in range(count):
        seen = wide[:, MOVES * i : MOVES * i + width] + np.roll(noise, 7919 * (i + 1))
        clipped = seen.clip(0, 255).astype(np.uint8)
        pictures.append(clipped if len(shape) > 2 else np.ascontiguousarray(clipped[:, :, 1]))
    return pictures


def _scene(random: np.random.Generator, height: int, width: int) -> Array:
    rows = np.arange(height, dtype=np.int32)[:, None, None]
    columns = np.arange(width, dtype=np.int32)[None, :, None]
    horizon = height * 2 // 5
    sky = np.array([120, 160, 210]) + 60 * rows // height + 20 * columns // width
    ground = np.array([105, 95, 80]) + 50 * (rows - horizon) // height
    grain = _texture(random, height, width)[:, :, None] * GRAIN // 128
    scene = np.where(rows < horizon, sky, ground + grain).astype(np.int16)
    for _ in range(BOXES):
        _box(random, scene, horizon)
    return scene


def _texture(random: np.random.Generator, height: int, width: int) -> Array:
    """Return values from -128 to 127 that change smoothly from point to point of a grid."""
    points = random.integers(-128, 128, (height // TEXTURE + 2, width // TEXTURE + 2), np.int32)
    down: Array = np.arange(height)
    across: Array = np.arange(width)
    row, part = down // TEXTURE, (down % TEXTURE)[:, None]
    lines = (points[row] * (TEXTURE - part) + points[row + 1] * part) // TEXTURE
    column, part = across // TEXTURE, (across % TEXTURE)[None, :]
    texture: Array = (lines[:, column] * (TEXTURE - part) + lines[:, column + 1] * part) // TEXTURE
    return texture


def _box(random: np.random.Generator, scene: Array, horizon: int) -> None:
    """Draw a building that stands on the ground, lit from the left, with dark windows."""
    height, width = scene.shape[:2]
    tall = int(random.integers(height // 8 + 1, height // 2 + 2))
    broad = int(random.integers(width // 20 + 1, width // 6 + 2))
    foot = int(random.integers(horizon, height)) + 1
    first_column = int(random.integers(0, width))
    part = scene[max(foot - tall, 0) : foot, first_column : first_column + broad]
    colour = random.integers(70, 220) + random.integers(-30, 31, 3)
    down, across = (np.arange(n)[:, None, None] for n in part.shape[:2])
    across = across.reshape(1, -1, 1)
    part[...] = colour - 30 * across // broad
    gap = max(broad // 5, 3)
    windows = (down % gap > gap // 3) & (across % gap > gap // 3)
    part[...] = np.where(windows, part // 3, part)
