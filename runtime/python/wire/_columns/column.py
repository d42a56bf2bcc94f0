# SPDX-License-Identifier: Apache-2.0
"""What a reader hands out: a field's values, who has them, and the messages that group fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .._wirecost import WireError
from .node import DTYPES, Node
from .stored import Stored

T = TypeVar("T", bound=np.generic)
Text = TypeVar("Text", str, bytes)
Mask = npt.NDArray[np.bool_]
Offsets = npt.NDArray[np.uint32]
NO_TEXT = memoryview(b"")


class Presence:
    """The elements, of ``count``, that have something.

    Those are the ones that ``bits`` name and that also have what is around it.
    """

    def __init__(
        self,
        count: int,
        bits: npt.NDArray[np.uint8] | None = None,
        around: Presence | None = None,
        nobody: bool = False,
    ) -> None:
        self._count, self._bits, self._around = count, bits, around
        self.nobody = nobody

    @cached_property
    def mask(self) -> Mask | None:
        """None: all have it."""
        if self.nobody:
            return np.broadcast_to(np.False_, self._count)
        around = self._around.mask if self._around else None
        if self._bits is None:
            return around
        own = np.unpackbits(self._bits, count=self._count, bitorder="little").view(np.bool_)
        mask = own if around is None else own & around
        mask.flags.writeable = False
        return mask


class _Leaf:
    """What all columns have."""

    def __init__(self, node: Node, count: int, presence: Presence) -> None:
        self.node, self._count, self._presence = node, count, presence

    @property
    def path(self) -> str:
        """The field's name, dotted from the root."""
        return self.node.path

    @property
    def present(self) -> Mask | None:
        """Shape (N,): which elements have the field; None where all have it."""
        return self._presence.mask

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}: {self._count} elements>"


class Column(_Leaf, Generic[T]):
    """A single scalar field.

    ``form`` says how it is stored: plain, narrow, scaled, each with or without runs (``scaled
    runs``; plain ones are ``runs``), constant, default (no element has another value than zero) or
    absent (no element has the field).
    """

    def __init__(self, node: Node, count: int, presence: Presence, stored: Stored) -> None:
        super().__init__(node, count, presence)
        self.stored = stored
        self.form = stored.form

    @cached_property
    def values(self) -> npt.NDArray[T]:
        """Return the values, shape (N,), read-only: over the buffer where the form is plain.

        An element where the field is absent means nothing.
        """
        return self.stored.values(self._count)

    @property
    def masked(self) -> np.ma.MaskedArray[Any, np.dtype[T]]:
        """The values with what is absent masked."""
        present = self.present
        mask = np.ma.nomask if present is None else ~present
        return np.ma.MaskedArray(self.values, mask=mask)

    def filled(self) -> npt.NDArray[T]:
        """Return the values, and the schema's default where the field is absent."""
        present, values = self.present, self.values
        if present is None:
            return values
        default = np.array(self.node.default or 0, DTYPES[self.node.kind])
        return np.where(present, values.astype(default.dtype, copy=False), default)


class RepeatedColumn(_Leaf, Generic[T]):
    """A repeated scalar field: element i has ``values[offsets[i] : offsets[i + 1]]``."""

    def __init__(
        self, node: Node, count: int, presence: Presence, offsets: Offsets, stored: Stored
    ) -> None:
        super().__init__(node, count, presence)
        self.offsets = offsets
        """Shape (N + 1,)."""
        self.stored = stored
        self.form = stored.form

    @cached_property
    def values(self) -> npt.NDArray[T]:
        """All elements' values, one after the other; read-only."""
        return self.stored.values(int(self.offsets[-1]))

    def __getitem__(self, index: int) -> npt.NDArray[T]:
        index = _index(index, self._count)
        return self.values[int(self.offsets[index]) : int(self.offsets[index + 1])]


