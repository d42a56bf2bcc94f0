# SPDX-License-Identifier: Apache-2.0
"""Values, registered classes, copies and owners come out of a frame as they went in."""

from __future__ import annotations

import array
import collections
import dataclasses
import datetime as dt
import enum
import gc
import mmap
import weakref
import zoneinfo
from typing import Any

import numpy as np
import pytest

from wirecost.messaging.tensor import (
    FrameError,
    SamplePool,
    decode,
    encode,
    register,
    register_plugin,
    registry,
    to_host,
)
from wirecost.system.errors import UserError


@dataclasses.dataclass
class Pose:
    frame: str
    position: np.ndarray
    norm: float = dataclasses.field(init=False, default=0.0)


@dataclasses.dataclass(frozen=True)
class Unknown:
    x: int


class Gear(enum.Enum):
    FORWARD = 1
    REVERSE = "r"


Point = collections.namedtuple("Point", "x y")


def there_and_back(value: Any, **options: Any) -> Any:
    frame = encode(value)
    room = bytearray(frame.nbytes + 10)
    assert frame.write_into(room) == frame.nbytes
    assert frame.tobytes() == bytes(room[: frame.nbytes])
    return decode(room, **options)


VALUES = [
    None,
    True,
    0,
    -(1 << 63),
    (1 << 64) - 1,
    1 << 64,
    -(1 << 200),
    1.5,
    float("inf"),
    complex(1, -0.0),
    "",
    "grüß",
    "x" * 5000,
    b"",
    b"\0\xff" * 3000,
    bytearray(b"ab"),
    [],
    {},
    (),
    (1, (2, [3, ()])),
    {1, 2},
    frozenset({"a"}),
    {"a": [1, None, {"b": (True, 2.5)}]},
    {1: "one", None: 2, (1, 2): 3, "s": 4},
    [True, 1, 1.0, None],
    dt.datetime(2024, 2, 29, 1, 2, 3, 4),
    dt.datetime(2024, 2, 29, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30))),
    dt.datetime(2024, 10, 27, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1),
    dt.date(1, 1, 1),
    dt.time(23, 59, 59, 999999),
    dt.time(1, tzinfo=dt.timezone.utc),  # noqa: UP017  either is meant
    dt.timedelta(days=-3, microseconds=7),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{value!r:.30}")
def test_values_come_back_with_their_types(value: Any) -> None:
    restored = there_and_back(value)
    assert (restored, type(restored)) == (value, type(value))
    assert str(restored) == str(value)
    if isinstance(value, dt.datetime):
        assert restored.tzinfo == value.tzinfo
        assert restored.utcoffset() == value.utcoffset()


def test_tensors_lie_anywhere_in_the_values() -> None:
    value = {
        "a": [np.arange(3), (np.float32(2.5), {"b": np.eye(2, dtype="f4")})],
        7: memoryview(b"x"),
    }
    restored = there_and_back(value)
    assert restored["a"][0].tolist() == [0, 1, 2]
    assert type(restored["a"][1][0]) is np.float32
    assert restored["a"][1][1]["b"].dtype == np.float32
    assert bytes(restored[7]) == b"x"
    assert type(restored[7]) is memoryview


