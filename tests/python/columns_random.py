# SPDX-License-Identifier: Apache-2.0
"""Columns compiled for the tests, and strategies for the rows and arrays that go into them."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import math
import struct
import sys
import tempfile
from array import array
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from compiled import SCHEMAS
from wirecost.compile.compiler import Columns, compile_schema, write
from wirecost.compile.emit import Request

_numbers = itertools.count()


def compile_columns(
    inputs: list[str], messages: tuple[str, ...], reductions: tuple[str, ...] = ()
) -> Callable[[str], Any]:
    """``compile_columns(...)("osi3.osi_sensorview_columns")``: a generated, imported module."""
    namespace = f"columns{next(_numbers)}"
    folder = Path(tempfile.mkdtemp(prefix="wirecost-test-"))
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
    """The generated module with the columns of a message of the test schemas."""
    inputs = {
        SAMPLES[0]: str(SCHEMAS / "columns_proto2.proto"),
        SAMPLES[1]: str(SCHEMAS / "columns_proto3.proto"),
        REFLECTION: "osi3",
    }
    return compile_columns([inputs[name]], (name,))(_MODULES[name])


def columns_of(name: str) -> Any:
    """The generated class of columns: ``columns_of(...).NODE.holder`` is a row's."""
    module = columns_module(name)
    local = "LidarSensorViewReflection" if name == REFLECTION else "Sample"
    return getattr(module, f"{local}Columns")


def rows_of(name: str, data: bytes) -> list[Any]:
    """The rows of ``{ repeated M rows = 1; }``."""
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
            one, other = getattr(ours, item.name), getattr(theirs, item.name)
            same_within(one, other, error, f"{path}.{item.name}")
    elif isinstance(theirs, (list, array)):
        assert len(ours) == len(theirs), path
        for one, other in zip(ours, theirs, strict=True):
            same_within(one, other, error, path)
    elif isinstance(theirs, dict):
        assert list(ours) == sorted(theirs), path
        for key, other in theirs.items():
            same_within(ours[key], other, error, f"{path}[{key}]")
    else:
        assert type(ours) is type(theirs) and ours == theirs, (path, ours, theirs)


def bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("<d", value)
