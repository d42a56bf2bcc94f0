# SPDX-License-Identifier: Apache-2.0
"""Typed topics: what each message must be, checked before it is sent and after it is received.

A schema is a ``Tensor``, a class, None, or a dict of them by field, which may be nested.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirecost.messaging.api.kinds import dtype_name, dtype_of, kind_of, shape_of
from wirecost.messaging.tensor.records import TYPE_KEY
from wirecost.messaging.tensor.registry import name_of
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

Schema = Any
"""As above."""
_NUMPY_NAMES = {bool: "bool", int: "int64", float: "float64", complex: "complex128"}


@dataclass(frozen=True)
class Tensor:
    """An array of any framework: ``Tensor("uint8", (480, 640, 3))``.

    ``dtype``: as the framework writes it, or one of its own types such as ``torch.float32``; None
    for any. ``shape``: None for any, and in it None for any extent. Raises UserError for what is
    no shape.
    """

    dtype: Any = None
    shape: tuple[int | None, ...] | None = None

    def __post_init__(self) -> None:
        if self.dtype is not None:
            own = _NUMPY_NAMES.get(self.dtype) if isinstance(self.dtype, type) else None
            object.__setattr__(self, "dtype", own or dtype_name(self.dtype))
        if self.shape is None:
            return
        shape = self.shape
        if not isinstance(shape, tuple | list) or not all(map(_is_extent, shape)):
            raise UserError(
                f"schema: Tensor shape {shown(shape)}: give a tuple of extents, None for any"
            )
        object.__setattr__(self, "shape", tuple(shape))

    def __str__(self) -> str:
        shape = "of any shape" if self.shape is None else str(self.shape)
        return f"tensor {self.dtype or 'of any type'} {shape}"


def schema_of(message: Any) -> Schema:
    """Return the schema that messages like this one meet.

    They have the same fields, the same types of elements and the same shapes. What is neither dict
    nor array has its class, be it filled or not.
    """
    if type(message) is dict:
        return {key: schema_of(value) for key, value in message.items()}
    dtype = dtype_of(message)
    if dtype is not None:
        return Tensor(dtype, shape_of(message))
    return None if message is None else type(message)


class Checked:
    """The schema of a topic."""

    def __init__(self, topic: str, schema: Schema) -> None:
        """Check the type of elements. Raises UserError for what is none."""
        self._topic = topic
        self._schema = schema
        self._understand(schema, "")

    def check(self, message: Any) -> None:
        """Raise UserError, one line: the topic, the field, what it is and what it must be."""
        self._compare(self._schema, message, "")

    def _understand(self, schema: Schema, path: str) -> None:
        if isinstance(schema, dict):
            for key, inner in schema.items():
                self._understand(inner, _below(path, key))
        elif not (schema is None or isinstance(schema, Tensor | type)):
            raise UserError(
                f"{self._topic}: the schema{path and ' of ' + path} is {shown(repr(schema))}: give"
                " a Tensor, a class, None, or a dict of them; wirecost.schema_of makes one of an"
                " example"
            )

    def _compare(self, schema: Schema, value: Any, path: str) -> None:
        if isinstance(schema, Tensor):
            self._compare_tensor(schema, value, path)
        elif isinstance(schema, dict):
            self._compare_fields(schema, value, path)
        elif not _is_a(value, schema):
            raise self._other(path, value, "None" if schema is None else schema.__name__)

    def _compare_tensor(self, schema: Tensor, value: Any, path: str) -> None:
        dtype = dtype_of(value)
        if dtype is None:
            raise self._other(path, value, str(schema))
        if schema.dtype is not None and dtype != schema.dtype:
            raise self._differs(path, "dtype", dtype, schema.dtype)
        if schema.shape is None:
            return
        shape = shape_of(value)
        if shape != schema.shape and not _fits(shape, schema.shape):
            raise self._differs(path, "shape", shape, schema.shape)

    def _compare_fields(self, schema: dict[Any, Schema], value: Any, path: str) -> None:
        if not isinstance(value, dict):
            raise self._other(path, value, f"dict of {_fields(schema)}")
        for key, inner in schema.items():
            if key not in value:
                raise UserError(
                    f"{self._topic}: {_below(path, key)} is missing; the topic's fields are"
                    f" {_fields(schema)}"
                )
            self._compare(inner, value[key], _below(path, key))
        if len(value) > len(schema):
            more = next(key for key in value if key not in schema)
            raise UserError(
                f"{self._topic}: {_below(path, more)} is no field of the topic; its fields are"
                f" {_fields(schema)}"
            )

    def _differs(self, path: str, what: str, found: Any, wanted: Any) -> UserError:
        return UserError(
            f"{self._topic}: {path or _WHOLE} has {what} {found}, the topic's is {wanted}"
        )

    def _other(self, path: str, value: Any, wanted: str) -> UserError:
        kind = shown(kind_of(value))
        return UserError(f"{self._topic}: {path or _WHOLE} is {kind}, the topic's is {wanted}")


_WHOLE = "the message"


def _is_extent(extent: Any) -> bool:
    return extent is None or (type(extent) is int and extent >= 0)


def _fits(shape: tuple[Any, ...], wanted: tuple[Any, ...]) -> bool:
    return len(shape) == len(wanted) and all(
        extent is None or extent == length for length, extent in zip(shape, wanted, strict=True)
    )


def _is_a(value: Any, wanted: type | None) -> bool:
    if wanted is None:
        return value is None
    if isinstance(value, bool) and wanted is int:
        return False
    if isinstance(value, wanted):
        return True
    # Records of classes that the receiver has not registered arrive as dicts.
    return type(value) is dict and value.get(TYPE_KEY) == name_of(wanted)


def _below(path: str, key: Any) -> str:
    return f"{path}.{shown(key, 40)}" if path else shown(key, 40)


def _fields(schema: dict[Any, Schema]) -> str:
    return shown(", ".join(map(str, schema)), 120)
