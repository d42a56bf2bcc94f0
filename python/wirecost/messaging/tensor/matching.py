# SPDX-License-Identifier: Apache-2.0
"""Frameworks of objects, found without importing anything that is not there already."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.errors import FrameError, short
from wirecost.messaging.tensor.frameworks import ROOTS, TABLES, TENSORS, by_root, module
from wirecost.messaging.tensor.registry import name_of, plugin_for
from wirecost.messaging.tensor.source import Source
from wirecost.messaging.tensor.writer import HANDLERS, Handler, Writer, only_once
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

_BY_ROOT = by_root("encoder")
COMPRESSED = "compressed"
"""The ``as_`` for compressed tensors that shall stay compressed."""


class Framework(Protocol):
    """A module of ``frameworks``."""

    def encoder(self, cls: type) -> Handler | None:
        """Return how objects of a class are written; None where the framework has no form."""
        ...

    def tensor(self, source: Source) -> Any:
        """Return a tensor over received memory; only frameworks of tensors have it."""
        ...

    def to_host(self, tensor: Any) -> Any:
        """Return a tensor in the host's memory; only where it may lie elsewhere."""
        ...

    def to_device(self, tensor: Any, number: int) -> Any:
        """Return a tensor on a CUDA device; only where the framework can move one there."""
        ...

    def restore(self, kind: str, body: Any, budget: Budget) -> Any:
        """Return an object from what its encoder wrote; only where one writes objects.

        Asks ``budget`` before it makes what takes more memory than lies in the frame, or more than
        100 ns a byte of it.
        """
        ...

    def plan(self, kind: str, body: Any) -> Callable[..., Any] | None:
        """Return what makes an object as ``restore`` just made it of ``body``, of other arrays.

        They come in their order, with the types and shapes of those in ``body``, all else being the
        same. Returns None where something follows from what is in them, or takes more than a few
        KiB beside them. Only where that is quicker.
        """
        ...


def framework(name: str) -> Framework:
    """Return a framework by its name in frames. Raises FrameError."""
    if type(name) is not str or name not in ROOTS:
        raise FrameError(f"frame: framework {short(name)} is unknown to this version")
    plugin: Framework = module(name)
    return plugin


def families(wanted: str | None) -> tuple[str | None, str | None]:
    """Return the framework of tensors and that of tables that ``as_`` names. Raises UserError."""
    if wanted is None or wanted == COMPRESSED:
        return None, None
    if wanted in TENSORS:
        return wanted, None
    if wanted in TABLES:
        return None, wanted
    names = ", ".join(sorted({*TENSORS, *TABLES, COMPRESSED}))
    raise UserError(f"as_={wanted!r}: not one of {names}")


def match(value: Any) -> Handler:
    """Return the handler for a value's type, remembered. Raises UserError where there is none."""
    cls = type(value)
    handler = _framework_handler(cls) or _record_handler(cls)
    if handler is not None:
        HANDLERS[cls] = handler
        return handler
    handler = _protocol_handler(value)
    if handler is None and plugin_for(cls) is not None:
        handler = _plugin
    if handler is None:
        raise UserError(
            f"{name_of(cls)}: frames do not support it; send its parts,"
            " or say how to send it with wirecost.tensor.register_plugin"
        )
    return handler


def _framework_handler(cls: type) -> Handler | None:
    for base in cls.__mro__:
        name = _BY_ROOT.get(base.__module__.partition(".")[0])
        if name is not None and (handler := framework(name).encoder(base)) is not None:
            return handler
    return None


def _record_handler(cls: type) -> Handler | None:
    if issubclass(cls, enum.Enum):
        return _enum
    if dataclasses.is_dataclass(cls):
        return _dataclass
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return _named_tuple
    for base in (bool, int, float, str, bytes):
        if issubclass(cls, base):
            raise UserError(f"{name_of(cls)}: a kind of {base.__name__}; send {base.__name__}(…)")
    return None


def _protocol_handler(value: Any) -> Handler | None:
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _dlpack
    if hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__"):
        return _arrow
    if hasattr(value, "__array_interface__") or hasattr(value, "__array__"):
        return _array
    try:
        memoryview(value).release()
    except TypeError:
        return None
    return _array


def _dlpack(writer: Writer, value: Any) -> Any:
    place = _device_of(value)
    if place is not None:
        moved = writer.on_host(value, place)
        if not hasattr(moved, "__array__") or _device_of(moved) is not None:
            raise UserError(
                f"{name_of(type(value))} on {place}: device_to_host gave {name_of(type(moved))},"
                " which is not in the host's memory; let it return a NumPy array for this class"
            )
        return writer.prepare(moved)
    try:
        array = np.from_dlpack(value)
    except BufferError as error:
        raise UserError(
            f"{name_of(type(value))}: NumPy cannot take it by DLPack ({error}); send an array"
        ) from error
    return writer.tensor(array, "numpy")


def _device_of(value: Any) -> str | None:
    """Return where DLPack says that a tensor lies; None for the host."""
    if not hasattr(value, "__dlpack_device__"):
        return None
    device, number = value.__dlpack_device__()
    return None if int(device) == 1 else f"DLPack device {int(device)}:{number}"


def _arrow(writer: Writer, value: Any) -> Any:
    only_once(writer)
    pyarrow: Any = framework("pyarrow")
    return writer.prepare(pyarrow.from_capsule(value))


def _array(writer: Writer, value: Any) -> Any:
    array = np.asarray(value)
    if not (hasattr(value, "__array_interface__") or _shares(array, value)):
        writer.copied(array.nbytes)
    return writer.tensor(array, "numpy")


def _shares(array: Any, value: Any) -> bool:
    try:
        return bool(np.shares_memory(array, np.frombuffer(value, np.uint8)))
    except (TypeError, ValueError, BufferError):
        return False


def _plugin(writer: Writer, value: Any) -> Any:
    only_once(writer)
    plugin = plugin_for(type(value))
    if plugin is None:
        raise AssertionError(value)
    return writer.extension(codes.OBJECT, ["plugin", plugin.name, plugin.encode(value)])


def _enum(writer: Writer, value: enum.Enum) -> Any:
    record = ["enum", name_of(type(value)), [value.name, value.value]]
    return writer.extension(codes.RECORD, record)


def _dataclass(writer: Writer, value: Any) -> Any:
    fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return writer.extension(codes.RECORD, ["dataclass", name_of(type(value)), fields])


def _named_tuple(writer: Writer, value: Any) -> Any:
    record = ["namedtuple", name_of(type(value)), value._asdict()]
    return writer.extension(codes.RECORD, record)
