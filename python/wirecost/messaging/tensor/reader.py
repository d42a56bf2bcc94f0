# SPDX-License-Identifier: Apache-2.0
"""Values and tensors of one message out of a checked header and received memory."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import msgpack

from wirecost.messaging.tensor import codes
from wirecost.messaging.tensor.budget import Budget
from wirecost.messaging.tensor.collisions import dict_of, set_of
from wirecost.messaging.tensor.compression import received
from wirecost.messaging.tensor.convert import to_table
from wirecost.messaging.tensor.dtypes import understand
from wirecost.messaging.tensor.errors import FrameError, cause, short
from wirecost.messaging.tensor.matching import COMPRESSED, families, framework
from wirecost.messaging.tensor.memory import Memory
from wirecost.messaging.tensor.plan import check_claims, fields_of, plan_of
from wirecost.messaging.tensor.records import restore_record
from wirecost.messaging.tensor.registry import plugin_named
from wirecost.messaging.tensor.sizes import MOST_PER_BYTE, bytes_of_values
from wirecost.messaging.tensor.source import Form, Source
from wirecost.messaging.tensor.values import COMPLEX
from wirecost.messaging.tensor.zones import zone
from wirecost.system.errors import UserError

_COLLECTIONS = frozenset({list, tuple, dict, set, frozenset})
_EXTENSIONS_FREE, _BYTES_PER_EXTENSION = 1600, 6
"""Extensions that a frame may have: each costs a microsecond, whatever it holds."""
_NOT_COUNTED = 8 << 20
"""Bytes that are taken for a description without a look at it."""
_LARGE = 4096
_SEGMENT_BYTES = 400
"""Bytes that a segment and its tensor take beside the tensor's memory."""
_NUMPY = frozenset({None, "numpy"})


