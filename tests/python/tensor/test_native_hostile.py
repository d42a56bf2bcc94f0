# SPDX-License-Identifier: Apache-2.0
"""Callers, handlers and other processes that are hostile to the quick path in C++."""

from __future__ import annotations

import gc
import struct
import tracemalloc
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from attack.tensor.frames import parts_of
from attack.tensor.native import in_python, read
from wirecost.messaging.tensor import Frame, SamplePool, codec, native, use_devices
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.writer import HANDLERS
from wirecost.system.errors import UserError

pytestmark = pytest.mark.skipif(native.binding is None, reason="wirecost._tensor was not built")
MANY = 300
FRAME = codec.encode({"a": np.arange(6.0), "t": (1, "x")}).tobytes()


@pytest.fixture(autouse=True)
def path() -> None:
    """Not each alone: both side by side."""


@pytest.mark.parametrize("kind", ["u1", "c", ">u4", "f8", "M8[s]", "V8"])
def test_buffers_are_taken_or_refused_alike(kind: str) -> None:
    buffer = np.frombuffer(FRAME + bytes(-len(FRAME) % 8), "u1").view(kind)
    try:
        with in_python():
            codec.decode(buffer)
    except ValueError as error:
        assert native.binding.decode(buffer, None) is NotImplemented
        with pytest.raises(ValueError, match=str(error)):
            codec.encode(np.ones(3)).write_into(np.zeros(100, kind))
    else:
        assert native.binding.decode(buffer, None) is not NotImplemented


@pytest.mark.parametrize("python", [False, True])
def test_a_view_may_be_released_after_it_was_decoded(python: bool) -> None:
    buffer = bytearray(b"\0" * 64 + FRAME)
    with memoryview(buffer)[64:] as view:
        if python:
            with in_python():
                message = codec.decode(view)
        else:
            message = native.binding.decode(view, None)
    with pytest.raises(BufferError):
        buffer.clear()
    assert message["a"].tolist() == [*range(6)]
    del message
    buffer.clear()


@pytest.mark.parametrize("size", range(20))
def test_tuples_of_each_size_are_read_here(size: int) -> None:
    """MessagePack's extensions of 1, 2, 4, 8 and 16 bytes have forms of their own."""
    message = {"t": (1,) * size}
    assert native.binding.decode(codec.encode(message).tobytes(), None) == message


def test_memory_in_several_pieces_is_left_to_python() -> None:
    spread = np.repeat(np.frombuffer(FRAME, "u1"), 2)[::2]
    assert native.binding.decode(spread, None) is NotImplemented
    with pytest.raises(BufferError, match="in one piece"):
        codec.encode(np.ones(3)).write_into(np.zeros(1000, "u1")[::2])


@pytest.mark.parametrize("start", [0, 40, 128, 200])
def test_an_array_may_lie_where_it_is_written_to(start: int) -> None:
    def written() -> bytes:
        buffer = bytearray(4096)
        array = np.frombuffer(buffer, "u1", 2000, start)
        array[:] = np.arange(2000) % 251
        codec.encode(array).write_into(buffer)
        return bytes(buffer)

    native_bytes = written()
    with in_python():
        assert written() == native_bytes


def test_the_header_is_read_once_from_memory_that_others_write() -> None:
    """Others who share a buffer may change it between two looks; what was read stays as it was."""
    buffer = bytearray(FRAME)
    message = codec.decode(buffer)
    buffer[:] = bytes(len(buffer))
    assert message["t"] == (1, "x") and message["a"].shape == (6,)
    assert native.binding.decode(buffer, None) is NotImplemented


def test_values_that_are_claimed_many_times_take_no_memory() -> None:
    """Lists in lists, each of as many values as there are bytes behind it."""
    many = 60_000
    description = (b"\xdd" + struct.pack(">I", many)) * 30 + b"\xc0" * many
    frame, _ = build(description, [], False)
    tracemalloc.start()
    try:
        assert native.binding.decode(frame, None) is NotImplemented
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 8 * many


class Thing:
    pass


