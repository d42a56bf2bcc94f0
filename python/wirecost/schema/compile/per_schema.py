# SPDX-License-Identifier: Apache-2.0
"""Results that are worked out once for a whole schema, however many of its messages ask."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from wirecost.schema.compile.schema import Schema

T = TypeVar("T")


def per_schema(function: Callable[[Schema], T]) -> Callable[[Schema], T]:
    """Return ``function`` with results that are kept as long as the schema is."""
    results: WeakKeyDictionary[Schema, T] = WeakKeyDictionary()

    @wraps(function)
    def remembered(schema: Schema) -> T:
        if schema not in results:
            results[schema] = function(schema)
        return results[schema]

    return remembered
