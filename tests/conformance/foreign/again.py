# SPDX-License-Identifier: Apache-2.0
"""Program that prints messages again as generated Python writes them.

``again.py FOLDER WIRE MODULE:CLASS…`` reads lines of a class's number and a message in
hexadecimal."""

import importlib
import sys

sys.path.insert(0, sys.argv[1])
WIRE = sys.argv[2]
CLASSES = [
    getattr(importlib.import_module(module), name)
    for module, _, name in (place.partition(":") for place in sys.argv[3:])
]
for line in sys.stdin:
    number, _, data = line.rstrip("\n").partition(" ")
    message = getattr(CLASSES[int(number)], f"decode_{WIRE}")(bytes.fromhex(data))
    print(getattr(message, f"encode_{WIRE}")().hex())
