# SPDX-License-Identifier: Apache-2.0
"""The native classes make texts, lists and messages when they are asked for, which nobody sees."""

from __future__ import annotations

import copy
import gc
import pickle
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from support.compiled import filled, module_of, random_message
from support.native import native_class, native_error, native_module

EVERY_TYPE = "conformance.proto3.EveryType"
NOTIFICATION, CHAIN = "rsb.protocol.Notification", "conformance.Chain"
WIRES = ("protobuf", "ros1", "cdr")
LONG = "long ö" * 20
"""Short texts are made at once."""


def pair(name: str, wire: str, seed: int) -> tuple[Any, Any]:
    """Return a native message nobody has read, and the pure one of the same bytes."""
    pure = filled(random_message(name, seed), module_of(name.rpartition(".")[0]))
    if name == NOTIFICATION:
        pure.data = LONG.encode()
    else:
        pure.a_string = pure.maybe_string = LONG
        pure.strings.append(LONG)
    data = getattr(pure, f"encode_{wire}")()
    native = getattr(native_class(name), f"decode_{wire}")(data)
    return native, getattr(type(pure), f"decode_{wire}")(data)


def notification() -> Any:
    """Return a message nobody has read, with a part, an element and a text."""
    module = native_module("rsb.protocol")
    user = module.EventMetaData.UserInfo(b"key", b"value")
    whole = module.Notification(
        scope=b"scope",
        data=LONG.encode(),
        causes=[module.EventId(b"cause", i) for i in range(3)],
        meta_data=module.EventMetaData(user_infos=[user]),
    )
    return module.Notification.decode_protobuf(whole.encode_protobuf())


