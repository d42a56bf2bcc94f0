# SPDX-License-Identifier: Apache-2.0
"""Typed topics: what is refused, and in which words."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wirecost
from support import needs
from support.messaging_fakes import fake_transports
from support.transport_peer import runtime_folder
from wirecost import Tensor, schema_of
from wirecost.messaging.api.schema import Checked
from wirecost.system.errors import UserError

IMAGE = np.zeros((480, 640, 3), np.uint8)
CAMERA = {"image": Tensor("uint8", (480, 640, 3)), "t": float}
POINTS = Tensor("float32", (None, 3))


@dataclass
class Pose:
    x: float


def refusal(schema: Any, message: Any) -> str:
    with pytest.raises(UserError) as caught:
        Checked("camera", schema).check(message)
    return str(caught.value)


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (CAMERA, {"image": IMAGE, "t": 1.5}),
        (CAMERA, {"t": np.float64(1.5), "image": IMAGE}),
        (POINTS, np.zeros((7, 3), np.float32)),
        (POINTS, np.zeros((0, 3), np.float32)),
        (Tensor(), np.zeros(3)),
        (Tensor(None, (3,)), np.zeros(3, bool)),
        (Tensor("float32", ()), np.float32(1)),
        (Tensor(np.float32), np.zeros(3, np.float32)),
        (Tensor(np.dtype("<i2"), (3,)), np.zeros(3, np.int16)),
        (Tensor(float), np.zeros(3)),
        ({}, {}),
        ({"a": {"b": None}, 1: int}, {"a": {"b": None}, 1: 2}),
        (object, {"anything": 1}),
        (Pose, Pose(1.0)),
        (Pose, {"__type__": f"{__name__}:Pose", "x": 1.0}),
    ],
)
def test_messages_that_fit(schema: Any, message: Any) -> None:
    Checked("camera", schema).check(message)


@pytest.mark.parametrize(
    ("schema", "message", "line"),
    [
        (
            CAMERA,
            {"image": IMAGE[:, :, 0], "t": 1.5},
            "camera: image has shape (480, 640), the topic's is (480, 640, 3)",
        ),
        (
            CAMERA,
            {"image": IMAGE.astype(float), "t": 1.5},
            "camera: image has dtype float64, the topic's is uint8",
        ),
        (CAMERA, {"image": IMAGE}, "camera: t is missing; the topic's fields are image, t"),
        (
            CAMERA,
            {"image": IMAGE, "t": 1.5, "k\x1b": 1},
            r"camera: k\x1b is no field of the topic; its fields are image, t",
        ),
        (CAMERA, {"image": IMAGE, "t": 1}, "camera: t is int, the topic's is float"),
        (CAMERA, IMAGE, "camera: the message is numpy, the topic's is dict of image, t"),
        (
            CAMERA,
            {"image": "text", "t": 1.5},
            "camera: image is str, the topic's is tensor uint8 (480, 640, 3)",
        ),
        (
            POINTS,
            np.zeros(3, np.float32),
            "camera: the message has shape (3,), the topic's is (None, 3)",
        ),
        (
            Tensor(),
            1.5,
            "camera: the message is float, the topic's is tensor of any type of any shape",
        ),
        (int, True, "camera: the message is bool, the topic's is int"),
        ({"a": {"b": None}}, {"a": {"b": 1}}, "camera: a.b is int, the topic's is None"),
        (Pose, {"__type__": "other:Pose"}, "camera: the message is dict, the topic's is Pose"),
    ],
)  # fmt: skip
def test_messages_that_differ(schema: Any, message: Any, line: str) -> None:
    assert refusal(schema, message) == line


def test_lines_stay_short() -> None:
    schema = {f"field{number}": int for number in range(1000)}
    assert len(refusal(schema, {"x" * 10_000: 1})) < 300
    assert len(refusal({"a": int}, {"a": 1, "x" * 10_000: 1})) < 300


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        ({"a": 3.5}, "camera: the schema of a is 3.5: give a Tensor, a class, None, or a dict"),
        ("uint8", "camera: the schema is 'uint8': give a Tensor"),
    ],
)
def test_what_is_no_schema(schema: Any, line: str) -> None:
    with pytest.raises(UserError) as caught:
        Checked("camera", schema)
    assert str(caught.value).startswith(line)


@pytest.mark.parametrize("shape", [3, (1.5,), (-1,), ("a",), (True,)])
def test_what_is_no_shape(shape: Any) -> None:
    with pytest.raises(UserError, match=r"schema: Tensor shape .*: give a tuple of extents"):
        Tensor("uint8", shape)


def test_a_schema_of_an_example() -> None:
    pair = namedtuple("pair", "a b")
    message = {"image": IMAGE, "t": 1.5, "on": True, "none": None, "l": [1], "p": {"x": 1}}
    schema = schema_of(message)
    assert schema == CAMERA | {"on": bool, "none": None, "l": list, "p": {"x": int}}
    Checked("camera", schema).check(message)
    assert schema_of(np.float32(1)) == Tensor("float32", ())
    assert schema_of(Pose(1.0)) is Pose
    assert schema_of(pair(1, 2)) is pair
    assert schema_of(None) is None


FRAMEWORKS = {
    "pandas.Series": lambda one: one([1.5, 2.5]),
    "pandas.DataFrame": lambda one: one({"a": [1], "dtype": [2]}),
    "polars.Series": lambda one: one([1, 2]),
    "polars.DataFrame": lambda one: one({"a": [1]}),
    "pyarrow.array": lambda one: one([1.5]),
    "pyarrow.table": lambda one: one({"a": [1]}),
    "xarray.DataArray": lambda one: one(np.zeros((2, 3))),
    "xarray.Dataset": lambda one: one({"dtype": ("x", [1])}),
    "jax.numpy.zeros": lambda zeros: zeros((2, 3), "float32"),
    "dask.array.zeros": lambda one: one((2, 3)),
    "zarr.array": lambda one: one(np.zeros((2, 3))),
    "pint.Quantity": lambda one: one(np.zeros(3), "m"),
    "PIL.Image.new": lambda one: one("RGB", (4, 3)),
}
EXPECTED = {
    "pandas.Series": Tensor("float64", (2,)),
    "polars.Series": Tensor("Int64", (2,)),
    "pyarrow.array": Tensor("double", (1,)),
    "xarray.DataArray": Tensor("float64", (2, 3)),
    "jax.numpy.zeros": Tensor("float32", (2, 3)),
    "dask.array.zeros": Tensor("float64", (2, 3)),
    "zarr.array": Tensor("float64", (2, 3)),
    "pint.Quantity": Tensor("float64", (3,)),
}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_every_framework_is_asked_for_its_own_type_and_shape(name: str) -> None:
    module, _, function = name.rpartition(".")
    value = FRAMEWORKS[name](getattr(needs.package(module), function))
    schema = schema_of(value)
    assert schema == EXPECTED.get(name, type(value))
    Checked("topic", schema).check(value)
    Checked("topic", {"a": schema}).check({"a": value})
    with pytest.raises(UserError, match=r"^topic: the message "):
        Checked("topic", schema).check(np.zeros((9, 9, 9), "f2"))


class Dtype:
    """A type of elements that is written as a framework writes its own."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name

    def __str__(self) -> str:
        return self.text


