# SPDX-License-Identifier: Apache-2.0
"""Plans of the sequential wires as C++: what the template ``sequential.hpp.j2`` prints."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.schema.compile.emit.cpp.bounds import bounded
from wirecost.schema.compile.emit.cpp.names import SCALARS, CppNames, NamedType, identifier, member
from wirecost.schema.compile.emit.cpp.order import defined_in_order, is_plain
from wirecost.schema.compile.emit.cpp.views import MapEntry, view_fields
from wirecost.schema.compile.plan import nesting
from wirecost.schema.compile.plan.sequential import (
    Array,
    Call,
    Choice,
    Entries,
    Planner,
    Rules,
    Run,
    Slot,
    Step,
    Text,
)
from wirecost.schema.compile.schema import Field, File, Kind, Label, Message, MessageRef, Schema

SMALL = 4
"""Steps up to which a message without others in it is read and written where it stands."""


@dataclass(frozen=True)
class SequentialValue:
    """One value: a scalar, text or message."""

    kind: str
    type: str
    """Type in the holder."""
    view: str
    """Type in the view."""
    align: int = 1
    raw: str = ""
    """Type of the value that is loaded and stored."""
    width: int = 0
    terminated: bool = False
    codec: str = ""
    capacity: int | None = None
    is_string: bool = False
    """Text that users may want to be UTF-8."""


@dataclass(frozen=True)
class SlotAccess:
    """A fixed-width value in a run: how code reads and writes it; positions and sizes in bytes."""

    target: str
    value: str
    raw: str
    """Type of the value that is loaded and stored."""
    type: str
    offset: int
    count: int | None
    size: int


@dataclass(frozen=True)
class Alternative:
    """A member of a oneof; ``index``: its position in the variant."""

    index: int
    number: int
    name: str
    boxed: bool
    value: SequentialValue


@dataclass(frozen=True)
class Part:
    """One step of a message as the template sees it."""

    step: str
    value: SequentialValue | None = None
    name: str = ""
    read: str = ""
    write: str = ""
    align: int = 1
    rest: int = 0
    size: int = 0
    minimum: int = 0
    capacity: int | None = None
    fixed: bool = False
    optional: bool = False
    slots: tuple[SlotAccess, ...] = ()
    gaps: tuple[tuple[int, int], ...] = ()
    members: tuple[Alternative, ...] = ()
    key: SequentialValue | None = None
    view_name: str = ""
    block: Run | None = None
    """Run of an element that lies in a message as its holder does in memory."""

    @property
    def is_plain_array(self) -> bool:
        """True if its size follows from its count."""
        return self.step == "array" and self.value is not None and self.value.kind == "scalar"

    @property
    def varies(self) -> bool:
        """True if its size is known only behind it, where the rest must be checked."""
        is_message = self.value is not None and self.value.kind == "message"
        return self.step in ("array", "map", "oneof") or is_message


@dataclass(frozen=True)
class SequentialMessage:
    """A message's codec."""

    name: str
    type: str
    plain: bool
    """True if the holder is its own view."""
    deep: bool
    minimum: int
    """Bytes, at least."""
    small: bool
    parts: list[Part]
    bounded: bool
    has_text: bool
    entries: list[MapEntry[SequentialValue | None]]
    view_fields: list[NamedType]