@pytest.fixture
def unregistered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forget the classes that a test registers, after it."""
    for name in ("_CLASSES", "_PLUGINS", "_PLUGIN_NAMES"):
        monkeypatch.setattr(registry, name, getattr(registry, name).copy())


@pytest.mark.usefixtures("unregistered")
def test_records_become_dicts_until_they_are_registered() -> None:
    pose = Pose("base", np.arange(3.0))
    pose.norm = 2.5
    value = [pose, Gear.REVERSE, Point(1, 2), Unknown(4)]
    first = there_and_back(value)
    assert first[0]["__type__"].endswith(":Pose")
    assert (first[0]["frame"], first[0]["norm"]) == ("base", 2.5)
    assert (first[1]["name"], first[1]["value"]) == ("REVERSE", "r")
    for cls in (Pose, Gear, Point):
        register(cls)
    again = there_and_back(value)
    assert type(again[0]) is Pose
    assert again[0].norm == 2.5
    assert again[0].position.tolist() == [0, 1, 2]
    assert again[1:3] == [Gear.REVERSE, Point(1, 2)]
    assert again[3] == {"__type__": f"{__name__}:Unknown", "x": 4}
    register(Pose, name="other:Name")
    with pytest.raises(UserError, match="not a dataclass"):
        register(int)


@pytest.mark.usefixtures("unregistered")
def test_a_plugin_sends_what_nothing_else_can() -> None:
    class Celsius:
        def __init__(self, degrees: float) -> None:
            self.degrees = degrees

    with pytest.raises(UserError, match="register_plugin"):
        encode(Celsius(1))
    register_plugin(Celsius, "celsius", lambda c: [np.float64(c.degrees)], lambda v: Celsius(*v))
    assert there_and_back([Celsius(2.5)])[0].degrees == 2.5


# MXNet's NumPy is older than texts of any length.
TEXTS = (
    [(np.array(["a"], dtype=np.dtypes.StringDType()), "astype")] if hasattr(np, "dtypes") else []
)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([{}]), "astype"),
        (np.ma.array([1], mask=[1]), "mask"),
        ("\ud800", "bytes"),
        (object(), "do not support"),
        (type("Sub", (int,), {})(3), "int"),
        *TEXTS,
        (dt.time(1, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")), "datetime"),
    ],
    ids=lambda one: repr(one).partition(" at 0x")[0],
)
def test_what_has_no_form_is_refused_with_a_remedy(value: Any, words: str) -> None:
    with pytest.raises(UserError, match=words):
        encode({"deep": [value]})


def test_nesting_is_bounded_for_loops_too() -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = 0
    for _ in range(100_000):
        deep = (deep,)
    for value in (loop, deep):
        with pytest.raises(UserError, match="nest"):
            encode(value)
    del deep
    good: Any = 1
    for _ in range(60):
        good = (good,)
    assert there_and_back(good) == good


def test_copies_are_counted() -> None:
    big = np.arange(100.0).reshape(10, 10)
    assert encode(big).copies == encode(big.T).copies == encode({"a": big[:5]}).copies == 0
    frame = encode([big[:, ::2], big[::-1], big])
    assert (frame.copies, frame.copied_bytes) == (2, 400 + 800)
    assert encode("ü" * 600).copies == 0
    assert encode("ü" * 6000).copied_bytes == 12000


def test_parts_are_the_memory_itself_and_views_lie_in_the_buffer() -> None:
    value = np.arange(1000.0)
    parts = encode({"a": value}).parts()
    addresses = [np.frombuffer(p, np.uint8).__array_interface__["data"][0] for p in parts]
    assert value.__array_interface__["data"][0] in addresses
    room = bytearray(encode(value).tobytes())
    start = np.frombuffer(room, np.uint8).__array_interface__["data"][0]
    for options in ({}, {"owner": object()}, {"writable": True}):
        decoded = decode(room, **options)
        assert 0 < decoded.__array_interface__["data"][0] - start < 1000
        assert decoded.flags.writeable is ("writable" in options)
    copied = decode(room, copy=True)
    copied[0] = 5
    assert decode(room)[0] == 0
    with pytest.raises(FrameError, match="copy=True"):
        decode(bytes(room), writable=True)
    with pytest.raises(UserError, match="cannot take"):
        encode(value).write_into(bytearray(100))
    with pytest.raises(UserError, match="read-only"):
        encode(value).write_into(bytes(9000))


class Sample:
    """Sample that a middleware lends."""


def test_the_last_view_lets_the_owner_go() -> None:
    for value in (np.arange(9.0), {"a": np.arange(9.0).reshape(3, 3).T, "b": np.ones(3)}):
        room = bytearray(encode(value).tobytes())
        owner = Sample()
        alive = weakref.ref(owner)
        decoded = decode(room, owner=owner)
        del owner
        tensor = decoded if not isinstance(decoded, dict) else decoded.pop("a")
        del decoded
        view = tensor[1:][::2].T.view()
        del tensor
        gc.collect()
        assert alive() is not None
        del view
        gc.collect()
        assert alive() is None


def test_memory_cannot_be_taken_away_under_a_view() -> None:
    frame = encode(np.arange(100.0))
    room = bytearray(frame.tobytes())
    view = decode(room)[::2]
    with pytest.raises(BufferError):
        room.extend(b"x")
    mapped = mmap.mmap(-1, frame.nbytes)
    frame.write_into(mapped)
    held = decode(mapped, owner=Sample())[3:]
    with pytest.raises(BufferError):
        mapped.close()
    assert (view[1], held[0]) == (2, 3)
    del view, held
    gc.collect()
    room.extend(b"x")
    mapped.close()


def test_a_pool_bounds_the_samples_held() -> None:
    pool = SamplePool(2)
    room = encode(np.arange(5)).tobytes()
    released: list[int] = []
    held = [decode(room, owner=pool.borrow(i, released.append)) for i in range(2)]
    with pytest.raises(UserError, match="copy=True"):
        pool.borrow(2)
    held.pop(0)
    gc.collect()
    assert (released, pool.held) == ([0], 1)
    copied = decode(room, copy=True, owner=pool.borrow(3, released.append))
    gc.collect()
    assert (released, pool.held, copied.tolist()) == ([0, 3], 1, [0, 1, 2, 3, 4])


def test_objects_with_a_buffer_arrive_as_arrays() -> None:
    assert there_and_back(array.array("d", [1, 2])).tolist() == [1, 2]
    assert encode(array.array("d", [1, 2])).copies == 0


def test_only_host_memory_is_sent() -> None:
    class Device:
        def __dlpack__(self, **_: Any) -> Any:
            raise AssertionError("not asked for")

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

    with pytest.raises(UserError, match="to_host"):
        encode([Device()])
    frame = encode([Device()], device_to_host=lambda _: np.arange(3))
    assert (decode(frame.tobytes())[0].tolist(), frame.copies) == ([0, 1, 2], 1)
    tree = {"a": [np.ones(2), (1,)]}
    assert to_host(tree)["a"][0] is tree["a"][0]
