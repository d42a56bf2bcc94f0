# SPDX-License-Identifier: Apache-2.0
"""Decoders of Protobuf's wire format: one loop over tags per message.

Bytes past the end of the input raise IndexError or struct.error, slices past it come out short;
either way the position then differs from the end, where every message checks it.
"""

from __future__ import annotations

from collections.abc import Callable

from wirecost.schema.compile.emit.python import names, values
from wirecost.schema.compile.emit.python.limits import Limits
from wirecost.schema.compile.emit.python.lines import Lines, if_any_is_none, reset, wrapped
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.emit.python.protobuf_values import Values
from wirecost.schema.compile.emit.python.protobuf_writer import scalar_kind
from wirecost.schema.compile.plan import protobuf
from wirecost.schema.compile.plan.protobuf import Item, Payload
from wirecost.schema.compile.schema import Field, Label, Message, MessageRef

RESERVED = "m cls data pos end depth budget group start tag n high value len bytes bytearray"
FEW = 4
"""Most tags that are compared one after the other; more are searched by halves."""

Case = tuple[int, Callable[[], None]]


class ProtobufReader:
    """Lines of one message's function."""

    def __init__(
        self,
        module: Module,
        message: Message,
        keeps: bool,
        limits: Limits,
        groups: frozenset[str],
    ) -> None:
        self.module, self.message = module, message
        self._keeps, self._limits, self._groups = keeps, limits, groups
        self._is_deep = message.full_name in limits.deep
        self._is_heavy = message.full_name in limits.heavy
        self._is_group = message.full_name in groups
        self.lines = Lines()
        self.lines.reserve(*RESERVED.split(), *module.class_names)
        self._values = Values(module, message, limits, groups, self.lines)
        self._items = protobuf.plan(message).items

    def function(self) -> str:
        cls = self.module.cls(self.message.full_name)
        arguments = ["data: bytes", "pos: int", "end: int", "m: _t.Any = None"]
        arguments.append(f"cls: type = {cls}")
        arguments += ["depth: int = 0"] * self._is_deep + ["group: int = 0"] * self._is_group
        if self._is_heavy:
            arguments.append(f"budget: list[int] = {self.module.support('NO_BUDGET')}")
        self._body()
        untyped = [f"    {name}: _t.Any" for name in sorted(self._values.untyped, reverse=True)]
        self.lines.add("return m, pos" if self._is_group else "return m")
        name = self.module.private("decode_protobuf", self.message.full_name)
        head = wrapped(f"def {name}({', '.join(arguments)}) -> _t.Any:")
        return "\n".join((*head, *untyped, self.lines.text))

    def _body(self) -> None:
        add = self.lines.add
        if self._is_deep:
            with self.lines.block(f"if depth > {self.module.support('DEPTH')}:"):
                add(f"raise {self.module.support('depth_error')}(pos)")
        with self.lines.block("if m is None:"):
            self._charge()
            add(f"m = {self.module.support('new')}(cls)")
            self._initialise()
        for item in self._items:
            self._gather(item.field)
        if self._keeps:
            add("unknown: list[bytes] = []")
        with self.lines.block("while pos < end:"):
            if self._keeps:
                add("start = pos")
            self._tag()
            if self._is_group:
                with self.lines.block("if group and tag == group:"):
                    add("break")
            self._dispatch(self._cases(), self._unknown)
        overrun = f"raise {self.module.support('overrun_error')}(data, pos, end)"
        if self._is_group:
            with self.lines.block("else:"), self.lines.block("if group or pos != end:"):
                add(overrun)
        else:
            with self.lines.block("if pos != end:"):
                add(overrun)
        self._complete()

    def _gather(self, field: Field) -> None:
        """Add a local for what is no field until all of it is there."""
        gathered = self._gathered(field)
        if field.label is Label.ARRAY:
            code = values.array_code(field)
            empty = (
                "bytearray()" if values.is_bytes(field) else f'_array("{code}")' if code else "[]"
            )
            self.lines.add(f"{gathered}: _t.Any = {empty}")
        elif self._is_gathered(field):
            self.lines.add(f"{gathered} = bytearray(m.{names.attribute(field)})")

    @staticmethod
    def _is_gathered(field: Field) -> bool:
        return field.label is Label.ARRAY or (
            field.label is Label.REPEATED and values.is_bytes(field)
        )

    def _charge(self) -> None:
        name = self.message.full_name
        if name in self._limits.charged:
            self.lines.add(f"budget[0] -= {self._limits.weight(name)}")
            with self.lines.block("if budget[0] < 0:"):
                self.lines.add(f"raise {self.module.support('memory_error')}(pos)")

    def _initialise(self) -> None:
        absent = []
        for item in self._items:
            field, held = item.field, f"m.{names.attribute(item.field)}"
            is_message = isinstance(field.type, MessageRef)
            single = field.label is Label.SINGLE
            starts_absent = single and (is_message or self._may_stay_absent(item))
            if starts_absent or field.label is Label.ARRAY:
                absent.append(held)
            else:
                self.lines.add(f"{held} = {values.fresh(self.module, field)}")
        reset(self.lines, absent)
        if self._keeps:
            self.lines.add('m.unknown_fields = b""')
        if not self._items and not self._keeps:
            self.lines.add("pass")

    def _complete(self) -> None:
        """Add what must hold, and what is made, when all fields are read."""
        add = self.lines.add
        for item in self._items:
            field, held = item.field, f"m.{names.attribute(item.field)}"
            if field.label is Label.ARRAY:
                self._complete_array(field, held)
                continue
            if self._is_gathered(field):
                add(f"{held} = bytes({self._gathered(field)})")
            if field.capacity is not None:
                self._check_capacity(field, held)
            implicit = field.label is Label.SINGLE and not self._may_stay_absent(item)
            if implicit and isinstance(field.type, MessageRef):
                with self.lines.block(f"if {held} is None:"):
                    add(f"{held} = {values.fresh(self.module, field)}")
        required = [
            f"m.{names.attribute(i.field)}" for i in self._items if i.required_bit is not None
        ]
        if required:
            with self.lines.block(if_any_is_none(required)):
                error = self.module.support("missing_error")
                add(f'raise {error}("{self.module.cls(self.message.full_name)}", pos)')
        if self._keeps:
            with self.lines.block("if unknown:"):
                add('m.unknown_fields += b"".join(unknown)')

    def _may_stay_absent(self, item: Item) -> bool:
        """Return whether no default takes its place when all fields are read."""
        field = item.field
        return field.is_optional or field.oneof is not None or item.required_bit is not None

    def _complete_array(self, field: Field, held: str) -> None:
        """Put the elements that came before what was there."""
        gathered = self._gathered(field)
        with self.lines.block(f"if {held} is None:"):
            self.lines.add(f"{held} = {values.fresh(self.module, field)}")
        with self.lines.block(f"if {gathered}:"):
            self._check_capacity(field, gathered)
            if values.is_bytes(field):
                self.lines.add(f"{held} = bytes({gathered}) + {held}[len({gathered}) :]")
            else:
                self.lines.add(f"{held}[: len({gathered})] = {gathered}")

    def _check_capacity(self, field: Field, found: str) -> None:
        error = self.module.support("capacity_error")
        with self.lines.block(f"if len({found}) > {field.capacity}:"):
            self.lines.add(f'raise {error}("{field.name}", len({found}), {field.capacity}, pos)')

    def _tag(self) -> None:
        self.lines.add("tag = data[pos]")
        self.lines.add("pos += 1")
        read = f"tag, pos = {self.module.support('read_tag')}(data, pos - 1)"
        with self.lines.block("if tag > 127:"):
            if all(item.tag < 0x80 for item in self._items):
                self.lines.add(read)
                return
            with self.lines.block("if (n := data[pos]) < 128:"):
                self.lines.add("tag += (n << 7) - 128")
                self.lines.add("pos += 1")
            with self.lines.block("else:"):
                self.lines.add(read)

    def _cases(self) -> list[Case]:
        cases: list[Case] = []
        for item in self._items:
            cases += self._cases_of(item)
        return sorted(cases, key=lambda case: case[0])

    def _cases_of(self, item: Item) -> list[Case]:
        field, held = item.field, f"m.{names.attribute(item.field)}"
        if field.label is Label.MAP:
            return [(item.tag, lambda: self._map(item, held))]
        if field.label is Label.SINGLE:
            return [(item.tag, lambda: self._single(item, held))]
        if self._is_gathered(field):
            held = self._gathered(field)
        cases: list[Case] = []
        single, packed = (item.other_tag, item.tag) if field.packed else (item.tag, item.other_tag)
        if single is not None:
            cases.append((single, lambda: self._element(item, held)))
        if packed is not None:
            cases.append((packed, lambda: self._packed(item, held)))
        return cases

    def _dispatch(self, cases: list[Case], otherwise: Callable[[], None]) -> None:
        """Add comparisons of ``tag`` with the cases' tags, by halves if they are many."""
        if len(cases) > FEW:
            middle = len(cases) // 2
            with self.lines.block(f"if tag < {cases[middle][0]}:"):
                self._dispatch(cases[:middle], otherwise)
            with self.lines.block("else:"):
                self._dispatch(cases[middle:], otherwise)
            return
        word = "if"
        for tag, body in cases:
            with self.lines.block(f"{word} tag == {tag}:"):
                body()
            word = "elif"
        if cases:
            with self.lines.block("else:"):
                otherwise()
        else:
            otherwise()

    def _unknown(self) -> None:
        self.lines.add(f"pos = {self.module.support('skip')}(data, pos, tag)")
        self._keep("data[start:pos]")

    def _keep(self, raw: str) -> None:
        """Remember the bytes of a field that the schema does not know, if that is asked for."""
        if self._keeps:
            self.lines.add(f"unknown.append({raw})")

    def _single(self, item: Item, held: str) -> None:
        values_ = self._values.closed(item.field)
        self._values.read(item, "value" if values_ else held, held)
        if values_:
            with self.lines.block(f"if value in {values_}:"):
                reset_others(self.lines, self.module, self.message, item.field)
                self.lines.add(f"{held} = value")
            if self._keeps:
                with self.lines.block("else:"):
                    self._keep("data[start:pos]")
        else:
            reset_others(self.lines, self.module, self.message, item.field)

    def _take(self, field: Field, value: str, take: str, raw: str = "data[start:pos]") -> None:
        """Run ``take``; where a closed enum does not declare ``value``, keep ``raw`` as unknown."""
        closed = self._values.closed(field)
        if not closed:
            self.lines.add(take)
            return
        with self.lines.block(f"if {value} in {closed}:"):
            self.lines.add(take)
        if self._keeps:
            with self.lines.block("else:"):
                self._keep(raw)

    def _element(self, item: Item, held: str) -> None:
        self._values.read(item, "value")
        self._take(item.field, "value", f"{held}.append(value)")

    def _packed(self, item: Item, held: str) -> None:
        self._values.length()
        field, kind = item.field, scalar_kind(item.field)
        raw = "data[pos : (pos := pos + n)]"
        if item.payload is Payload.FIXED:
            unpack = self.module.support("unpack_array")
            self.lines.add(f'{held}.extend({unpack}("{kind.code}", {raw}))')
            return
        packed, closed = self.module.support("read_packed"), self._values.closed(field)
        keeps = closed and self._keeps
        read = self.module.support("read_int64") if keeps else self._values.reader(field)
        elements = f"{packed}({read}, data, pos, (pos := pos + n))"
        if not closed:
            self.lines.add(f"{held}.extend({elements})")
            return
        with self.lines.block(f"for {'whole' if keeps else 'value'} in {elements}:"):
            unpacked = ""
            if keeps:
                self.lines.add("value = (whole + 0x80000000 & 0xFFFFFFFF) - 0x80000000")
                tag = repr(protobuf.varint(field.number << 3))
                unpacked = f"{tag} + {self.module.support('INT64')}[whole]"
            self._take(field, "value", f"{held}.append(value)", unpacked)

    def _map(self, item: Item, held: str) -> None:
        add = self.lines.add
        key, value = protobuf.entry_items(item.field)
        if self._is_deep:
            with self.lines.block(f"if depth == {self.module.support('DEPTH')}:"):
                add(f"raise {self.module.support('depth_error')}(pos)")
        self._values.length()
        add("last = pos + n")
        self._values.untyped.add("key")
        add(f"key = {values.zero(key.field)}")
        message = isinstance(value.field.type, MessageRef)
        entry_value = self.lines.local("found")
        add(f"{entry_value}: _t.Any = {'None' if message else values.zero(value.field)}")
        with self.lines.block("while pos < last:"):
            self._tag()
            cases: list[Case] = [
                (key.tag, lambda: self._values.read(key, "key")),
                (value.tag, lambda: self._values.read(value, entry_value, entry_value, levels=2)),
            ]
            skip = f"pos = {self.module.support('skip')}(data, pos, tag)"
            self._dispatch(cases, lambda: add(skip))
        with self.lines.block("if pos != last:"):
            add(f"raise {self.module.support('overrun_error')}(data, pos, last)")
        if message:
            with self.lines.block(f"if {entry_value} is None:"):
                self._make_value(value.field, entry_value)
        self._take(value.field, entry_value, f"{held}[key] = {entry_value}")

    def _make_value(self, field: Field, found: str) -> None:
        """Make the value of an entry that has none."""
        if not isinstance(field.type, MessageRef):
            raise AssertionError(field)
        if protobuf.requires(self.module.schema, field):
            error, name = self.module.support("missing_error"), self.module.cls(field.type.name)
            self.lines.add(f'raise {error}("{name}", pos)')
        else:
            self.lines.add(f"{found} = {values.fresh(self.module, field)}")

    def _gathered(self, field: Field) -> str:
        return f"{names.attribute(field)}_gathered"


MANY = 32
"""Members beyond which a loop resets them, so that the text grows with their number only."""


def reset_others(lines: Lines, module: Module, message: Message, item: Field) -> None:
    """Set the other members of a field's oneof to None, if it is in one."""
    members = names.oneof_members(message, item.oneof or "")
    if len(members) <= MANY:
        reset(lines, [f"m.{names.attribute(f)}" for f in members if f is not item])
        return
    name = f"_CHOICES_{module.local_class(message.full_name)}_{item.oneof}"
    if not module.has_constant(name):
        listed = ", ".join(f'"{names.attribute(f)}"' for f in members)
        module.constant(name, f"({listed})")
    other = lines.local("other")
    differs = f'if {other} != "{names.attribute(item)}":'
    with lines.block(f"for {other} in {name}:"), lines.block(differs):
        lines.add(f"setattr(m, {other}, None)")
