# SPDX-License-Identifier: Apache-2.0
"""Lists of rows in a frame become columns, by the C++ run-time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from threading import Lock

from wirecost.columns.converter import Converter

_lock = Lock()
"""What a converter gives holds until its next call, which may be another thread's."""


def in_columns(type_name: str, message: memoryview, paths: Iterable[str]) -> bytes:
    """The message with the lists of these paths, without indices, as exact columns.

    A list whose elements have unknown fields stays as it is. Raises ValueError on what is no such
    message.
    """
    with _lock:
        return bytes(_converter(type_name, tuple(sorted(set(paths)))).to_columns(message))


@cache
def _converter(type_name: str, paths: tuple[str, ...]) -> Converter:
    return Converter.to_columns_of(f"osi3.{type_name}", paths)
