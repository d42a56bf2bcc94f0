# SPDX-License-Identifier: Apache-2.0
"""Types, defaults and holding of values in Python."""

from __future__ import annotations

from wirecost.schema.compile.emit.escape.python import literal
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.schema import (
    EnumRef,
    Field,
    Kind,
    Label,
    Message,
    MessageRef,
    Type,
    Value,
)

_ANNOTATIONS = {
    Kind.BOOL: "bool",
    Kind.FLOAT32: "float",
    Kind.FLOAT64: "float",
    Kind.STRING: "str",
    Kind.BYTES: "bytes",
}
_ZEROS: dict[str, Value] = {"bool": False, "float": 0.0, "str": "", "bytes": b"", "int": 0}


def annotation(module: Module, item: Field) -> str:
    """Return a field's type, without ``| None``."""
    if item.label is Label.MAP and item.key and item.value:
        return f"dict[{_single(module, item.key.type)}, {_single(module, item.value.type)}]"
    single = _single(module, item.type)
    if item.label is Label.SINGLE:
        return single
    if is_bytes(item):
        return "bytes"
    if array_code(item):
        return f"_array[{single}]"
    return f"list[{single}]"


def is_bytes(item: Field) -> bool:
    """Return whether a sequence of numbers is held as ``bytes``."""
    return item.type is Kind.UINT8


def array_code(item: Field) -> str | None:
    """Return the code of the ``array.array`` that holds a sequence, if one does."""
    if isinstance(item.type, Kind) and item.type.width and item.type is not Kind.BOOL:
        return item.type.code
    return None


def can_lack(module: Module, message: Message, item: Field) -> bool:
    """Return whether the attribute may be ``None``."""
    return item.is_optional or item.oneof is not None or lacks_at_first(module, message, item)


def lacks_at_first(module: Module, message: Message, item: Field) -> bool:
    """Return whether it is a message inside itself, which cannot be there from the start."""
    return item.label is Label.SINGLE and module.schema.recursive(message, item)


def zero(item: Field) -> str:
    """Return the default of a single scalar: the declared one, or zero."""
    if item.default is not None:
        return literal(item.default)
    return literal(_ZEROS[scalar(item.type)])


def fresh(module: Module, item: Field) -> str:  # noqa: PLR0911 - a return a kind of holder
    """Return an expression for a new default value of a field that is always present."""
    if item.label is Label.MAP:
        return "{}"
    many = item.capacity if item.label is Label.ARRAY else None
    if item.label is Label.SINGLE:
        return (
            f"{module.cls(item.type.name)}()" if isinstance(item.type, MessageRef) else zero(item)
        )
    if is_bytes(item):
        return f"bytes({many})" if many else 'b""'
    code = array_code(item)
    if code:
        width = item.type.width if isinstance(item.type, Kind) else None
        return f'_array("{code}", bytes({many * (width or 0)}))' if many else f'_array("{code}")'
    if not many:
        return "[]"
    if isinstance(item.type, MessageRef):
        return f"[{module.cls(item.type.name)}() for _ in range({many})]"
    return f"[{literal(_ZEROS[scalar(item.type)])}] * {many}"


def initial(module: Module, message: Message, item: Field) -> str:
    """Return the right side of a field in its class."""
    if can_lack(module, message, item):
        return "None"
    value = fresh(module, item)
    if item.label is Label.SINGLE and not isinstance(item.type, MessageRef):
        return value
    if value == 'b""':
        return value
    factories = {"[]": "list", "{}": "dict"}
    if isinstance(item.type, MessageRef) and item.label is Label.SINGLE:
        later = module.is_later(item.type.name, message.full_name)
        hidden = value[:-2] in module.attributes(message)
        factory = f"lambda: {value}" if later or hidden else value[:-2]
    else:
        factory = factories.get(value, f"lambda: {value}")
    return f"_field(default_factory={factory})"


def _single(module: Module, type_: Type) -> str:
    return module.cls(type_.name) if isinstance(type_, MessageRef) else scalar(type_)


def scalar(type_: Type) -> str:
    if isinstance(type_, EnumRef):
        return "int"
    if isinstance(type_, Kind):
        return _ANNOTATIONS.get(type_, "int")
    raise AssertionError(type_)