class SequentialCodec:
    """Template contexts of the messages of a file."""

    def __init__(self, schema: Schema, names: CppNames, rules: Rules) -> None:
        self._schema = schema
        self._names = names
        self._rules = rules
        self._planner = Planner(schema, rules)
        self._deep = nesting.deep(schema)

    def messages(self, file: File) -> list[SequentialMessage]:
        return [self._message(m) for m in defined_in_order(self._schema, file)]

    def _message(self, message: Message) -> SequentialMessage:
        plan = self._planner.plan(message)
        parts = [self._part(message, s, r) for s, r in zip(plan.steps, plan.rests, strict=True)]
        reference = MessageRef(message.full_name)
        return SequentialMessage(
            name=self._names.plain(message),
            type=self._names.qualified(reference),
            plain=is_plain(self._schema, message),
            deep=message.full_name in self._deep,
            minimum=plan.minimum,
            small=len(parts) <= SMALL
            and all(p.step in ("run", "value") for p in parts)
            and all(p.value is None or p.value.kind != "message" for p in parts),
            parts=parts,
            bounded=bounded(self._schema, message),
            has_text=any(_holds_text(s) for s in plan.steps),
            entries=[
                MapEntry(part.view_name, part.key, part.value)
                for part in parts
                if part.step == "map"
            ],
            view_fields=view_fields(
                message,
                lambda item: self._view_member(message, item),
                lambda item: self._single_view(message, item),
            ),
        )

    def _value(self, step: Run | Text | Call, item: Field) -> SequentialValue:
        type_ = (
            self._names.element(item.type)
            if item.label is Label.REPEATED
            else (self._names.value(item.type))
        )
        if isinstance(step, Text):
            return SequentialValue(
                "text", type_, "std::string_view", step.align,
                terminated=step.terminated, capacity=item.text_capacity,
                is_string=item.type is Kind.STRING,
            )  # fmt: skip
        if isinstance(step, Call):
            return SequentialValue(
                "message", type_, self._view_type(step.message),
                codec=self._names.codec(step.message, self._rules.wire),
            )  # fmt: skip
        kind = step.slots[0].kind
        return SequentialValue(
            "scalar", type_, self._names.value(item.type), step.align, SCALARS[kind], step.size
        )

    def _view_type(self, reference: MessageRef) -> str:
        if is_plain(self._schema, self._schema.message(reference)):
            return self._names.qualified(reference)
        return self._names.view(reference, self._rules.wire)

    def _part(self, message: Message, step: Step, rest: int) -> Part:
        if isinstance(step, Run):
            return self._run(step, rest)
        if isinstance(step, Choice):
            return self._choice(message, step, rest)
        item = step.field
        name = member(item)
        if isinstance(step, Entries):
            if item.key is None or item.value is None:
                raise AssertionError(item)
            return Part(
                "map", self._value(step.value, item.value), name, align=step.align,
                rest=rest, minimum=step.minimum, key=self._value(step.key, item.key),
                view_name=f"{self._names.plain(message)}_{name}_Entry",
            )  # fmt: skip
        if isinstance(step, Array):
            return Part(
                "array", self._value(step.element, item), name, align=step.align,
                rest=rest, minimum=step.minimum, capacity=item.capacity,
                fixed=item.label is Label.ARRAY, block=self._block(step),
            )  # fmt: skip
        value = self._value(step, item)
        return Part("value", value, name, f"m.{name}", self._written(item), rest=rest,
                    optional=item.is_optional)  # fmt: skip

    def _block(self, array: Array) -> Run | None:
        """Return one run without gaps, which ends where the next one may begin.

        What C++ would have to look at, as a bool or an absent value, is none.
        """
        if not isinstance(array.element, Call) or array.field.label is Label.ARRAY:
            return None
        steps = self._planner.plan(self._schema.message(array.element.message)).steps
        if len(steps) != 1 or not isinstance(steps[0], Run):
            return None
        run = steps[0]
        is_whole = run.size == sum(map(_width, run.slots)) and run.size % run.align == 0
        return run if is_whole and all(map(_is_copied, run.slots)) else None

    def _written(self, item: Field) -> str:
        """Return the expression of what is encoded: an absent value is its default."""
        expression = f"m.{member(item)}"
        if not item.is_optional:
            return expression
        if isinstance(item.type, MessageRef):
            return f"{expression}.or_default()"
        default = self._names.literal(item.type, item.default)
        if isinstance(item.type, Kind) and item.type.is_text:
            return f"({expression} ? std::string_view(*{expression}) : {default})"
        return f"{expression}.value_or({default})"

    def _run(self, run: Run, rest: int) -> Part:
        slots = [self._slot(slot) for slot in run.slots]
        gaps, at = [], 0
        for slot in slots:
            if slot.offset > at:
                gaps.append((at, slot.offset - at))
            at = slot.offset + slot.size
        return Part("run", align=run.align, size=run.size, rest=rest, slots=tuple(slots),
                    gaps=tuple(gaps))  # fmt: skip

    def _slot(self, slot: Slot) -> SlotAccess:
        item = slot.path[-1]
        outer = "".join(f"{member(f)}." for f in slot.path[:-1])
        target = f"m.{outer}{member(item)}"
        value = target
        if item.is_optional:
            value = f"{target}.value_or({self._names.literal(item.type, item.default)})"
        return SlotAccess(
            target=target,
            value=value,
            raw=SCALARS[slot.kind],
            type=self._names.value(item.type),
            offset=slot.offset,
            count=slot.count,
            size=_width(slot),
        )

    def _choice(self, message: Message, step: Choice, rest: int) -> Part:
        members = []
        for index, (item, value) in enumerate(step.members, start=1):
            boxed = self._schema.recursive(message, item)
            members.append(
                Alternative(index, item.number, member(item), boxed, self._value(value, item))
            )
        return Part("oneof", name=identifier(step.oneof), align=step.align, rest=rest,
                    members=tuple(members))  # fmt: skip

    def _single_view(self, message: Message, item: Field) -> str:
        if isinstance(item.type, MessageRef):
            view = self._view_type(item.type)
            return self._range(item.type, view) if self._schema.recursive(message, item) else view
        if isinstance(item.type, Kind) and item.type.is_text:
            return "std::string_view"
        return self._names.value(item.type)

    def _range(self, reference: MessageRef, view: str) -> str:
        outer = self._names.codec(reference, self._rules.wire) or "detail::"
        read = f"{outer}read_view"
        return f"wirecost::RangeView<wirecost::sequential::ElementReader<{view}, &{read}>>"

    def _view_member(self, message: Message, item: Field) -> str:
        if item.label is Label.MAP:
            entry = f"{self._names.plain(message)}_{member(item)}_Entry"
            return (
                f"wirecost::RangeView<wirecost::sequential::ElementReader<{entry}, "
                "&detail::read_view>>"
            )
        single = self._single_view(message, item)
        if item.label is Label.ARRAY:
            return f"std::array<{single}, {item.capacity}>"
        if item.label is Label.REPEATED:
            if isinstance(item.type, MessageRef):
                return self._range(item.type, single)
            if single == "std::string_view":
                align, terminated = self._text_rules(item)
                return (
                    "wirecost::RangeView<wirecost::sequential::ElementReader<std::string_view, "
                    f"&wirecost::sequential::read_text<{align}, {terminated}>>>"
                )
            return f"wirecost::ArrayView<{single}>"
        return f"wirecost::Optional<{single}>" if item.is_optional else single

    def _text_rules(self, item: Field) -> tuple[int, str]:
        terminated = self._rules.terminated and item.type is Kind.STRING
        return self._rules.alignment(4), str(terminated).lower()


def _width(slot: Slot) -> int:
    return (slot.kind.width or 0) * (1 if slot.count is None else slot.count)


def _is_copied(slot: Slot) -> bool:
    """Return whether any bytes are a value of the holder's type."""
    is_there = not any(item.is_optional for item in slot.path)
    return is_there and slot.kind is not Kind.BOOL and isinstance(slot.path[-1].type, Kind)


def _holds_text(step: Step) -> bool:
    if isinstance(step, Choice):
        return any(isinstance(value, Text) for _, value in step.members)
    if isinstance(step, Entries):
        return isinstance(step.key, Text) or isinstance(step.value, Text)
    return isinstance(step, Text) or (isinstance(step, Array) and isinstance(step.element, Text))