class Reader:
    """Reader of one message. ``as_``: as for ``decode``."""

    def __init__(
        self,
        memory: Memory,
        segments: tuple[tuple[int, int], ...],
        as_: str | None,
        budget: Budget,
    ) -> None:
        self._memory = memory
        self._segments = segments
        self._unused = set(range(len(segments)))
        self._tensors, self._tables = families(as_)
        self._stays_compressed = as_ == COMPRESSED
        self._budget = budget
        self._nested = 0
        self._extensions = _EXTENSIONS_FREE + budget.frame_bytes // _BYTES_PER_EXTENSION

    def message(self, description: bytes) -> Any:
        """Return the whole message.

        Raises FrameError, and UserError for a package that is missing.
        """
        try:
            self._afford(description)
            value = self._value(description)
        except UserError:
            raise
        except RecursionError as error:
            raise FrameError("frame: its values nest too deeply") from error
        except Exception as error:
            # Constructors of many packages see what a stranger wrote and complain in their own way.
            raise FrameError(f"frame: its values cannot be read: {cause(error)}") from error
        if len(description) > codes.MOST_NESTED and _too_deep(value):
            raise FrameError(f"frame: its values nest deeper than {codes.MOST_NESTED}")
        if self._unused:
            raise FrameError(f"frame: {len(self._unused)} segments belong to no value")
        return value

    def _afford(self, description: bytes) -> None:
        """Take what it costs from the budget before anything is made of it. Raises FrameError."""
        segments = _SEGMENT_BYTES * len(self._segments)
        cost = MOST_PER_BYTE * len(description)
        if cost + segments > _NOT_COUNTED:
            # There are two copies of a large description for a time.
            cost = bytes_of_values(description, self._budget.bytes_left) + 2 * len(description)
        remedy = "let the sender make arrays of its numbers and texts"
        self._budget.take("its values that are not tensors", cost + segments, remedy=remedy)

    def _value(self, packed: bytes) -> Any:
        check_claims(packed)
        return msgpack.unpackb(packed, timestamp=3, ext_hook=self._extension)

    def _extension(self, code: int, payload: bytes) -> Any:
        self._nested += 1
        if self._nested > codes.MOST_NESTED:
            raise FrameError(f"frame: its values nest deeper than {codes.MOST_NESTED}")
        self._extensions -= 1
        if self._extensions < 0:
            raise FrameError(
                "frame: it has almost only tiny tuples, sets and records; let the sender make"
                " arrays of them"
            )
        if len(payload) > _LARGE:
            # Each level of a tree has its own copy of what is below.
            self._budget.take("values in values", len(payload))
        read = _READERS.get(code)
        if read is None:
            raise FrameError(f"frame: values of type {code} are unknown to this version")
        value = read(self, payload)
        self._nested -= 1
        return value

    def _segment(self, index: Any) -> tuple[int, int]:
        if type(index) is not int or index not in self._unused:
            raise FrameError(f"frame: segment {short(index)} is missing or used twice")
        self._unused.remove(index)
        return self._segments[index]

    def _tensor(self, payload: bytes) -> Any:
        index, (name, form, direct) = plan_of(payload)
        segment = self._segment(index)
        if direct and segment[1] == form.nbytes and self._tensors in _NUMPY:
            return self._memory.array(segment[0], form.shape, form.dtype)
        source = Source(self._memory, segment, form, self._budget)
        return tensor_of(source, self._tensors, name)

    def _compressed(self, payload: bytes) -> Any:
        index, codec, described, shape, axes = fields_of(payload)
        offset, length = self._segment(index)
        data: Any = self._memory.array(offset, (length,), understand("|u1"))
        compressed = received(codec, memoryview(data), Form(described, shape, axes))
        if self._stays_compressed:
            return compressed
        source = compressed.source(self._budget, self._tensors not in _NUMPY)
        return tensor_of(source, self._tensors, "numpy")

    def _object(self, payload: bytes) -> Any:
        # Parts of a framework's object stay NumPy's, whatever was asked for.
        targets = self._tensors, self._tables, self._stays_compressed
        self._tensors, self._tables, self._stays_compressed = "numpy", None, False
        expanded = self._budget.expanded
        name, kind, body = self._value(payload)
        self._tensors, self._tables, self._stays_compressed = targets
        if name != "plugin" and self._budget.expanded != expanded:
            # The frame's bytes count the memory of an object.
            raise FrameError(
                f"frame: an object of {short(name)} has a tensor in it that is compressed"
            )
        if name == "plugin":
            plugin = plugin_named(kind)
            if plugin is None:
                raise FrameError(
                    f"frame: holds an object of the plugin {short(kind)}: register it here too"
                )
            return plugin.decode(body)
        return to_table(framework(name).restore, name, kind, body, self._tables, self._budget)

    def _integer(self, payload: bytes) -> int:
        return int.from_bytes(payload, "little", signed=True)

    def _complex(self, payload: bytes) -> complex:
        return complex(*COMPLEX.unpack(payload))

    def _tuple(self, payload: bytes) -> tuple[Any, ...]:
        return tuple(_list(self._value(payload)))

    def _set(self, payload: bytes) -> set[Any] | frozenset[Any]:
        frozen, *items = _list(self._value(payload))
        members = set_of(items, self._budget)
        return frozenset(members) if frozen else members

    def _map(self, payload: bytes) -> dict[Any, Any]:
        flat = _list(self._value(payload))
        return dict_of(flat[::2], flat[1::2], self._budget)

    def _record(self, payload: bytes) -> Any:
        kind, name, fields = self._value(payload)
        return restore_record(kind, name, fields)

    def _time(self, payload: bytes) -> Any:
        match self._value(payload):
            case ["datetime", str(text), None, int(fold)]:
                return dt.datetime.fromisoformat(text).replace(fold=fold)
            case ["datetime", str(text), str(key), int(fold)]:
                return dt.datetime.fromisoformat(text).replace(tzinfo=zone(key), fold=fold)
            case ["date", str(text)]:
                return dt.date.fromisoformat(text)
            case ["time", str(text), int(fold)]:
                return dt.time.fromisoformat(text).replace(fold=fold)
            case ["timedelta", int(days), int(seconds), int(microseconds)]:
                return dt.timedelta(days, seconds, microseconds)
        raise FrameError("frame: a time cannot be read")

    def _scalar(self, payload: bytes) -> Any:
        described, stored = self._value(payload)
        dtype = understand(described)
        if type(stored) is not bytes or len(stored) != dtype.itemsize:
            raise FrameError("frame: a scalar does not have the size of its type")
        return Memory(stored or bytes(1), False, None).array(0, (), dtype)[()]

    def _bytes(self, payload: bytes) -> Any:
        index, kind = self._value(payload)
        offset, length = self._segment(index)
        array: Any = self._memory.array(offset, (length,), understand("|u1"))
        view = memoryview(array)
        match kind:
            case 0:
                return bytes(view)
            case 1:
                return bytearray(view)
            case 2:
                return view
            case 3:
                return str(view, "utf-8")
        raise FrameError(f"frame: bytes of kind {short(kind)} are unknown")


