# SPDX-License-Identifier: Apache-2.0
"""Columns compiled for the tests, and strategies for the rows and arrays that go into them."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import math
import struct
import sys
from array import array
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

from support.compiled import SCHEMAS
from support.temporary import folder_until_exit
from wirecost.schema.compile.compiler import Columns, compile_schema, write
from wirecost.schema.compile.emit import Request

_numbers = itertools.count()


def compile_columns(
    inputs: list[str], messages: tuple[str, ...], reductions: tuple[str, ...] = ()
) -> Callable[[str], Any]:
    """``compile_columns(...)("osi3.osi_sensorview_columns")``: a generated, imported module."""
    namespace = f"columns{next(_numbers)}"
    folder = folder_until_exit()
    request = Request(("protobuf",), namespace)
    columns = Columns(messages, reductions)
    write(compile_schema(inputs, ["python"], request, columns=columns), folder)
    sys.path.insert(0, str(folder / "python"))
    return lambda module: importlib.import_module(f"{namespace}.{module}")


SAMPLES = ("conformance.columns2.Sample", "conformance.columns3.Sample")
REFLECTION = "osi3.LidarSensorView.Reflection"
MESSAGES = (*SAMPLES, REFLECTION)
_MODULES = {
    SAMPLES[0]: "conformance.columns2.columns_proto2_columns",
    SAMPLES[1]: "conformance.columns3.columns_proto3_columns",
    REFLECTION: "osi3.osi_sensorview_columns",
}


@cache
def columns_module(name: str) -> Any:
    """Return the generated module with the columns of a message of the test schemas."""
    inputs = {
        SAMPLES[0]: str(SCHEMAS / "columns_proto2.proto"),
        SAMPLES[1]: str(SCHEMAS / "columns_proto3.proto"),
        REFLECTION: "osi3",
    }
    return compile_columns([inputs[name]], (name,))(_MODULES[name])


def columns_of(name: str) -> Any:
    """Return the generated class of columns: ``columns_of(...).NODE.holder`` is a row's."""
    module = columns_module(name)
    local = "LidarSensorViewReflection" if name == REFLECTION else "Sample"
    return getattr(module, f"{local}Columns")


def rows_of(name: str, data: bytes) -> list[Any]:
    """Return the rows of ``{ repeated M rows = 1; }``."""
    decode = columns_of(name).NODE.holder.decode_protobuf
    rows, pos = [], 0
    while pos < len(data):
        assert data[pos] == 10
        size, shift, pos = 0, 0, pos + 1
        while True:
            byte = data[pos]
            size, shift, pos = size | (byte & 127) << shift, shift + 7, pos + 1
            if byte < 128:
                break
        rows.append(decode(data[pos : pos + size]))
        pos += size
    return rows


def same_within(ours: Any, theirs: Any, error: float, path: str = "") -> None:
    """Fails where two values differ by more than ``error``; with 0, by more than a float does."""
    if isinstance(theirs, float):
        close = error or abs(theirs) * 2**-23 + 2**-149
        assert bits(ours) == bits(theirs) or abs(ours - theirs) <= close, (path, ours, theirs)
    elif dataclasses.is_dataclass(theirs):
        for item in dataclasses.fields(theirs):
            our_value, other = getattr(ours, item.name), getattr(theirs, item.name)
            same_within(our_value, other, error, f"{path}.{item.name}")
    elif isinstance(theirs, (list, array)):
        assert len(ours) == len(theirs), path
        for our_value, other in zip(ours, theirs, strict=True):
            same_within(our_value, other, error, path)
    elif isinstance(theirs, dict):
        assert list(ours) == sorted(theirs), path
        for key, other in theirs.items():
            same_within(ours[key], other, error, f"{path}[{key}]")
    else:
        assert type(ours) is type(theirs) and ours == theirs, (path, ours, theirs)


def bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


