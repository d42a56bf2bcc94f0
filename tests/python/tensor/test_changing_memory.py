# SPDX-License-Identifier: Apache-2.0
"""Received memory that a peer changes while it is read: what was checked is what is used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import FrameError, arrow_stream, codec, decode, encode, layout

pa = needs.package("pyarrow")
_HEAD = 8
"""Bytes of a message before its metadata."""


def _table() -> Any:
    return pa.table({f"c{i}": np.arange(40.0) + i for i in range(5)} | {"text": ["ab"] * 40})


def _dictionaries() -> Any:
    words = pa.array(["a", "b", "a"] * 10)
    return pa.table({"words": words.dictionary_encode(), "n": np.arange(30)})


def _frame() -> Any:
    return (
        needs.package("pandas")
        .DataFrame({"n": [1, 2], "t": ["x", "y"]})
        .convert_dtypes(dtype_backend="pyarrow")
    )


def _polars() -> Any:
    return needs.package("polars").DataFrame({"n": [1, 2], "t": ["x", "y"]})


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> list[bytearray]:
    """Memory whose Arrow metadata are spoiled as soon as they were checked; then the count."""
    memory: list[bytearray] = []
    check = arrow_stream.check_message

    def checked(metadata: bytes, *others: Any) -> int:
        checked = check(metadata, *others)
        at = memory[0].index(metadata)
        memory[0][at - _HEAD : at + len(metadata)] = b"\xff" * (_HEAD + len(metadata))
        memory.append(memory[0])
        return checked

    monkeypatch.setattr(arrow_stream, "check_message", checked)
    monkeypatch.setattr(arrow_stream, "_SCHEMAS", {})
    return memory


@pytest.mark.parametrize("make", [_table, _dictionaries, _frame, _polars])
def test_metadata_of_arrow_that_change_behind_their_check_have_no_effect(
    make: Callable[[], Any], changed: list[bytearray]
) -> None:
    value = make()
    frame = encode(value).tobytes()
    for messages in (2, 1):  # the second time, the schema is known
        changed[:] = [bytearray(frame)]
        decoded = decode(changed[0])
        assert decoded.equals(value)
        assert len(changed) > messages and changed[0] != frame


def test_bodies_of_arrow_stay_where_they_lie() -> None:
    value = _table()
    memory = bytearray(encode(value).tobytes())
    received = np.frombuffer(memory, np.uint8)
    start = received.__array_interface__["data"][0]
    for table in (decode(memory), decode(memory)):
        for column in table.columns:
            for buffer in column.chunk(0).buffers():
                if buffer is not None:
                    assert start <= buffer.address <= start + len(memory) - buffer.size


def test_a_header_that_changes_behind_its_check_has_no_effect(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frame = encode({"a": np.arange(3.0)}).tobytes()
    memory, size = bytearray(frame), layout.header_size

    def changing(start: Any, there: int) -> int:
        size_there = size(start, there)
        memory[: layout.PREFIX.size] = b"\xff" * layout.PREFIX.size
        return size_there

    monkeypatch.setattr(codec, "_decode", None)
    monkeypatch.setattr(codec, "_PLANS", {})
    monkeypatch.setattr(layout, "header_size", changing)
    assert decode(memory)["a"].tolist() == [0, 1, 2]
    monkeypatch.undo()
    with pytest.raises(FrameError, match="does not start like a tensor frame"):
        decode(memory)
