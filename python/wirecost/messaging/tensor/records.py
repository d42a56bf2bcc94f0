# SPDX-License-Identifier: Apache-2.0
"""Dataclasses, named tuples and enums out of frames."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any

from wirecost.messaging.tensor.errors import FrameError, cause
from wirecost.messaging.tensor.registry import registered_class

TYPE_KEY = "__type__"
"""Key of the class's name in the dict that an unregistered record becomes."""


def restore_record(kind: Any, name: Any, fields: Any) -> Any:
    """Return an object of the registered class, else a dict that names the class.

    Raises FrameError where the class is another kind or takes other fields.
    """
    if type(name) is not str or kind not in {"dataclass", "namedtuple", "enum"}:
        raise FrameError("frame: a record cannot be read")
    cls: Any = registered_class(name)
    if kind == "enum":
        member, value = fields
        if cls is None:
            return {TYPE_KEY: name, "name": member, "value": value}
        if not issubclass(cls, enum.Enum):
            raise FrameError(f"frame: {name} is not an enum here")
        return cls(value)
    if type(fields) is not dict:
        raise FrameError("frame: a record cannot be read")
    if cls is None:
        return {TYPE_KEY: name, **fields}
    if issubclass(cls, enum.Enum):
        raise FrameError(f"frame: {name} is an enum here")
    try:
        return _made(cls, fields)
    except TypeError as error:
        raise FrameError(f"frame: {name} has other fields here: {cause(error)}") from error


def _made(cls: Any, fields: Mapping[str, object]) -> Any:
    declared = getattr(cls, "__dataclass_fields__", {})
    computed = {name for name, field in declared.items() if not field.init}
    arguments = {name: value for name, value in fields.items() if name not in computed}
    record = cls(**arguments)
    for name in computed & fields.keys():
        object.__setattr__(record, name, fields[name])
    return record
