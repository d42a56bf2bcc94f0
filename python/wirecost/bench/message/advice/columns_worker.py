# SPDX-License-Identifier: Apache-2.0
"""A process of its own for the generated columns of a list, whose package has the name of others'.

``python -m wirecost.bench.message.advice.columns_worker`` with one JSON object on standard input,
see ``columns``; prints the bytes of each message whose list is in columns.
"""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from wirecost.bench.message.advice.values import varint_size
from wirecost.bench.message.content_file import read_content

TAG = 5
"""Bytes: columns have large field numbers."""


def main() -> None:
    job = json.load(sys.stdin)
    sys.path.insert(0, job["folder"])
    top = getattr(importlib.import_module(job["module"]), job["class"])
    columns = getattr(importlib.import_module(job["columns_module"]), job["columns"])
    *around, name = job["path"]
    for data in read_content(Path(job["content"])):
        message = top.decode_protobuf(data)
        holder = message
        for one in around:
            holder = getattr(holder, one) if holder is not None else None
        rows = getattr(holder, name) if holder is not None else []
        size = 0
        if rows:
            made = columns.from_rows(rows, "auto")
            size = TAG + varint_size(len(made)) + len(made)
            setattr(holder, name, [])
        print(len(message.encode_protobuf()) + size)


if __name__ == "__main__":
    main()