@pytest.mark.parametrize(
    "refused",
    [
        lambda writer: writer.segment("not memory"),
        lambda writer: writer.tensor("no array", "numpy"),
        lambda writer: writer.extension(-1, 1),
        lambda writer: writer.prepare(Thing),
        lambda writer: writer.copied("no number"),
        lambda writer: writer.on_host(1, "cuda"),
    ],
    ids=["segment", "tensor", "extension", "prepare", "copied", "on_host"],
)
def test_a_handler_that_goes_on_after_an_error_is_pythons(
    refused: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def handler(writer: Any, _: Any) -> Any:
        try:
            refused(writer)
        except Exception:
            return 1
        raise AssertionError("was not refused")

    monkeypatch.setitem(HANDLERS, Thing, handler)
    assert native.binding.encode([Thing()]) is None


def test_a_writer_that_a_handler_keeps_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    kept_alive: list[Any] = []

    def handler(writer: Any, _: Any) -> Any:
        kept_alive.append(writer)
        return writer.extension(5, [1])

    monkeypatch.setitem(HANDLERS, Thing, handler)
    assert codec.decode(native.binding.encode([Thing()]).tobytes()) == [(1,)]
    for use in (lambda: kept_alive[0].prepare(1), lambda: kept_alive[0].segment(memoryview(b""))):
        with pytest.raises(RuntimeError, match="a writer is for one message"):
            use()


def test_dicts_that_change_their_keys_while_they_are_encoded_end() -> None:
    class Moving:
        def __array__(self, *_: Any, **__: Any) -> Any:
            key = next(key for key, value in message.items() if value is self)
            del message[key]
            message[f"{key}x"] = self
            return np.ones(1)

    message: dict[str, Any] = {"a": Moving()}
    frame = native.binding.encode(message)
    assert frame is None or len(codec.decode(frame.tobytes())) == 1


@pytest.mark.parametrize("message", [[1, {"a": 2}], np.ones(2), {"a": np.ones(2)}])
def test_what_was_said_of_devices_holds_here_too(message: Any) -> None:
    frame = codec.encode(message).tobytes()
    use_devices(host_to_device=lambda found: ("placed", found))
    try:
        assert codec.decode(frame)[0] == "placed"
        with in_python():
            assert codec.decode(frame)[0] == "placed"
    finally:
        use_devices()


class Once:
    """Arrow data that can be read once, and says how often it was asked for."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.asked = 0

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        self.asked += 1
        return self.data.__arrow_c_stream__(requested_schema)


def test_a_stream_that_can_be_read_once_is_read_once() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"x": [1, 2, 3]}, metadata={"key": "value"})
    for left_to_python in (1, {1: 2}):
        stream = Once(table.to_reader())
        frame = codec.encode([stream, left_to_python]).tobytes()
        received = codec.decode(frame)[0]
        assert received.equals(table, check_metadata=True) and stream.asked == 1
    column = pa.chunked_array([[1, 2], [3]])
    assert codec.decode(codec.encode(Once(column)).tobytes()).equals(column)


def test_a_stream_that_fails_halfway_is_not_sent_in_part() -> None:
    pa = pytest.importorskip("pyarrow")

    def batches() -> Iterator[Any]:
        yield pa.record_batch({"x": [1]})
        raise pa.ArrowInvalid("the source is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"x": pa.int64()}), batches())
    with pytest.raises(pa.ArrowInvalid, match="the source is gone"):
        codec.encode(reader)


def test_an_arrow_message_whose_form_is_cut_off_is_left_to_python() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"x": [1, 2]}).serialize()
    (size,) = struct.unpack_from("<I", batch, 4)
    whole = bytes(batch[8 : 8 + size])
    (root,) = struct.unpack_from("<I", whole)
    form = root - struct.unpack_from("<i", whole, root)[0]
    (form_size,) = struct.unpack_from("<H", whole, form)
    # The same form at the end, which claims one more field than there are bytes for.
    end = len(whole)
    moved = bytearray(whole + whole[form : form + form_size])
    struct.pack_into("<i", moved, root, root - end)
    assert native.binding.arrow_batch(bytes(moved)) == native.binding.arrow_batch(whole)
    struct.pack_into("<H", moved, end, form_size + 2)
    assert native.binding.arrow_batch(bytes(moved)) is None


def test_a_frame_is_one_of_the_class_that_is_documented() -> None:
    frame = codec.encode(np.ones(2))
    assert isinstance(frame, Frame) and isinstance(frame, native.binding.Frame)
    with in_python():
        assert isinstance(codec.encode(np.ones(2)), Frame)
    assert not isinstance(FRAME, Frame)


def test_an_arrow_array_of_views_without_memory_is_refused() -> None:
    """Arrow would end the program."""
    pa = pytest.importorskip("pyarrow")
    texts = pa.array(["a", None, "longer than what lies in a view"], pa.string_view())
    for missing in (1, 2):
        parts = parts_of(codec.encode(texts).tobytes())
        (chunk,) = parts.tree.value[2]["chunks"]
        chunk[2][missing] = None
        parts.refer_once()
        with pytest.raises(UserError, match="views without memory"):
            codec.decode(parts.frame())


def test_a_palette_that_is_no_bytes_is_refused_when_it_is_read() -> None:
    image = pytest.importorskip("PIL.Image").new("P", (2, 2))
    image.putpalette(bytes(range(6)))
    parts = parts_of(codec.encode(image).tobytes())
    parts.tree.value[2]["palette"][1] = [b"\0", b"\1"]
    with pytest.raises(UserError, match="no palette"):
        codec.decode(parts.frame())


class Failing:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError("no array")


def test_nothing_is_kept_of_what_fails() -> None:
    """Or of what does not: the memory of Python and NumPy is the same after many messages."""
    pool = SamplePool(2)
    damaged = [bytes(FRAME[:at]) + b"\xff" + bytes(FRAME[at + 1 :]) for at in range(0, 120, 7)]
    objects = codec.encode({"t": [(1, "x" * 2000), {2}, 2**70, np.float32(1)]}).tobytes()
    refused = ({"a": Failing()}, [np.ones(3), {1: 2}], ["\ud800"], [[Failing(), object()]])

    def all_of_it() -> None:
        for frame in (FRAME, objects, *damaged):
            native.binding.decode(frame, pool.borrow(bytearray(10), lambda _: None))
        for value in (np.ones((3, 4)), np.ones((3, 4)).T, {"a": [1.0, "x" * 2000]}, *refused):
            frame = native.binding.encode(value)
            if frame is not None:
                frame.parts(), frame.tobytes(), frame.write_into(bytearray(frame.nbytes))
                with pytest.raises(UserError):
                    frame.write_into(bytearray(1))
        native.binding.arrow_batch(FRAME)

    # NumPy and Python keep some of it for the next one, in tables that are full at some time.
    tracemalloc.start()
    try:
        counts = []
        for _ in range(6):
            for _ in range(MANY):
                all_of_it()
            gc.collect()
            counts.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # The smallest object takes 16 bytes.
    growth = [after - before for before, after in pairwise(counts)]
    assert min(growth) < 16 * MANY and pool.held == 0


def test_both_read_a_frame_of_each_kind_of_memory() -> None:
    for size in range(8):
        read(codec.encode({"a": np.arange(float(size)), "n": size}).tobytes())
