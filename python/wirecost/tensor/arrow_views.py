# SPDX-License-Identifier: Apache-2.0
"""Views of texts and bytes under a null: Arrow does not validate them, and its casts read them."""

from __future__ import annotations

from typing import Any

from wirecost.tensor.packages import load


def has_views(kind: Any) -> bool:
    """Whether arrays of this type hold views anywhere."""
    pa = load("pyarrow")
    if isinstance(kind, pa.BaseExtensionType):
        return has_views(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return has_views(kind.value_type)
    inner = any(has_views(kind.field(index).type) for index in range(kind.num_fields))
    return inner or pa.types.is_string_view(kind) or pa.types.is_binary_view(kind)


def check_hidden_views(array: Any) -> None:
    """Raises ArrowInvalid where a null hides a view that is none; for arrays of valid content."""
    pa = load("pyarrow")
    types, kind = pa.types, array.type
    if not has_views(kind):
        return
    if isinstance(kind, pa.BaseExtensionType):
        inner = [array.storage]
    elif types.is_dictionary(kind):
        inner = [array.dictionary]
    elif types.is_struct(kind) or types.is_union(kind):
        inner = [array.field(index) for index in range(kind.num_fields)]
    elif types.is_map(kind):
        inner = [array.keys, array.items]
    elif kind.num_fields:
        inner = [array.values]
    else:
        buffers = [None, *array.buffers()[1:]]
        whole = pa.Array.from_buffers(pa.binary_view(), len(array), buffers, 0, array.offset)
        whole.validate(full=True)
        return
    for part in inner:
        check_hidden_views(part)