def budget_of(frame_bytes: int, description_bytes: int, segments: int) -> Budget:
    """Return what is left of the budget when the plain values of a message that C++ reads are paid.

    Of a description of 64 KiB at most.
    """
    budget = Budget(frame_bytes)
    budget.take("its values", MOST_PER_BYTE * description_bytes + _SEGMENT_BYTES * segments)
    return budget


def restored(name: str, kind: Any, body: Any, budget: Budget) -> Any:
    """Return an object of a framework.

    Raises as the framework's ``restore``, and FrameError for a framework that is not known.
    """
    return framework(name).restore(kind, body, budget)


def planned(name: str, kind: Any, body: Any) -> Callable[..., Any] | None:
    """Return a function that makes what was just restored of other arrays in its body.

    It gets them in their order. Returns None where there is none.
    """
    plan = getattr(framework(name), "plan", None)
    try:
        return None if plan is None else plan(kind, body)
    except Exception:
        return None


def tensor_of(source: Source, wanted: str | None, sender: Any) -> Any:
    """Return a tensor in the wanted framework, or the sender's where None. Raises UserError."""
    plugin = framework(sender)
    if wanted is not None and wanted != sender:
        plugin = framework(wanted)
    if not hasattr(plugin, "tensor"):
        raise FrameError(f"frame: {sender} has no tensors")
    try:
        return plugin.tensor(source)
    except UserError:
        raise
    except Exception as error:
        raise FrameError(
            f"frame: {wanted or sender} cannot take its tensor: {cause(error)}"
        ) from error


def _too_deep(value: Any) -> bool:
    level = [value] if type(value) in _COLLECTIONS else []
    for _ in range(codes.MOST_NESTED):
        level = [inner for item in level for inner in _below(item)]
        if not level:
            return False
    return True


def _below(item: Any) -> list[Any]:
    """Return the collections in a collection."""
    items = item.values() if type(item) is dict else item
    if _COLLECTIONS.isdisjoint(map(type, items)):
        return []
    return [inner for inner in items if type(inner) in _COLLECTIONS]


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise FrameError("frame: a collection cannot be read")
    return value


_READERS: dict[int, Callable[[Reader, bytes], Any]] = {
    codes.TENSOR: Reader._tensor,
    codes.OBJECT: Reader._object,
    codes.INTEGER: Reader._integer,
    codes.COMPLEX: Reader._complex,
    codes.TUPLE: Reader._tuple,
    codes.SET: Reader._set,
    codes.MAP: Reader._map,
    codes.RECORD: Reader._record,
    codes.TIME: Reader._time,
    codes.SCALAR: Reader._scalar,
    codes.BYTES: Reader._bytes,
    codes.COMPRESSED: Reader._compressed,
}
