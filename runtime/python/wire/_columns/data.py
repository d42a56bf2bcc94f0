# SPDX-License-Identifier: Apache-2.0
"""What a writer writes: the values of a message's fields, before they are reduced."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .node import MOST_ELEMENTS, OFFSET, Node

Mask = npt.NDArray[np.bool_]


@dataclass
class Data:
    """A field of ``count`` elements; of a message its fields."""

    node: Node
    count: int
    present: Mask | None = None
    """Which elements have it, and what is around it; None: all."""
    values: npt.NDArray[Any] | None = None
    """Of a scalar, one an element or, if repeated, all one after the other; 0 where absent."""
    content: bytes = b""
    """Of a text: all, one after the other."""
    offsets: npt.NDArray[np.uint32] | None = None
    children: list[Data] = field(default_factory=list)

    @property
    def nobody(self) -> bool:
        """Whether no element has it."""
        return self.present is not None and not self.present.any()


def lengths_of(values: Sequence[Sized]) -> npt.NDArray[np.int64]:
    return np.fromiter(map(len, values), np.int64, len(values))


def offsets_of(node: Node, lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    """From the length of each element. Raises WireError where they are too long."""
    ends = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=ends[1:])
    most = (1 << 32) - 1 if node.is_text else MOST_ELEMENTS
    if ends[-1] > most:
        raise WireError(f"{node.path} has {ends[-1]} values or bytes; there is room for {most}")
    capacity = node.text_capacity if node.is_text else node.capacity
    if capacity is not None and len(lengths):
        wrong = lengths != capacity if node.fixed else lengths > capacity
        if wrong.any():
            length = lengths[wrong.argmax()]
            raise WireError(f"{node.path} has {length} elements or bytes; it takes {capacity}")
    return ends.astype(OFFSET)


def text_data(node: Node, texts: Sequence[str | bytes | None], present: Mask | None) -> Data:
    """Texts of all elements; None where they are absent."""
    if node.kind == "string":
        raw = [text.encode() if isinstance(text, str) else _no_text(node, text) for text in texts]
    else:
        raw = [_no_text(node, text) for text in texts]
    offsets = offsets_of(node, lengths_of(raw))
    return Data(node, len(raw), present, content=b"".join(raw), offsets=offsets)


def _no_text(node: Node, text: Any) -> bytes:
    """Bytes as they are and nothing as none; a string of bytes must be UTF-8."""
    if text is None:
        return b""
    if not isinstance(text, (bytes, bytearray, memoryview)):
        raise WireError(f"{node.path} takes {node.kind}, not {type(text).__name__}")
    if node.kind == "string":
        str(text, "utf-8")
    return bytes(text)


def both(one: Mask | None, other: Mask | None) -> Mask | None:
    """Elements that have both; None: all."""
    if one is None or other is None:
        return one if other is None else other
    return one & other


def check_oneofs(node: Node, children: Sequence[Data], around: Mask | None) -> None:
    """Raise WireError where an element has several members of a oneof."""
    if not any(child.count for child in children):
        return
    members = sorted((c for c in children if c.node.oneof), key=lambda c: c.node.oneof)
    for oneof, found in groupby(members, key=lambda c: c.node.oneof):
        check_oneof(node, oneof, [c.present for c in found], around)


def check_oneof(node: Node, oneof: str, masks: Sequence[Mask | None], around: Mask | None) -> None:
    taken: Any = False
    for mask in masks:
        own: Any = mask if mask is not None else True if around is None else around
        if np.any(taken & own):
            place = f"{node.path}.{oneof}" if node.path else oneof
            raise WireError(f"more than one member of the oneof {place} is set")
        taken = taken | own