class TextColumn(_Leaf, Generic[Text]):
    """A single text: element i has the bytes from ``offsets[i]`` up to ``offsets[i + 1]``."""

    def __init__(
        self,
        node: Node,
        count: int,
        presence: Presence,
        form: str,
        *,
        offsets: Offsets | None = None,
        content: memoryview = NO_TEXT,
        limit: int,
    ) -> None:
        super().__init__(node, count, presence)
        self.form = form
        self._offsets, self._content, self._limit = offsets, content, limit

    @property
    def size(self) -> int:
        """Bytes of all texts, as often as elements have them."""
        return len(self._content) * (self._count if self._offsets is None else 1)

    @cached_property
    def offsets(self) -> Offsets:
        """Return the offsets, shape (N + 1,); those of a constant are made.

        Raises WireError where its repetitions are more bytes than the reader's limit.
        """
        if self._offsets is not None:
            return self._offsets
        if len(self._content) * self._count > self._limit:
            raise WireError(f"{self.path} is constant and too long to be repeated in memory")
        return np.arange(self._count + 1, dtype=np.uint32) * np.uint32(len(self._content))

    @cached_property
    def bytes_(self) -> memoryview:
        """All texts, one after the other."""
        if self._offsets is not None:
            return self._content
        return memoryview(bytes(self._content) * self._count * bool(self.offsets[-1]))

    @cached_property
    def constant(self) -> Text | None:
        """The one text that a constant column has."""
        return self._text(bytes(self._content)) if self._offsets is None else None

    def __getitem__(self, index: int) -> Text:
        """Return the element's text; empty where absent. Raises WireError where it is no UTF-8."""
        index = _index(index, self._count)
        if self._offsets is None:
            return self._text(bytes(self._content))
        start, end = int(self._offsets[index]), int(self._offsets[index + 1])
        return self._text(bytes(self._content[start:end]))

    def __iter__(self) -> Iterator[Text]:
        if self._offsets is None or not self._content:
            text = self._text(bytes(self._content))
            return repeat(text, self._count)
        ends = self._offsets.tolist()
        content = bytes(self._content)
        return (self._text(content[a:b]) for a, b in pairwise(ends))

    def _text(self, raw: bytes) -> Text:
        if self.node.kind == "bytes":
            return raw  # type: ignore[return-value]
        try:
            return raw.decode()  # type: ignore[return-value]
        except UnicodeDecodeError:
            raise WireError(f"{self.path} has a string that is not UTF-8") from None


class RepeatedTextColumn(_Leaf, Generic[Text]):
    """A repeated text: element i has ``texts[offsets[i]]`` up to ``texts[offsets[i + 1]]``."""

    def __init__(
        self,
        node: Node,
        count: int,
        presence: Presence,
        offsets: Offsets,
        texts: TextColumn[Text],
    ) -> None:
        super().__init__(node, count, presence)
        self.offsets = offsets
        self.texts: TextColumn[Text] = texts
        self.form = texts.form

    def __getitem__(self, index: int) -> list[Text]:
        index = _index(index, self._count)
        return [self.texts[at] for at in range(self.offsets[index], self.offsets[index + 1])]


class Group:
    """The columns of a message's fields; generated classes say which."""

    def __init__(self, node: Node, count: int, presence: Presence) -> None:
        self._node, self._count, self._presence = node, count, presence
        self._children: dict[str, AnyColumn | Group] = {}

    def _add(self, node: Node, child: AnyColumn | Group) -> None:
        self._children[node.field_name] = child
        setattr(self, node.name, child)

    @property
    def present(self) -> Mask | None:
        """Shape (N,): which elements have the message; None where all have it."""
        return self._presence.mask

    def __len__(self) -> int:
        return self._count

    def children(self) -> Iterator[tuple[str, AnyColumn | Group]]:
        """Name and columns of each field, in the order of their numbers."""
        yield from self._children.items()

    def columns(self) -> Iterator[tuple[str, AnyColumn]]:
        """Dotted path and column of each field that is no message, nested ones included."""
        for child in self._children.values():
            if isinstance(child, Group):
                yield from child.columns()
            else:
                yield child.path, child


class RepeatedGroup(Group):
    """The columns of a repeated message, ``offsets[-1]`` of them in all.

    Element i has those from ``offsets[i]`` on up to ``offsets[i + 1]``.
    """

    offsets: Offsets
    """One more than the elements around it."""


AnyColumn = Column[Any] | RepeatedColumn[Any] | TextColumn[Any] | RepeatedTextColumn[Any]


def _index(index: int, count: int) -> int:
    if not -count <= index < count:
        raise IndexError(f"element {index} of {count}")
    return index % count
