# SPDX-License-Identifier: Apache-2.0
"""Frames of objects as no sender would write them."""

from __future__ import annotations

from typing import Any

import msgpack

from wirecost.messaging.tensor.codec import decode
from wirecost.messaging.tensor.layout import build
from wirecost.messaging.tensor.matching import match
from wirecost.messaging.tensor.writer import Writer


def hostile(framework: str, kind: str, body: Any, **options: Any) -> Any:
    """Return a frame of an object as no sender would write it."""
    writer = Writer(match)
    description = msgpack.packb(writer.extension(2, [framework, kind, body]))
    header, layout = build(description, [s.nbytes for s in writer.segments], False)
    whole = bytearray(layout.total)
    whole[: len(header)] = header
    for (offset, length), segment in zip(layout.segments, writer.segments, strict=True):
        whole[offset : offset + length] = segment.tobytes()
    return decode(whole, **options)
