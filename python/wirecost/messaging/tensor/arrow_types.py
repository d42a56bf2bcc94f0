# SPDX-License-Identifier: Apache-2.0
"""Arrow's types by families, quicker than by asking PyArrow about each."""

from __future__ import annotations

from functools import cache
from typing import Any

from wirecost.messaging.tensor.packages import load

_FAMILIES = {
    "null": "NA",
    "number": (
        "BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 HALF_FLOAT FLOAT DOUBLE"
        " TIMESTAMP DURATION"
    ),
    "date": "DATE32 DATE64",
    "time": "TIME32 TIME64",
    "decimal": (
        "DECIMAL32 DECIMAL64 DECIMAL128 DECIMAL256"
        " INTERVAL_MONTHS INTERVAL_DAY_TIME INTERVAL_MONTH_DAY_NANO"
    ),
    "text": "STRING LARGE_STRING",
    "text view": "STRING_VIEW",
    "binary": "BINARY LARGE_BINARY",
    "binary view": "BINARY_VIEW",
    "fixed binary": "FIXED_SIZE_BINARY",
    "list": "LIST LARGE_LIST",
    "fixed list": "FIXED_SIZE_LIST",
    "map": "MAP",
    "struct": "STRUCT",
    "list view": "LIST_VIEW LARGE_LIST_VIEW",
    "union": "SPARSE_UNION DENSE_UNION",
    "dictionary": "DICTIONARY",
    "runs": "RUN_END_ENCODED",
}
_WIDE = ("LARGE_STRING", "LARGE_BINARY", "LARGE_LIST", "LARGE_LIST_VIEW")
_PLAIN = frozenset({"null", "number", "date", "time", "decimal", "text", "binary"})
_VIEWS = frozenset({"text view", "binary view"})
_MANY = frozenset({"dictionary", "runs", "union", "list view"})


@cache
def _by_id() -> dict[int, str]:
    lib = load("pyarrow").lib
    return {
        getattr(lib, f"Type_{name}"): family
        for family, names in _FAMILIES.items()
        for name in names.split()
    }


@cache
def _wide_ids() -> frozenset[int]:
    lib = load("pyarrow").lib
    return frozenset(getattr(lib, f"Type_{name}") for name in _WIDE)


def family(kind: Any) -> str:
    """Return the family of a type. Raises ValueError for one that this version does not know."""
    described = _by_id().get(kind.id)
    if described is None and isinstance(kind, load("pyarrow").BaseExtensionType):
        return "extension"
    if described is None:
        raise ValueError(f"an Arrow type of kind {kind.id}")
    return described


@cache
def _plain_ids() -> frozenset[int]:
    return frozenset(number for number, of in _by_id().items() if of in _PLAIN)


def is_plain(kind: Any) -> bool:
    """Return whether a type has no parts, and an element takes the memory that it states."""
    return kind.id in _plain_ids()


def is_wide(kind: Any) -> bool:
    """Return whether offsets have 64 bits."""
    return kind.id in _wide_ids()


def stands_for_many(of: str) -> bool:
    """Return whether elements of a family may share one value's memory."""
    return of in _MANY


def inner_types(kind: Any, of: str) -> list[Any]:
    """Return the types that a type of this family consists of."""
    if of == "extension":
        return [kind.storage_type]
    if of == "dictionary":
        return [kind.value_type]
    return [kind.field(index).type for index in range(kind.num_fields)]


def has_views(kind: Any) -> bool:
    """Return whether arrays of this type hold views of texts or binaries anywhere."""
    of = family(kind)
    return of in _VIEWS or any(map(has_views, inner_types(kind, of)))


def may_grow(kind: Any) -> bool:
    """Return whether Polars may need more memory for an element than the element takes.

    The few bytes of its own form do not count.
    """
    of = family(kind)
    return of in _MANY or of == "fixed binary" or any(map(may_grow, inner_types(kind, of)))