_EDGES: dict[str, list[Any]] = {
    "bool": [False, True],
    "int8": [0, 1, -1, 127, -128],
    "uint8": [0, 1, 255],
    "int16": [0, 1, -1, 32767, -32768],
    "uint16": [0, 1, 300, 65535],
    "int32": [0, 1, -1, 7, 300, 70_000, 2**31 - 1, -(2**31)],
    "uint32": [0, 1, 7, 300, 70_000, 2**32 - 1],
    "int64": [0, 1, -1, 300, 2**53, -(2**53) - 1, 2**63 - 1, -(2**63)],
    "uint64": [0, 1, 300, 2**53, 2**53 + 1, 2**64 - 1],
    "float32": [0.0, -0.0, 1.5, 0.1, 1e-45, 3e38, math.inf, math.nan],
    "float64": [0.0, -0.0, 1.5, 0.1, 0.2, 1e-310, 1e300, -math.inf, math.nan],
    "enum": [0, 1, -5],
    "string": ["", "a", "µß", "\U0001f916", "x" * 70],
    "bytes": [b"", b"a", b"\0\xff", b"x" * 70],
}


def values(node: Any) -> st.SearchStrategy[Any]:
    """Values of one kind, most of them near each other: only then anything can be reduced."""
    if node.kind == "float32":
        edges = [struct.unpack("<f", struct.pack("<f", value))[0] for value in _EDGES["float32"]]
        return st.sampled_from(edges)
    if node.field_name == "a_nested":
        return st.sampled_from([3, 4])
    return st.sampled_from(_EDGES[node.kind])


@cache
def rows(node: Any) -> st.SearchStrategy[Any]:
    """Rows of a message in columns."""
    oneofs = sorted({child.oneof for child in node.children if child.oneof})
    members = {
        name: [child.held for child in node.children if child.oneof == name] for name in oneofs
    }

    @st.composite
    def row(draw: st.DrawFn) -> Any:
        chosen = {draw(st.sampled_from([None, *held])) for held in members.values()}
        held = {
            child.held: draw(_held(child))
            for child in node.children
            if not child.oneof or child.held in chosen
        }
        return node.holder(**held)

    return row()


@cache
def _held(node: Any) -> st.SearchStrategy[Any]:
    if node.is_map:
        key, value = (_single(child) for child in node.children)
        return st.dictionaries(key, value, max_size=2)
    many = node.capacity if node.capacity is not None else 2
    sizes = {"min_size": many if node.fixed else 0, "max_size": many}
    if node.wraps:
        return st.lists(_single(node.children[0]), **sizes)
    if not node.repeated:
        single = _single(node)
        return st.one_of(st.none(), single) if node.lacks and not node.oneof else single
    if node.kind == "uint8":
        return st.lists(values(node), **sizes).map(bytes)
    if node.is_message or node.kind in ("bool", "enum"):
        return st.lists(_single(node), **sizes)
    return st.lists(values(node), **sizes).map(lambda found: array(_CODES[node.kind], found))


_CODES = {
    "int8": "b",
    "int16": "h",
    "uint16": "H",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
    "float64": "d",
}


def _single(node: Any) -> st.SearchStrategy[Any]:
    return rows(node) if node.is_message else values(node)


@st.composite
def lists(draw: st.DrawFn, node: Any) -> list[Any]:
    """Draw lists of rows, many of them with stretches of equal rows."""
    different = draw(st.lists(rows(node), max_size=4))
    repeated = [[row] * draw(st.sampled_from([1, 1, 9])) for row in different]
    return list(itertools.chain.from_iterable(repeated))


def arrays(group: Any, ragged: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the content of columns as ``build`` takes it: values and presence by dotted name."""
    values_: dict[str, Any] = {}
    present: dict[str, Any] = {}
    for name, child in group.children():
        node = child._node if hasattr(child, "_node") else child.node
        if node.optional:
            mask = child.present
            present[node.path] = np.ones(len(child), np.bool_) if mask is None else mask.copy()
        if hasattr(child, "texts"):
            content: Any = ragged(child.offsets, list(child.texts))
        elif hasattr(child, "bytes_"):
            content = list(child)
        elif hasattr(child, "_node"):
            inner, inner_present = arrays(child, ragged)
            content = ragged(child.offsets, inner) if node.repeated else inner
            present |= inner_present
        else:
            content = ragged(child.offsets, child.values) if node.repeated else child.values
        values_[name] = content
    return values_, present
