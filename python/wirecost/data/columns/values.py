# SPDX-License-Identifier: Apache-2.0
"""Values of a batch as NumPy's arrays, over the same memory but for booleans."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wirecost._core import RecordBatch
from wirecost.data.columns.parts import FORMATS, Part, PartKind, joined
from wirecost.data.columns.plan import ColumnPlan

LISTS = (PartKind.LIST, PartKind.POINTS)
_DTYPES = {form: np.dtype(kind.value) for kind, form in FORMATS.items()} | {
    "tsn:": np.dtype("datetime64[ns]"),
    "tDn": np.dtype("timedelta64[ns]"),
}


class Leaf(NamedTuple):
    """A part that has values.

    ``node``: its number in the plan; ``shape``: of the values of a row; ``is_ragged``: rows have
    different numbers of them; ``outer``: paths of the lists that it lies in.
    """

    path: str
    node: int
    part: Part
    shape: tuple[int, ...]
    is_ragged: bool
    outer: tuple[str, ...] = ()

    @property
    def has_offsets(self) -> bool:
        return self.part.kind in (PartKind.TEXT, PartKind.SEQUENCE, *LISTS)

    @property
    def type(self) -> str:
        """The type in words, such as ``float64[9]`` or ``list of string``."""
        form = "enum" if self.part.names else self.part.format
        name = {"enum": form, "U": "string", "Z": "binary"}.get(form) or (
            "binary" if form.startswith("w:") else str(_DTYPES[form])
        )
        sizes = "".join(f"[{size}]" for size in self.shape)
        is_list = self.part.kind is PartKind.SEQUENCE and form != "Z"
        return "list of " * (len(self.outer) + is_list) + name + sizes


def leaves(plan: ColumnPlan) -> list[Leaf]:
    """Return the parts of a plan that have values or offsets, in order."""
    return list(_Leaves(plan.parts).below(""))


class _Leaves:
    def __init__(self, parts: list[Part]) -> None:
        self._parts = parts
        self._at = 0

    def below(
        self, path: str, shape: tuple[int, ...] = (), outer: tuple[str, ...] = ()
    ) -> Iterator[Leaf]:
        node, part = self._at, self._parts[self._at]
        self._at += 1
        if not part.is_kept:
            self._skip(part)
            return
        if part.kind in LISTS:
            yield Leaf(path, node, part, shape, True, outer)
            outer, shape = (*outer, path), ()
        elif part.kind is PartKind.ARRAY:
            shape = (*shape, part.size)
        elif part.kind is not PartKind.STRUCTURE:
            is_ragged = bool(outer) or part.kind in (PartKind.TEXT, PartKind.SEQUENCE)
            inner = (part.size,) if part.kind is PartKind.BLOCK else ()
            yield Leaf(path, node, part, (*shape, *inner), is_ragged, outer)
        for _ in range(part.children):
            child = self._parts[self._at]
            is_named = part.kind is PartKind.STRUCTURE
            yield from self.below(joined(path, child.name) if is_named else path, shape, outer)

    def _skip(self, part: Part) -> None:
        for _ in range(part.children):
            child = self._parts[self._at]
            self._at += 1
            self._skip(child)


def values(batch: RecordBatch, leaf: Leaf) -> npt.NDArray[Any]:
    """Return a leaf's values, of all rows one after the other; of texts and bytes their bytes."""
    data = batch.values(leaf.node)
    form = leaf.part.format
    if form == "b":
        truth: npt.NDArray[np.bool_] = data != 0
        return truth.reshape(-1, *leaf.shape)
    dtype = _DTYPES.get(form)
    typed: npt.NDArray[Any] = data if dtype is None else data.view(dtype)
    return typed if leaf.has_offsets else typed.reshape(-1, *leaf.shape)


def offset_names(leaves: Iterable[Leaf]) -> dict[int, str]:
    """Return the names of arrays of offsets by the nodes of leaves; no column's array has one."""
    leaves = list(leaves)
    taken = {leaf.path for leaf in leaves if leaf.part.format}
    names: dict[int, str] = {}
    for leaf in leaves:
        if leaf.has_offsets:
            # A list of texts or of lists has offsets of its own and of its elements.
            path, name = leaf.path + ".item" * leaf.outer.count(leaf.path), "offsets"
            while f"{path}.{name}" in taken:
                name = f"_{name}"
            names[leaf.node] = f"{path}.{name}"
            taken.add(names[leaf.node])
    return names


def offsets(batch: RecordBatch, leaf: Leaf) -> npt.NDArray[np.int64]:
    begins: npt.NDArray[np.int64] = batch.offsets(leaf.node).view(np.int64)
    return begins