class Array:
    def __init__(self, dtype: Any, shape: Any) -> None:
        self.dtype, self.shape = dtype, shape


@pytest.mark.parametrize(
    "array",
    [
        Array(Dtype("torch.float32", ""), (2, 3)),
        Array(Dtype("paddle.float32", "FLOAT32"), [2, 3]),
        Array(Dtype("<dtype: 'float32'>", "float32"), (2, 3)),
        Array(np.float32, (2, 3)),
    ],
    ids=["torch", "paddle", "tensorflow", "mxnet"],
)
def test_types_of_elements_have_one_name(array: Array) -> None:
    assert schema_of(array) == Tensor("float32", (2, 3))
    assert Tensor(array.dtype).dtype == "float32"


def test_no_framework_is_imported() -> None:
    program = (
        "import sys, numpy, wirecost; from wirecost.messaging.api.schema import Checked;"
        "schema = wirecost.schema_of({'a': numpy.zeros(3)});"
        "Checked('t', schema).check({'a': numpy.zeros(3)});"
        "heavy = {'torch', 'pandas', 'polars', 'pyarrow', 'jax', 'xarray'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.fixture
def transports(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with fake_transports(monkeypatch), runtime_folder() as folder:
        yield folder


@pytest.mark.usefixtures("transports")
def test_both_sides_refuse() -> None:
    good, bad = {"image": IMAGE, "t": 1.5}, {"image": IMAGE[0], "t": 1.5}
    with (
        wirecost.subscribe("fake", "camera") as all_of_it,
        wirecost.subscribe("fake", "camera", schema=CAMERA) as messages,
        wirecost.publish("fake", "camera") as untyped,
        wirecost.publish("fake", "camera", schema=CAMERA) as camera,
    ):
        line = r"camera: image has shape \(640, 3\), the topic's is \(480, 640, 3\)"
        with pytest.raises(UserError, match=line):
            camera.send(bad)
        assert all_of_it.receive(0) is None
        camera.send(good)
        assert next(messages)["t"] == 1.5
        untyped.send(bad)
        untyped.send(good)
        with pytest.raises(UserError, match=line):
            next(messages)
        assert next(messages)["image"].shape == (480, 640, 3)
    for ends in (wirecost.publish, wirecost.subscribe):
        with pytest.raises(UserError, match="camera: the schema is 3"):
            ends("fake", "camera", schema=3)
