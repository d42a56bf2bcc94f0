# SPDX-License-Identifier: Apache-2.0
"""Messages of types that come with ROS 2, through rclpy's serialization and our codecs.

``python serializes.py FOLDER`` reads a list of ``package.Name`` and messages in hexadecimal from
standard input; our modules are in the folder. Prints each type once its messages agree.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
from typing import Any

from rclpy.serialization import deserialize_message, serialize_message

PADDED = 4


def ours(name: str) -> Any:
    package, message = name.split(".")
    module = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", message).lower()
    return getattr(importlib.import_module(f"wire.{package}.{module}"), message)


def check(kind: Any, mine: Any, data: bytes) -> None:
    read = deserialize_message(data, kind)
    by_rclpy = serialize_message(read)
    written = mine.encode_cdr(mine.decode_cdr(by_rclpy))
    assert mine.decode_cdr(by_rclpy) == mine.decode_cdr(data), f"{kind}: {read}"
    assert deserialize_message(written, kind) == read
    assert 0 <= len(by_rclpy) - len(written) < PADDED
    for at, (a, b) in enumerate(zip(by_rclpy, written, strict=False)):
        if a != b:
            other = written[:at] + bytes((b ^ 0xFF,)) + written[at + 1 :]
            assert deserialize_message(other, kind) == read, f"byte {at} is no padding"


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    for name, messages in json.load(sys.stdin):
        package, message = name.split(".")
        kind = getattr(importlib.import_module(f"{package}.msg"), message)
        for data in messages:
            check(kind, ours(name), bytes.fromhex(data))
        print(name)


main()
