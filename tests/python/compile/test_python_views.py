# SPDX-License-Identifier: Apache-2.0
"""Generated Python without copies: lists of bytes as views, messages in parts and in memory."""

from __future__ import annotations

import gc
import weakref
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.compiled import compile_python, filled, holder_of, module_of, random_message

CLOUD = """\
string frame
float64[] stamps
uint8[] data
uint8[4] id
bool[] valid
demo/Part[] parts
"""
SEQUENTIAL = ("ros1", "cdr")
EVERY = ("conformance.proto2.EveryType", "conformance.proto3.EveryType")


@pytest.fixture(scope="module")
def clouds(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the module of a message with lists of bytes, also in its parts."""
    folder = tmp_path_factory.mktemp("clouds") / "demo" / "msg"
    folder.mkdir(parents=True)
    (folder / "Cloud.msg").write_text(CLOUD)
    (folder / "Part.msg").write_text("string name\nuint8[] data\n")
    return compile_python([str(folder / "Cloud.msg")], json=True)


@pytest.fixture
def cloud(clouds: Callable[[str], Any]) -> Any:
    part = clouds("demo").Part
    return clouds("demo").Cloud(
        frame="lidar",
        stamps=array("d", (1.5, -2)),
        data=bytes(range(256)) * 40,
        id=b"1234",
        valid=[True, False],
        parts=[part("a", b"short"), part("b"), part("c", bytes(5000))],
    )


def decoded(message: Any, wire: str, data: Any, **how: bool) -> Any:
    return getattr(type(message), f"decode_{wire}")(data, **how)


def encoded(message: Any, wire: str) -> bytes:
    data = getattr(message, f"encode_{wire}")()
    assert type(data) is bytes
    return data


@pytest.mark.parametrize("wire", SEQUENTIAL)
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_views_are_of_the_message_and_nobody_writes_through_them(
    cloud: Any, wire: str, kind: Callable[[bytes], Any]
) -> None:
    data = kind(encoded(cloud, wire))
    viewed = decoded(cloud, wire, data, views=True)
    views = [viewed.data, *(part.data for part in viewed.parts)]
    assert all(type(view) is memoryview and view.readonly for view in views)
    assert viewed.data.obj is memoryview(data).obj
    assert viewed == cloud and cloud == viewed and viewed == decoded(cloud, wire, data)
    assert viewed.frame == "lidar" and viewed.stamps == cloud.stamps and viewed.id == b"1234"
    assert viewed.to_json() == cloud.to_json()
    for other in ("protobuf", *SEQUENTIAL):
        assert encoded(viewed, other) == encoded(cloud, other)


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_a_view_keeps_its_message_in_memory(cloud: Any, wire: str) -> None:
    class Memory(bytearray):
        """Memory that shows when it is freed."""

    data = Memory(encoded(cloud, wire))
    gone = weakref.ref(data)
    view = decoded(cloud, wire, data, views=True).data
    del data
    gc.collect()
    assert gone() is not None and view == cloud.data
    del view
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_a_view_shows_what_is_written_into_the_memory_later(cloud: Any, wire: str) -> None:
    memory = bytearray(encoded(cloud, wire))
    viewed = decoded(cloud, wire, memory, views=True)
    memory[:] = bytes(len(memory))
    assert viewed.data == bytes(len(cloud.data))


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_memory_in_pieces_is_refused_with_the_remedy(clouds: Any, cloud: Any, wire: str) -> None:
    data = memoryview(bytes(byte for value in encoded(cloud, wire) for byte in (value, 0)))[::2]
    with pytest.raises(clouds("").WireError, match="one piece; decode without views"):
        decoded(cloud, wire, data, views=True)
    assert decoded(cloud, wire, data) == cloud


@pytest.mark.parametrize("wire", SEQUENTIAL)
@pytest.mark.parametrize("name", EVERY)
def test_every_type_is_the_same_by_views_in_parts_and_in_memory(name: str, wire: str) -> None:
    holder, module = holder_of(name), module_of(name.rpartition(".")[0])
    for seed in range(10):
        message = filled(random_message(name, seed), module)
        data = encoded(message, wire)
        assert encoded(decoded(message, wire, bytearray(data), views=True), wire) == data
        assert b"".join(getattr(message, f"encode_{wire}_parts")()) == data
        memory = bytearray(b"\xa5") * (len(data) + 1)
        assert getattr(message, f"encode_{wire}_into")(memory) == len(data)
        assert memory == data + b"\xa5"
    assert b"".join(getattr(holder(), f"encode_{wire}_parts")()) == encoded(holder(), wire)


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_long_lists_are_parts_of_their_own(cloud: Any, wire: str) -> None:
    parts = getattr(cloud, f"encode_{wire}_parts")()
    assert [part for part in parts if part is cloud.data] and len(parts) == 5
    assert parts[3] is cloud.parts[2].data
    viewed = decoded(cloud, wire, encoded(cloud, wire), views=True)
    again = getattr(viewed, f"encode_{wire}_parts")()
    assert again[1].obj is viewed.data.obj and b"".join(again) == encoded(cloud, wire)


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_a_message_of_views_may_go_into_the_memory_they_lie_in(cloud: Any, wire: str) -> None:
    memory = bytearray(2 * len(encoded(cloud, wire)))
    size = getattr(cloud, f"encode_{wire}_into")(memory)
    viewed = decoded(cloud, wire, memoryview(memory)[:size], views=True)
    viewed.frame = cloud.frame = "a longer name, so that all behind it moves"
    size = getattr(viewed, f"encode_{wire}_into")(memoryview(memory))
    assert memory[:size] == encoded(cloud, wire)


@pytest.mark.parametrize("wire", SEQUENTIAL)
def test_memory_that_does_not_do_is_refused(clouds: Any, cloud: Any, wire: str) -> None:
    into, error = getattr(cloud, f"encode_{wire}_into"), clouds("").WireError
    size = len(encoded(cloud, wire))
    short = bytearray(size - 1)
    with pytest.raises(error, match=f"takes {size} bytes; its memory has {size - 1}"):
        into(short)
    assert short == bytes(size - 1)
    with pytest.raises(error, match="read-only"):
        into(memoryview(bytes(size)))
    cloud.data = [0] * 5000
    with pytest.raises(error, match="Cloud cannot be encoded"):
        getattr(cloud, f"encode_{wire}_parts")()


def test_names_of_the_methods_are_not_taken_by_fields(tmp_path: Path) -> None:
    path = tmp_path / "names.proto"
    path.write_text('syntax = "proto3"; message M { bytes encode_cdr_into = 1; bytes views = 2; }')
    message = compile_python([str(path)])("names").M(b"a", b"b")
    memory = bytearray(64)
    size = message.encode_cdr_into(memory)
    assert type(message).decode_cdr(memory[:size], views=True).encode_cdr_into_ == b"a"
