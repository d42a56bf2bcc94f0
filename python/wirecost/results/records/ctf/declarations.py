# SPDX-License-Identifier: Apache-2.0
"""Types in TSDL: integers, structs, variants, enumerations, and their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirecost.results.records.ctf.tokens import Tokens, TsdlError, is_number, number_of
from wirecost.results.records.ctf.types import (
    DEEPEST,
    Array,
    Enum,
    Float,
    Integer,
    Struct,
    Text,
    Type,
    Variant,
)

LARGEST_ALIGNMENT = 1 << 16
LONGEST_ARRAY = 1 << 31
MOST_FIELDS = 10_000
MOST_WORDS = 16
"""Most words of a type's name; in C they are four."""
KEYWORDS = ("typealias", "typedef", "struct", "variant", "enum")
ENDIAN = {"le": False, "be": True, "network": True, "native": None}


class Declarations:
    """The types of one scope; those of the scopes around it are known in it."""

    def __init__(self, tokens: Tokens, outer: Declarations | None = None) -> None:
        self._tokens = tokens
        self._outer = outer
        self._names: dict[str, Type] = {}
        self._depth: int = outer._depth + 1 if outer else 0

    def begins_statement(self) -> bool:
        return self._tokens.peek() in KEYWORDS

    def statement(self) -> None:
        """Read a declaration of a name. Raises TsdlError."""
        tokens = self._tokens
        if tokens.accept("typealias"):
            declared = self.type()
            tokens.expect(":=")
            self._names[self._alias()] = declared
        elif tokens.accept("typedef"):
            declared = self.type()
            name, whole = self._declarator(declared)
            self._names[name] = whole
        else:
            self.type()
        tokens.expect(";")

    def type(self) -> Type:
        """Read a type. Raises TsdlError."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise TsdlError("types nest too deep")
        try:
            return self._type()
        finally:
            self._depth -= 1

    def _type(self) -> Type:
        kinds: dict[str, Callable[[], Type]] = {
            "integer": self._integer,
            "floating_point": self._float,
            "string": self._string,
            "struct": self._struct,
            "variant": self._variant,
            "enum": self._enum,
        }
        read = kinds.get(self._tokens.peek())
        if read is None:
            return self._known(self._words())
        self._tokens.take()
        return read()

    def _string(self) -> Text:
        if self._tokens.peek() == "{":
            self._attributes()
        return Text()

    def _words(self) -> str:
        """Read a type's name: several words, of which the last one may be a field's name."""
        tokens = self._tokens
        words = [tokens.name()]
        while (
            len(words) < MOST_WORDS
            and tokens.peek()[:1].isalpha()
            and self._find(" ".join([*words, tokens.peek()]))
        ):
            words.append(tokens.take())
        return " ".join(words)

    def _alias(self) -> str:
        words = [self._tokens.name()]
        while self._tokens.peek() not in (";", ""):
            words.append(self._tokens.name())
            if len(words) > MOST_WORDS:
                raise TsdlError(f"a type's name of more than {MOST_WORDS} words")
        return " ".join(words)

    def _find(self, name: str) -> Type | None:
        scope: Declarations | None = self
        while scope is not None:
            if name in scope._names:
                return scope._names[name]
            scope = scope._outer
        return None

    def _known(self, name: str) -> Type:
        """``unsigned long`` may be known where ``unsigned`` is not."""
        declaration = self._find(name)
        words = 1
        while declaration is None and words < MOST_WORDS and self._tokens.peek()[:1].isalpha():
            name += " " + self._tokens.take()
            declaration = self._find(name)
            words += 1
        if declaration is None:
            raise TsdlError(f"no type {name[:60]!r} was declared")
        return declaration

    def _attributes(self) -> dict[str, str]:
        tokens = self._tokens
        attributes: dict[str, str] = {}
        tokens.expect("{")
        while not tokens.accept("}"):
            key = tokens.name()
            tokens.expect("=")
            value = ""
            while tokens.peek() not in (";", ""):
                value += tokens.take()
            tokens.expect(";")
            attributes[key] = value
        return attributes

    def _integer(self) -> Integer:
        attributes = self._attributes()
        size = number_of(attributes.get("size", ""))
        align = number_of(attributes.get("align", "8" if size % 8 == 0 else "1"))
        if not 1 <= size <= 64:
            raise TsdlError(f"an integer of {size} bits")
        clock = attributes.get("map", "").removeprefix("clock.").removesuffix(".value")
        return Integer(
            size,
            _alignment(align),
            attributes.get("signed", "false") not in ("false", "FALSE", "0"),
            ENDIAN.get(attributes.get("byte_order", "native")),
            clock or None,
            attributes.get("encoding", "none") != "none",
        )

    def _float(self) -> Float:
        attributes = self._attributes()
        size = number_of(attributes.get("exp_dig", "")) + number_of(attributes.get("mant_dig", ""))
        if size not in (16, 32, 64, 128):
            raise TsdlError(f"a floating-point number of {size} bits")
        return Float(size, _alignment(number_of(attributes.get("align", "1"))))

    def _struct(self) -> Struct:
        tokens = self._tokens
        name = tokens.name() if tokens.peek() != "{" else None
        if tokens.peek() != "{":
            declared = self._known(f"struct {name}")
            if not isinstance(declared, Struct):
                raise TsdlError(f"no struct {name} was declared")
            return declared
        fields, align = self._fields(), 1
        if tokens.accept("align"):
            tokens.expect("(")
            align = _alignment(tokens.number())
            tokens.expect(")")
        struct = Struct(fields, align)
        if name is not None:
            self._names[f"struct {name}"] = struct
        return struct

    def _variant(self) -> Variant:
        tokens = self._tokens
        name = tokens.name() if tokens.peek() not in ("{", "<") else None
        tag = None
        if tokens.accept("<"):
            tag = self._path()
            tokens.expect(">")
        if tokens.peek() != "{":
            declared = self._known(f"variant {name}")
            if not isinstance(declared, Variant):
                raise TsdlError(f"no variant {name} was declared")
            return replace(declared, tag=tag)
        variant = Variant(tag, self._fields())
        if name is not None:
            self._names[f"variant {name}"] = variant
        return variant

    def _fields(self) -> tuple[tuple[str, Type], ...]:
        inner = Declarations(self._tokens, self)
        self._tokens.expect("{")
        fields: list[tuple[str, Type]] = []
        while not self._tokens.accept("}"):
            if self._tokens.peek() in ("typealias", "typedef"):
                inner.statement()
                continue
            declared = inner.type()
            fields.append(inner._declarator(declared))
            self._tokens.expect(";")
            if len(fields) > MOST_FIELDS:
                raise TsdlError(f"more than {MOST_FIELDS} fields")
        return tuple(fields)

    def _declarator(self, declared: Type) -> tuple[str, Type]:
        tokens = self._tokens
        name = tokens.name()
        lengths: list[int | str] = []
        while tokens.accept("["):
            lengths.append(tokens.number() if is_number(tokens.peek()) else self._path())
            tokens.expect("]")
        for length in reversed(lengths):
            if isinstance(length, int) and not 0 <= length < LONGEST_ARRAY:
                raise TsdlError(f"an array of {length} elements")
            declared = Array(declared, length)
        return name, declared

    def _path(self) -> str:
        path = self._tokens.name()
        while self._tokens.accept("."):
            path += "." + self._tokens.name()
        return path

    def _enum(self) -> Enum:
        tokens = self._tokens
        name = tokens.name() if tokens.peek() not in (":", "{") else None
        base: Type | None = self.type() if tokens.accept(":") else None
        if tokens.peek() != "{":
            declared = self._known(f"enum {name}")
            if not isinstance(declared, Enum):
                raise TsdlError(f"no enum {name} was declared")
            return declared
        if base is None:
            base = self._find("int")
        if isinstance(base, Enum):
            base = base.base
        if not isinstance(base, Integer):
            raise TsdlError("an enumeration of no integer")
        enum = Enum(base, self._labels())
        if name is not None:
            self._names[f"enum {name}"] = enum
        return enum

    def _labels(self) -> dict[str, list[tuple[int, int]]]:
        tokens = self._tokens
        labels: dict[str, list[tuple[int, int]]] = {}
        tokens.expect("{")
        following = 0
        while not tokens.accept("}"):
            label = tokens.take().strip('"')
            low = high = following
            if tokens.accept("="):
                low = high = tokens.number()
                if tokens.accept("..."):
                    high = tokens.number()
            labels.setdefault(label, []).append((low, high))
            following = high + 1
            if not tokens.accept(","):
                tokens.expect("}")
                break
        return labels


def _alignment(bits: int) -> int:
    if bits < 1 or bits > LARGEST_ALIGNMENT or bits & (bits - 1):
        raise TsdlError(f"an alignment of {bits} bits")
    return bits
