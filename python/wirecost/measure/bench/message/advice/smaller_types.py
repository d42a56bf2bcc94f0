# SPDX-License-Identifier: Apache-2.0
"""Fields of other types that would hold the same values in fewer bytes: computed from the values
that the messages have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wirecost.measure.bench.message.advice.values import MOST_TEXTS, Values, values, varint_size
from wirecost.measure.bench.message.fields import FieldBytes
from wirecost.measure.bench.message.subject import Subject
from wirecost.schema.compile.plan.sequential import PREFIX
from wirecost.schema.compile.schema import Coding, Kind, Label, Presence

LEAST_TEXTS = 20
"""Texts that must be there before few different ones mean something."""
MOST_OF_AN_ENUM = 32

Share = Callable[[Values], float]
"""Of the field's bytes that another type saves; zero or less where it saves nothing."""


def cheaper_types(
    subject: Subject, messages: Sequence[bytes], fields: Sequence[FieldBytes]
) -> Iterator[tuple[str, dict[str, float]]]:
    """What to do, and the share of all bytes that it saves in each field, the most saving first."""
    found = values(subject, messages)
    sizes = {field.path: field.own for field in fields}
    total = sum(field.all for field in fields if "." not in field.path)
    known = _OF_PROTOBUF if subject.wire == "protobuf" else _OF_ROS
    for what, share in known.items():
        shares = ((share(one) * sizes.get(path, 0), path) for path, one in found.items())
        mine = sorted((one for one in shares if one[0] > 0), reverse=True)
        if mine and total:
            yield what, {path: part / total for part, path in mine}


def _bytes(one: Values) -> float:
    """Of the values that were looked at, with tags and lengths, as Protobuf writes them."""
    item = one.declared
    if item.type is Kind.STRING:
        # Of texts beyond the first, the average is taken.
        kept = sum(one.texts.values())
        content = sum(len(text.encode()) * count for text, count in one.texts.items())
        return one.count * (_tag(one) + 1) + (content * one.count / kept if kept else 0)
    if item.packed:
        return _payload(one) + sum(_tag(one) + varint_size(_payload_of(one, n)) for n in one.lists)
    return _payload(one) + one.count * _tag(one)


def _tag(one: Values) -> int:
    return varint_size(one.declared.number << 3)


def _payload(one: Values) -> int:
    """Of the numbers alone."""
    item = one.declared
    width = item.type.width if isinstance(item.type, Kind) else None
    if width is not None and (item.coding is Coding.FIXED or item.type in _FLOATS):
        return width * one.count
    if item.type is Kind.BOOL:
        return one.count
    return one.zigzag if item.coding is Coding.ZIGZAG else one.varint


def _payload_of(one: Values, elements: int) -> int:
    """Of a list with so many, on average."""
    return round(_payload(one) * elements / max(1, one.count))


_FLOATS = (Kind.FLOAT32, Kind.FLOAT64)
_SIGNED = (Kind.INT32, Kind.INT64)
_WHOLE = (*_SIGNED, Kind.UINT32, Kind.UINT64)


def _varying_bytes(one: Values) -> int:
    """In the smaller of the forms whose length follows the value."""
    return min(one.varint, one.zigzag) if one.declared.type in _SIGNED else one.varint


def _as_zigzag(one: Values) -> float:
    signed = one.declared.type in _SIGNED and one.declared.coding is Coding.VARINT
    return one.varint - one.zigzag if signed and one.zigzag <= _as_fixed_bytes(one) else 0


def _as_fixed_bytes(one: Values) -> int:
    width = one.declared.type.width if isinstance(one.declared.type, Kind) else None
    return (width or 8) * one.count


def _as_fixed(one: Values) -> float:
    varying = one.declared.type in _WHOLE and one.declared.coding is not Coding.FIXED
    fixed = _as_fixed_bytes(one)
    return _payload(one) - fixed if varying and fixed < _varying_bytes(one) else 0


def _as_varint(one: Values) -> float:
    fixed = one.declared.type in _WHOLE and one.declared.coding is Coding.FIXED
    return _payload(one) - _varying_bytes(one) if fixed else 0


def _as_packed(one: Values) -> float:
    """One tag and length for a list, no tag for each."""
    item = one.declared
    if item.label is not Label.REPEATED or item.packed or item.type is Kind.STRING:
        return 0
    if item.type is Kind.BYTES:
        return 0
    lengths = sum(_tag(one) + varint_size(_payload_of(one, elements)) for elements in one.lists)
    return one.count * _tag(one) - lengths


def _as_float(one: Values) -> float:
    return 4 * one.count if one.declared.type is Kind.FLOAT64 else 0


def _as_enum(one: Values) -> float:
    """A byte for each text. A field that must be there could be no enum of an older reader."""
    few = 1 < len(one.texts) <= min(MOST_OF_AN_ENUM, MOST_TEXTS)
    if not few or one.count < LEAST_TEXTS or one.declared.presence is Presence.REQUIRED:
        return 0
    # Most texts come again, else they are names of their own.
    if one.count < 4 * len(one.texts):
        return 0
    return sum(len(text.encode()) * count for text, count in one.texts.items())


def _of_protobuf(saved: Callable[[Values], float]) -> Share:
    """``saved``: bytes of the values that were looked at."""

    def share(one: Values) -> float:
        seen = _bytes(one)
        return saved(one) / seen if seen else 0.0

    return share


def _narrower(one: Values) -> float:
    """The smallest type that holds all values, on a wire that writes each with its whole width."""
    kind = one.declared.type
    if not isinstance(kind, Kind) or kind not in (*_WHOLE, Kind.INT16, Kind.UINT16):
        return 0
    own = kind.width or 1
    for width in (1, 2, 4):
        bits = 8 * width
        low, high = (0, (1 << bits) - 1) if one.low >= 0 else (-1 << bits - 1, (1 << bits - 1) - 1)
        if low <= one.low and one.high <= high:
            return max(0.0, 1 - width / own)
    return 0


def _number_for_text(one: Values) -> float:
    """A byte for each text and its length of four."""
    if not _as_enum(one):
        return 0
    content = _as_enum(one) + PREFIX * one.count
    return 1 - one.count / content


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
