# SPDX-License-Identifier: Apache-2.0
"""A process of its own for the generated columns of a list, whose package has the name of others'.

``python -m wirecost.measure.bench.message.advice.columns_worker`` with one JSON object on standard
input, see ``columns``; prints of each message the bytes with the list in columns, once with every
bit and once with floats for doubles, and the largest error of these.
"""

from __future__ import annotations

import importlib
import json
import math
import struct
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from wirecost.data.messages.content_file import read_content
from wirecost.measure.bench.message.advice.values import varint_size

TAG = 5
"""Bytes: columns have large field numbers."""
LARGEST_FLOAT = 3.4e38
_FLOAT = struct.Struct("f")


def main() -> None:
    job = json.load(sys.stdin)
    sys.path.insert(0, job["folder"])
    top = getattr(importlib.import_module(job["module"]), job["class"])
    columns = getattr(importlib.import_module(job["columns_module"]), job["columns"])
    *around, name = job["path"]
    narrow = dict.fromkeys(job["numbers"], "auto") | dict.fromkeys(job["doubles"], "float32")
    for data in read_content(Path(job["content"])):
        message = top.decode_protobuf(data)
        lists = [rows for rows in _taken(message, around, name) if rows]
        rest = len(message.encode_protobuf())
        exact = rest + sum(_size(columns.from_rows(rows, "auto")) for rows in lists)
        narrowed = rest + sum(_size(columns.from_rows(rows, narrow)) for rows in lists)
        errors = (_error(rows, path) for rows in lists for path in job["doubles"])
        print(exact, narrowed, max(errors, default=0.0))


def _taken(message: Any, around: Sequence[str], name: str) -> Iterator[list[Any]]:
    """Take the lists of that name from the messages that fields lead to, and yield them."""
    if around:
        inner = getattr(message, around[0])
        for held in inner if isinstance(inner, list) else [inner]:
            if held is not None:
                yield from _taken(held, around[1:], name)
        return
    yield getattr(message, name)
    setattr(message, name, [])


def _size(columns: bytes) -> int:
    return TAG + varint_size(len(columns)) + len(columns)


def _error(rows: Iterable[Any], path: str) -> float:
    """Return the largest difference of a double and its float."""
    largest = 0.0
    for row in rows:
        value = row
        for name in path.split("."):
            value = getattr(value, name) if value is not None else None
        if value is not None and math.isfinite(value) and abs(value) < LARGEST_FLOAT:
            largest = max(largest, abs(value - _FLOAT.unpack(_FLOAT.pack(value))[0]))
    return largest


if __name__ == "__main__":
    main()
