# SPDX-License-Identifier: Apache-2.0
"""Objects of one description after another, made by a plan: as those that are made anew."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import decode, encode, native
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.frameworks import module
from wirecost.messaging.tensor.layout import build, parse

pandas = needs.package("pandas")
pyarrow = needs.package("pyarrow")
if native.binding is None:
    pytest.skip("the module in C++ was not built", allow_module_level=True)


@pytest.fixture(autouse=True)
def path() -> None:
    """Not in Python, which has no plans."""


LABELS = ["b", "a", "d", "c"]


def _frame(number: int, columns: Any = None, index: Any = None) -> Any:
    content = np.arange(12.0).reshape(3, 4) + number
    return pandas.DataFrame(content, columns=columns, index=index)


def _lists(number: int) -> Any:
    values = pyarrow.array([number, None, *range(10)], pyarrow.int16())
    return pyarrow.FixedSizeListArray.from_arrays(values, 3)


PLANNED: dict[str, Callable[[int], Any]] = {
    "range": _frame,
    "texts": lambda number: _frame(number, LABELS),
    "numbers": lambda number: _frame(number, [4, 2, 3, 1]),
    "pairs": lambda number: _frame(number, [3, "a", 1, "b"]),
    "one column": lambda number: pandas.DataFrame({"x": np.arange(5) + number}),
    "lists": _lists,
    "flags": lambda number: pyarrow.array([number % 2 == 0, None, True]),
}
OTHERS: dict[str, Callable[[int], Any]] = {
    "columns change": lambda number: _frame(number, LABELS[number % 2 :] + LABELS[: number % 2]),
    "rows are labelled": lambda number: _frame(number, LABELS, [number, 2, 3]),
    "attributes": lambda number: _with_attributes(_frame(number), {"unit": ["m"]}),
    "texts as values": lambda number: pyarrow.array([f"{number}", None, "abc"]),
}


def _with_attributes(frame: Any, attributes: dict[str, Any]) -> Any:
    frame.attrs.update(attributes)
    return frame


def _check_same(one: Any, other: Any) -> None:
    if isinstance(one, pandas.DataFrame):
        pandas.testing.assert_frame_equal(one, other, check_column_type="exact")
        assert one.attrs == other.attrs
    else:
        one.validate(full=True)
        assert one.type == other.type and one.equals(other)


@pytest.mark.parametrize("name", [*PLANNED, *OTHERS])
def test_content_and_labels_are_those_of_each_message(name: str) -> None:
    make = (PLANNED | OTHERS)[name]
    for number in range(6):
        received = decode(encode({"t": number, "objects": [make(number), make(-number)]}).tobytes())
        for obj, sign in zip(received["objects"], (1, -1), strict=True):
            _check_same(obj, make(sign * number))
        # What a listener does to its own shows in no other.
        for obj in received["objects"]:
            if isinstance(obj, pandas.DataFrame):
                obj.columns.name, obj.index.name, obj.attrs["own"] = "x", "y", []


@pytest.mark.parametrize("name", PLANNED)
def test_the_third_is_made_by_a_plan(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = encode(PLANNED[name](1)).tobytes()
    decode(frame)
    decode(frame)

    def restore(*_: object) -> None:
        raise AssertionError("restored anew")

    for framework in "pandas", "pyarrow":
        monkeypatch.setattr(module(framework), "restore", restore)
    _check_same(decode(frame), PLANNED[name](1))


@pytest.mark.parametrize("name", PLANNED)
def test_a_plan_keeps_nobodys_memory(name: str) -> None:
    class Owner:
        pass

    for _ in range(4):
        owner = Owner()
        alive = weakref.ref(owner)
        received = decode(encode(PLANNED[name](1)).tobytes(), owner=owner)
        del owner
        assert alive() is not None
        del received
        gc.collect()
        assert alive() is None


@pytest.mark.parametrize("name", PLANNED)
def test_another_size_of_memory_is_refused(name: str) -> None:
    whole = encode(PLANNED[name](1)).tobytes()
    for _ in range(3):
        decode(whole)
    layout = parse(whole[: int.from_bytes(whole[16:20], "little")])
    lengths = [length for _, length in layout.segments]
    for change in [*lengths[:-1], lengths[-1] - 1], lengths[:-1], [*lengths, 8]:
        header, changed = build(layout.description, change, False)
        with pytest.raises(FrameError):
            decode(header + bytes(changed.total - len(header)))


def test_more_objects_than_plans_may_make() -> None:
    for number in range(3):
        received = decode(encode([_frame(n + number, LABELS) for n in range(40)]).tobytes())
        for n, obj in enumerate(received):
            _check_same(obj, _frame(n + number, LABELS))
