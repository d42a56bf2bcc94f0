# SPDX-License-Identifier: Apache-2.0
"""Fields of other types that would hold the same values in fewer bytes.

Sizes are computed from the values that the messages have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wirecost.data.messages.fields import CountedField
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.message.advice.values import (
    MOST_TEXTS,
    FieldValues,
    values,
    varint_size,
)
from wirecost.schema.compile.plan.sequential import PREFIX
from wirecost.schema.compile.schema import Coding, Kind, Label, Presence

LEAST_TEXTS = 20
"""Texts that must be there before few different ones mean something."""
MOST_OF_AN_ENUM = 32

Share = Callable[[FieldValues], float]
"""Share of the field's bytes that another type saves; zero or less where it saves nothing."""


def cheaper_types(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[CountedField]
) -> Iterator[tuple[str, dict[str, float]]]:
    """Yield what to do, and the share of all bytes saved in each field, largest first."""
    by_path = values(subject, messages)
    sizes = {field.path: field.own for field in fields}
    total = sum(field.all for field in fields if "." not in field.path)
    remedies = _OF_PROTOBUF if subject.wire == "protobuf" else _OF_ROS
    for what, share in remedies.items():
        shares = ((share(field) * sizes.get(path, 0), path) for path, field in by_path.items())
        saving = sorted((pair for pair in shares if pair[0] > 0), reverse=True)
        if saving and total:
            yield what, {path: part / total for part, path in saving}


def _bytes(field: FieldValues) -> float:
    """Return the bytes of the counted values, with tags and lengths, as Protobuf writes them."""
    item = field.declared
    if item.type is Kind.STRING:
        # Texts beyond the counted ones have the average length.
        texts = sum(field.texts.values())
        content = sum(len(text.encode()) * count for text, count in field.texts.items())
        return field.count * (_tag(field) + 1) + (content * field.count / texts if texts else 0)
    if item.packed:
        return _payload(field) + sum(
            _tag(field) + varint_size(_payload_of(field, n)) for n in field.lists
        )
    return _payload(field) + field.count * _tag(field)


def _tag(field: FieldValues) -> int:
    return varint_size(field.declared.number << 3)


def _payload(field: FieldValues) -> int:
    """Return the bytes of the numbers alone."""
    item = field.declared
    width = item.type.width if isinstance(item.type, Kind) else None
    if width is not None and (item.coding is Coding.FIXED or item.type in _FLOATS):
        return width * field.count
    if item.type is Kind.BOOL:
        return field.count
    return field.zigzag if item.coding is Coding.ZIGZAG else field.varint


def _payload_of(field: FieldValues, elements: int) -> int:
    """Return the bytes of a list with so many elements, on average."""
    return round(_payload(field) * elements / max(1, field.count))


_FLOATS = (Kind.FLOAT32, Kind.FLOAT64)
_SIGNED = (Kind.INT32, Kind.INT64)
_WHOLE = (*_SIGNED, Kind.UINT32, Kind.UINT64)


def _varying_bytes(field: FieldValues) -> int:
    """Return the bytes in the smaller of the forms whose length follows the value."""
    return min(field.varint, field.zigzag) if field.declared.type in _SIGNED else field.varint


def _as_zigzag(field: FieldValues) -> float:
    signed = field.declared.type in _SIGNED and field.declared.coding is Coding.VARINT
    return field.varint - field.zigzag if signed and field.zigzag <= _as_fixed_bytes(field) else 0


def _as_fixed_bytes(field: FieldValues) -> int:
    width = field.declared.type.width if isinstance(field.declared.type, Kind) else None
    return (width or 8) * field.count


def _as_fixed(field: FieldValues) -> float:
    varying = field.declared.type in _WHOLE and field.declared.coding is not Coding.FIXED
    fixed = _as_fixed_bytes(field)
    return _payload(field) - fixed if varying and fixed < _varying_bytes(field) else 0


def _as_varint(field: FieldValues) -> float:
    fixed = field.declared.type in _WHOLE and field.declared.coding is Coding.FIXED
    return _payload(field) - _varying_bytes(field) if fixed else 0


def _as_packed(field: FieldValues) -> float:
    """Return the bytes saved by one tag and length for a list, no tag for each element."""
    item = field.declared
    if item.label is not Label.REPEATED or item.packed or item.type is Kind.STRING:
        return 0
    if item.type is Kind.BYTES:
        return 0
    lengths = sum(
        _tag(field) + varint_size(_payload_of(field, elements)) for elements in field.lists
    )
    return field.count * _tag(field) - lengths


def _as_float(field: FieldValues) -> float:
    return 4 * field.count if field.declared.type is Kind.FLOAT64 else 0


def _as_enum(field: FieldValues) -> float:
    """Return the bytes saved by a byte for each text.

    A required field is left out: it could be no enum of an older reader.
    """
    few = 1 < len(field.texts) <= min(MOST_OF_AN_ENUM, MOST_TEXTS)
    if not few or field.count < LEAST_TEXTS or field.declared.presence is Presence.REQUIRED:
        return 0
    # Most texts come again, else they are names of their own.
    if field.count < 4 * len(field.texts):
        return 0
    return sum(len(text.encode()) * count for text, count in field.texts.items())


def _of_protobuf(saved: Callable[[FieldValues], float]) -> Share:
    """Return the share of bytes that ``saved`` computes for the values that were counted."""

    def share(field: FieldValues) -> float:
        seen = _bytes(field)
        return saved(field) / seen if seen else 0.0

    return share


def _narrower(field: FieldValues) -> float:
    """Return the share saved by the smallest type for all values, on a wire of whole widths."""
    kind = field.declared.type
    if not isinstance(kind, Kind) or kind not in (*_WHOLE, Kind.INT16, Kind.UINT16):
        return 0
    own = kind.width or 1
    for width in (1, 2, 4):
        bits = 8 * width
        low, high = (
            (0, (1 << bits) - 1) if field.low >= 0 else (-1 << bits - 1, (1 << bits - 1) - 1)
        )
        if low <= field.low and field.high <= high:
            return max(0.0, 1 - width / own)
    return 0


def _number_for_text(field: FieldValues) -> float:
    """Return the share saved by a byte for each text and its length of four."""
    if not _as_enum(field):
        return 0
    content = _as_enum(field) + PREFIX * field.count
    return 1 - field.count / content


FLOATS = "float for double in"
_OF_PROTOBUF: dict[str, Share] = {
    FLOATS: _of_protobuf(_as_float),
    "sint for int in": _of_protobuf(_as_zigzag),
    "fixed for int in": _of_protobuf(_as_fixed),
    "int for fixed in": _of_protobuf(_as_varint),
    "packed lists of": _of_protobuf(_as_packed),
    "an enum for the few texts of": _of_protobuf(_as_enum),
}
_OF_ROS: dict[str, Share] = {
    "float32 for float64 in": lambda one: 0.5 if one.declared.type is Kind.FLOAT64 else 0.0,
    "smaller integers in": _narrower,
    "an integer for the few texts of": _number_for_text,
}
