# SPDX-License-Identifier: Apache-2.0
"""Images of the tensor benchmark: what is sent, compressed or not, and what is noticed of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from support import needs
from wirecost.measure.bench.tensor import blocks
from wirecost.measure.bench.tensor.arrays import PAGE_BYTES
from wirecost.measure.bench.tensor.camera import LEAST, Camera, images
from wirecost.measure.bench.tensor.cases import plan as plan_cases
from wirecost.measure.bench.tensor.contenders import find_contender
from wirecost.measure.bench.tensor.contenders.base import TensorMeeting
from wirecost.measure.bench.tensor.plugins import PLUGINS
from wirecost.measure.bench.tensor.settings import Settings
from wirecost.measure.bench.tensor.task import TensorOrder, TensorSide, TensorTask
from wirecost.messaging.tensor import compress

SHAPE = (120, 160, 3)
NAMES = [name for name, plugin in PLUGINS.items() if plugin.image]
CODECS = [name for name in NAMES if PLUGINS[name].codec]
TOLERANCE = PLUGINS["image-jpeg"].tolerance
SHAPES = [SHAPE, (120, 160), (LEAST, LEAST), (33, 47, 3)]


@pytest.mark.parametrize("shape", SHAPES)
def test_images_differ_by_their_noise_and_are_the_same_again(shape: tuple[int, ...]) -> None:
    first, second = images(shape, 2)
    assert (first.shape, first.dtype) == (shape, np.uint8)
    assert (first != second).mean() > 0.5
    assert np.array_equal(first, images(shape, 2)[0])
    assert np.unique(first).size > 60
    assert 60 < first.mean() < 200


def test_an_image_hardly_gets_smaller_without_loss() -> None:
    """A camera's images are like that for their noise; JPEG takes a fraction."""
    for name in ("lz4", "zstandard", "simplejpeg"):
        needs.package(name)
    image = Camera(SHAPE, "uint8", "ones").array(3)
    sizes = {how: compress(image, how).nbytes / image.nbytes for how in ("lz4", "zstd", "jpeg")}
    assert 0.6 < sizes["zstd"] < sizes["lz4"] <= 1.01
    assert sizes["jpeg"] < 0.3


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", [0, 1, 255, 32_767, 65_536, 1_000_003])
def test_an_image_shows_its_number_whatever_jpeg_made_of_it(
    shape: tuple[int, ...], number: int
) -> None:
    needs.package("simplejpeg")
    camera = Camera(shape, "uint8", "ones")
    image = camera.array(number, marked=True).copy()
    for quality in (90, 20):
        compressed: Any = compress(image, "jpeg", quality=quality)
        for near in (-3, 0, 3):
            assert camera.number_in(compressed.array(), number + near) == number
    assert camera.difference(image, number, True) is None
    compressed = compress(image, "jpeg")
    assert camera.difference(compressed.array(), number, True, TOLERANCE) is None


def test_what_jpeg_does_not_do_to_an_image_is_noticed(snapshot: SnapshotAssertion) -> None:
    camera = Camera(SHAPE, "uint8", "ones")
    image = camera.array(7).copy()
    stale = image.copy()
    stale.reshape(-1)[PAGE_BYTES : 2 * PAGE_BYTES] = 0
    images_received = {"stale": stale, "next": camera.array(8).copy(), "gray": image[:, :, 0]}
    assert {
        name: camera.difference(received, 7, tolerance=TOLERANCE)
        for name, received in images_received.items()
    } == snapshot


def run(name: str, seen: Any = None) -> tuple[TensorSide, TensorSide]:
    order = TensorOrder(name, SHAPE, "uint8", "ones", "cpu", True, 0, 5, 0.0)
    camera = Camera(SHAPE, "uint8", "ones")
    task = TensorTask(order, PLUGINS[name], camera, marked=True)
    contender = find_contender("in-process", camera.nbytes)
    receiver = contender.receiver(TensorMeeting())
    if seen is not None:
        receiver.decode = seen(receiver.decode)  # type: ignore[method-assign]
    return blocks.both(contender.sender(TensorMeeting()), receiver, task)


@pytest.mark.parametrize("name", NAMES)
def test_compressed_objects_have_stages_of_their_own(name: str) -> None:
    if why := PLUGINS[name].missing("cpu"):
        pytest.skip(why)
    sent, received = run(name)
    assert (sent.failure, received.failure) == (None, None)
    packed = name in CODECS
    assert {len(row) for row in sent.stamps} == {7 + packed}
    assert {len(row) for row in received.stamps} == {4 + packed}
    for there, back in zip(sent.stamps, received.stamps, strict=True):
        _, _, _, constructed, hosted, ready, _, *compressed = there
        _, _, decoded, read, *expanded = back
        assert constructed <= hosted <= (compressed or [hosted])[0] <= ready
        assert decoded <= (expanded or [decoded])[0] <= read
    least = 0.05 if name == "image-jpeg" else 0.6
    assert least * np.prod(SHAPE) < received.nbytes < np.prod(SHAPE) + 1000


def test_a_compressed_image_that_changes_on_its_way_is_noticed() -> None:
    needs.package("simplejpeg")

    def dark(decode: Any) -> Any:
        def changed(message: Any) -> Any:
            image = decode(message).array()
            image[60:] = 0
            return compress(image, "jpeg")

        return changed

    _, received = run("image-jpeg", dark)
    assert "8 is allowed" in (received.failure or "")


def test_what_is_no_image_is_refused_with_the_reason(snapshot: SnapshotAssertion) -> None:
    shapes = ((200, 200), (200,), (8, 8), (64, 64, 4))
    plan = plan_cases(Settings(("image", "numpy"), ("in-process",), shapes, ("float32", "uint8")))
    assert plan.not_run == snapshot
    measured = {
        (case.shape, case.dtype)
        for case in plan.cases
        for combination in case.combinations
        if combination.plugin == "image"
    }
    assert measured == {((200, 200), "uint8")}


def test_contenders_that_know_no_compressed_objects_get_none(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    needs.package("lz4")
    monkeypatch.setattr(type(find_contender("in-process", 1)), "takes_compressed", False)
    plan = plan_cases(Settings(("image", "image-lz4"), ("in-process",), ((64, 64),), ("uint8",)))
    assert plan.not_run == snapshot
    assert [combination.plugin for case in plan.cases for combination in case.combinations] == [
        "image"
    ]