def test_decoding_makes_no_part():
    made = {type(value).__name__ for value in gc.get_referents(notification())}
    assert LONG.encode() not in gc.get_referents(notification())
    assert made.isdisjoint({"list", "EventMetaData", "EventId"})


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", [EVERY_TYPE, NOTIFICATION])
def test_what_is_read_and_set_is_encoded_beside_what_is_not(name: str, wire: str):
    for seed in range(8):
        choice = random.Random(seed)
        native, pure = pair(name, wire, seed)
        fields = list(pure.__match_args__)
        for field in choice.sample(fields, len(fields) // 3):
            assert repr(getattr(native, field)) == repr(getattr(pure, field))
        for message in (native, pure):
            lists = [getattr(message, f) for f in fields[: seed * 3] if not f.startswith("by_")]
            for values in lists:
                if isinstance(values, list):
                    values.reverse()
        field = choice.choice([f for f in fields if isinstance(getattr(pure, f), list)])
        for message in (native, pure):
            setattr(message, field, [])
        encoded = getattr(native, f"encode_{wire}")()
        assert encoded == getattr(pure, f"encode_{wire}")()
        assert getattr(native, f"encoded_size_{wire}")() == len(encoded)
        assert repr(native) == repr(pure)


@pytest.mark.parametrize("wire", WIRES)
def test_an_unread_message_is_copied_compared_and_pickled(wire: str):
    for seed in range(5):
        native, pure = pair(EVERY_TYPE, wire, seed)
        for duplicate in (
            copy.deepcopy(native),
            pickle.loads(pickle.dumps(native)),
            pair(EVERY_TYPE, wire, seed)[0],
        ):
            assert repr(duplicate) == repr(pure)
            assert repr(duplicate) == repr(native)
        assert pair(EVERY_TYPE, wire, seed)[0] == pair(EVERY_TYPE, wire, seed)[0]


def test_a_part_is_made_once_and_outlives_the_whole_and_its_bytes():
    data = bytearray(notification().encode_protobuf())
    message = type(notification()).decode_protobuf(memoryview(data))
    data[:] = bytes(len(data))
    part, causes = message.meta_data, message.causes
    assert part is message.meta_data
    assert causes is message.causes
    causes[0].sequence_number = 7
    element = causes[2]
    assert type(message).decode_protobuf(message.encode_protobuf()).causes[0].sequence_number == 7
    del message, causes
    others = [notification() for _ in range(100)]  # take memory that was given back
    gc.collect()
    assert part.user_infos[0].key == b"key"
    assert element.sender_id == b"cause"
    assert others[0].scope == b"scope"
    assert others[1].data == LONG.encode()


def test_a_deleted_field_stays_deleted():
    message = notification()
    del message.causes
    with pytest.raises(AttributeError, match="causes"):
        _ = message.causes
    with pytest.raises(AttributeError, match="causes"):
        del message.causes
    assert message.scope == b"scope"
    assert message.meta_data.user_infos[0].value == b"value"
    with pytest.raises(native_error(NOTIFICATION), match="causes: it was deleted"):
        message.encode_protobuf()
    message.causes = []
    assert type(message).decode_protobuf(message.encode_protobuf()) == message


def test_fields_that_were_not_given_are_made_once_for_each_message():
    cls = native_class(EVERY_TYPE)
    first, second = cls(), cls()
    first.strings.append("x")
    first.int32s.append(1)
    first.by_string["x"] = cls.Inner()
    assert (second.strings, list(second.int32s), second.by_string) == ([], [], {})
    assert cls.decode_protobuf(first.encode_protobuf()) == first != second


@pytest.mark.parametrize("text", ["01ff", "02c328", "03eda080", "0561", "8080"])
def test_a_fault_within_is_refused_at_once(text: str):
    """A text in a message in two others: not UTF-8, or cut off."""
    data = bytes.fromhex("12" + text)
    for tag in ("1a", "1a", "9201"):
        data = bytes.fromhex(tag) + bytes([len(data)]) + data
    with pytest.raises(native_error(EVERY_TYPE)) as it:
        native_class(EVERY_TYPE).decode_protobuf(data)
    assert 0 < it.value.position <= len(data)  # type: ignore[attr-defined]


def test_depth_is_bounded_when_decoding():
    cls = native_class(CHAIN)

    def chain(length: int) -> bytes:
        message = cls()
        for _ in range(length - 1):
            message = cls(next=message)
        return bytes(message.encode_protobuf())

    message, length = cls.decode_protobuf(chain(100)), 0
    while message is not None:
        message, length = message.next, length + 1
    assert length == 100
    with pytest.raises(native_error(CHAIN), match="nested"):
        cls.decode_protobuf(chain(102))


def test_attributes_refuse_objects_of_other_classes():
    cls, other = native_class(NOTIFICATION), native_class(EVERY_TYPE)
    for strange in (other(), 5, object()):
        with pytest.raises(TypeError):
            cls.causes.__get__(strange)
        with pytest.raises(TypeError):
            cls.causes.__set__(strange, [])
        with pytest.raises(TypeError):
            cls.causes.__delete__(strange)


@contextmanager
def eager_collection() -> Iterator[None]:
    thresholds = gc.get_threshold()
    gc.set_threshold(1)
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)


@pytest.mark.parametrize("act", ["read", "set", "delete"])
def test_code_that_runs_while_a_field_is_made_does_no_harm(act: str):
    class Witness:
        ran = 0

        def __init__(self, message: Any) -> None:
            self.itself, self.message = self, message

        def __del__(self) -> None:
            Witness.ran += 1
            if act == "read":
                assert len(self.message.causes) == 3
            elif act == "set":
                self.message.causes = []
            elif hasattr(self.message, "causes"):
                del self.message.causes

    for _ in range(20):
        message = notification()
        Witness(message)
        with eager_collection():
            first = getattr(message, "causes", None)
        assert first is getattr(message, "causes", None) or act != "read"
        assert act != "read" or len(first) == 3  # type: ignore[arg-type]
    gc.collect()
    assert Witness.ran == 20


def test_threads_read_the_same_parts():
    seen: list[set[int]] = []
    for _ in range(50):
        message = notification()
        parts: list[Any] = []
        start = threading.Barrier(4)

        def work(message: Any = message, parts: list[Any] = parts, start: Any = start) -> None:
            start.wait()
            parts.append((message.causes, message.meta_data))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seen.append({id(part) for pair in parts for part in pair})
    assert {len(ids) for ids in seen} == {2}
