# SPDX-License-Identifier: Apache-2.0
"""The quick path in C++ beside the Python that it stands for."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any

import msgpack
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from attack.crew import brief
from attack.tensor.native import TARGET, frames, in_python, read
from support.programs import execute
from wirecost.messaging.tensor import SamplePool, codec, native, pool, register_plugin
from wirecost.system.errors import UserError

pytestmark = pytest.mark.skipif(native.binding is None, reason="wirecost._tensor was not built")
MUTATED = 5000

PLAIN = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 70), 1 << 70), st.floats(), st.text(max_size=40),
    st.binary(max_size=40), st.sampled_from(("x" * 31, "y" * 32, "é" * 200, "z" * 1025, "\ud800")),
    arrays.arrays(
        st.sampled_from(("f8", "f4", "u1", "?", "<i2", ">i4", "c8", "U3", "M8[s]")),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
    ),
)  # fmt: skip
MESSAGES = st.dictionaries(
    st.text(max_size=40),
    st.recursive(
        PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
    ),
    max_size=20,
)


@pytest.fixture(autouse=True)
def path() -> None:
    """Not each alone: both side by side."""


def encoded(value: Any) -> bytes | str:
    """Return a frame, or why there is none."""
    try:
        return codec.encode(value).tobytes()
    except UserError as error:
        return str(error)


@given(MESSAGES)
@settings(max_examples=300)
def test_both_make_the_same_frames_and_read_the_same_values(message: dict[str, Any]) -> None:
    frames = encoded(message)
    with in_python():
        assert encoded(message) == frames
    if isinstance(frames, bytes):
        read(frames)


def test_lengths_and_numbers_at_the_edges_of_their_forms() -> None:
    """MessagePack has a form for each width."""
    widths = (0, 4, 5, 7, 8, 15, 16, 31, 32, 63, 64)
    numbers = [
        sign * (1 << width) + offset
        for width in widths
        for sign in (1, -1)
        for offset in (-1, 0, 1)
    ]
    messages: list[dict[str, Any]] = [{"n": number} for number in numbers]
    for size in (0, 15, 16, 31, 32, 255, 256, 1024, 1025):
        messages += [{"s": "x" * size}, {"b": b"x" * size}, {"l": [None] * size}]
        messages += [{str(i): i for i in range(size)}, {"a": np.zeros((1,) * min(size, 32))}]
    messages += [{"l": [1] * size} for size in (4096, 4097, 65_536)]
    for message in messages:
        frames = encoded(message)
        with in_python():
            assert encoded(message) == frames
        assert isinstance(frames, bytes)
        read(frames)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_is_encoded_as_python_does_it(order: Any) -> None:
    shapes = ((), (3,), (4, 5), (70_000,), (1,) * 32, (0, 7), (2, *[1] * 62, 3))
    for shape in shapes:
        for kind in ("f8", "u1", ">f4", "c16", "M8[ms]"):
            array = np.zeros(shape, kind, order=order)
            own_frames = [encoded(array), encoded(array)]
            with in_python():
                assert [encoded(array)] * 2 == own_frames


def test_an_array_with_a_description_of_its_own_is_left_to_python() -> None:
    array = np.zeros(3, np.dtype("f8", metadata={"unit": "m"}))
    assert native.binding.encode(array) is None


def test_what_python_refuses_or_copies_is_left_to_it() -> None:
    class Name(str):
        pass

    gaps = np.ones((4, 4))[::2, ::2]
    for value in ({"a": Name("x")}, {1: 2}, {"m": np.ma.array([1.0])}, {"g": gaps}, object()):
        assert native.binding.encode(value) is None


def test_an_interrupt_of_a_handler_is_not_swallowed() -> None:
    class Interrupting:
        def __array__(self) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        native.binding.encode({"a": Interrupting()})


def test_a_collection_that_changes_while_it_is_encoded_is_left_to_python() -> None:
    class Changing:
        def __init__(self, collection: Any) -> None:
            self.collection = collection

        def __array__(self, *_: Any, **__: Any) -> Any:
            self.collection.clear()
            return np.ones(3)

    for collection_type in ({}, []):
        collection: Any = collection_type
        parts = {"a": Changing(collection), "b": "x" * 100}
        if isinstance(collection, dict):
            collection |= parts
        else:
            collection += parts.values()
        assert native.binding.encode([collection]) is None


def test_what_a_program_registered_is_called_once() -> None:
    class Counted:
        pass

    calls: list[str] = []

    def encode(_: Any) -> int:
        calls.append("encode")
        return 1

    def decode(_: Any) -> str:
        calls.append("decode")
        return "restored"

    register_plugin(Counted, "counted", encode, decode)
    message = {"a": [Counted(), {1, 2}], "t": (1,)}
    frame = codec.encode(message).tobytes()
    assert codec.decode(frame) == {"a": ["restored", {1, 2}], "t": (1,)}
    assert calls == ["encode", "decode"]


def test_a_description_that_grows_too_large_is_left_to_python_at_once() -> None:
    text = "x" * 1000
    many = [[text] * 4000 for _ in range(50)]
    assert native.binding.encode(many) is None


def test_an_extension_of_msgpack_is_a_named_tuple_as_any_other() -> None:
    message = {"a": msgpack.ExtType(7, b"\x90")}
    whole = codec.encode(message).tobytes()
    with in_python():
        assert codec.encode(message).tobytes() == whole


def test_a_view_of_bytes_may_be_released_after_it_was_encoded() -> None:
    content = bytearray(range(256)) * 8
    view = memoryview(content)
    frame = native.binding.encode([view])
    view.release()
    assert codec.decode(frame.tobytes()) == [bytes(content)]


def test_copies_of_frameworks_are_counted_alike() -> None:
    text = {"t": "x" * 2000}
    native_frame = native.binding.encode(text)
    with in_python():
        python = codec.encode(text)
    assert (
        (native_frame.copies, native_frame.copied_bytes)
        == (python.copies, python.copied_bytes)
        == (1, 2000)
    )


def test_hostile_frames_are_read_alike() -> None:
    assert brief(TARGET, MUTATED) == []


def test_it_reads_most_of_its_own_frames() -> None:
    """Else the tests above would show nothing."""
    read_here = [native.binding.decode(frame, None) is not NotImplemented for frame in frames()]
    assert sum(read_here) >= 60


def test_arrays_keep_the_buffer_and_its_owner() -> None:
    pool = SamplePool(1)
    given_back: list[str] = []
    buffer = bytearray(codec.encode({"a": np.arange(3.0), "b": np.ones(2)}).tobytes())
    message = codec.decode(buffer, owner=pool.borrow("sample", given_back.append))
    with pytest.raises(BufferError):
        buffer.clear()
    last = message["b"][1:]
    del message
    assert given_back == [] and pool.held == 1
    with pytest.raises(ValueError, match="read-only"):
        last[0] = 1
    del last
    assert given_back == ["sample"] and pool.held == 0
    buffer.clear()


def test_nothing_is_kept_of_messages() -> None:
    frame = codec.encode({"a": np.arange(1000.0), "text": "x" * 500}).tobytes()
    owner = object()
    before = sys.getrefcount(owner), sys.getrefcount(frame)
    for _ in range(200):
        codec.decode(frame, owner=owner)
        codec.decode(frame[:-1] + b"\1", owner=owner)
        native.binding.decode(frame[:100], owner)
        native.binding.decode("no buffer", owner)
    gc.collect()
    assert (sys.getrefcount(owner), sys.getrefcount(frame)) == before


@pytest.mark.parametrize("kind", [SamplePool, pool.SamplePool], ids=["native", "python"])
def test_pools_are_alike(kind: Any) -> None:
    given_back: list[int] = []
    samples = kind(2)
    first, second = (
        samples.borrow(1, given_back.append),
        samples.borrow(2, release=given_back.append),
    )
    with pytest.raises(UserError, match=r"^2 received samples are held .*, which is the maximum"):
        samples.borrow(3)
    assert (first.sample, second.sample, samples.held) == (1, 2, 2)
    del first
    assert (given_back, samples.held) == ([1], 1)
    third = samples.borrow(3)
    del second, third
    assert (given_back, samples.held) == ([1, 2], 0)


@pytest.mark.parametrize("kind", [SamplePool, pool.SamplePool], ids=["native", "python"])
def test_a_sample_that_refers_to_its_own_loan_is_given_back(kind: Any) -> None:
    class Sample:
        loan: Any

        def release(self) -> None:
            given_back.append(type(self).__name__)

    given_back: list[str] = []
    samples, calls = kind(3), (Sample.release, lambda sample: sample.release(), None)
    for release in calls:
        sample = Sample()
        sample.loan = samples.borrow(sample, release)
    # One that is in use stays, whatever is collected.
    array = codec.decode(codec.encode(np.ones(3)).tobytes(), owner=sample.loan)
    del sample
    gc.collect()
    assert (given_back, samples.held) == (["Sample"] * 2, 1)
    del array
    gc.collect()
    assert samples.held == 0


@pytest.mark.parametrize("kind", [SamplePool, pool.SamplePool], ids=["native", "python"])
def test_a_loan_that_its_release_keeps_is_given_back_once(kind: Any) -> None:
    class Sample:
        loan: Any

    def keep(sample: Sample) -> None:
        loans.append(sample.loan)

    loans: list[Any] = []
    samples, sample = kind(1), Sample()
    sample.loan = samples.borrow(sample, keep)
    del sample
    gc.collect()
    assert samples.held == 0 and len(loans) == 1 and loans[0].sample.loan is loans[0]
    loans.clear()
    gc.collect()
    assert samples.held == 0 and loans == []


def test_an_error_where_a_sample_is_given_back_ends_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: seen.append(raised.exc_value))

    def fails(_: int) -> None:
        raise KeyError("middleware")

    SamplePool(1).borrow(1, fails)
    assert [str(error) for error in seen] == ["'middleware'"]


def test_frames_say_what_a_buffer_lacks() -> None:
    native_frame = codec.encode(np.arange(8.0))
    with in_python():
        python_frame = codec.encode(np.arange(8.0))
    for frame in (native_frame, python_frame):
        with pytest.raises(UserError, match="of 5 bytes cannot"):
            frame.write_into(bytearray(5))
        with pytest.raises(UserError, match="of 900 bytes, read-only, cannot"):
            frame.write_into(bytes(900))
        assert b"".join(frame.parts()) == frame.tobytes()


def test_an_array_that_was_resized_is_not_written() -> None:
    buffer = bytearray(1000)
    for size in (1, 100_000):
        array = np.arange(8.0)
        frame = codec.encode(array)
        array.resize(size, refcheck=False)
        for write in (lambda made=frame: made.write_into(buffer), frame.tobytes, frame.parts):
            with pytest.raises(UserError, match="was resized since it was encoded"):
                write()
    assert not any(buffer)


def test_python_alone_can_be_asked_for() -> None:
    code = "from wirecost.tensor import encode; import numpy; print(type(encode(numpy.ones(2))))"
    done = execute(
        [sys.executable, "-c", code], env={**os.environ, "WIRECOST_TENSOR": "python"}, check=True
    )
    assert "wirecost.messaging.tensor.frame" in done.stdout
