# SPDX-License-Identifier: Apache-2.0
"""Schemas whose texts try to be code, and harmless schemas that differ only in their texts."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from google.protobuf import descriptor_pb2 as pb

PIECES = (
    "\n", "\r", "\r\n", "\t", "\v", "\f", "\0", "\x1a", "\x1b[2J", "\x1c", "\x7f", "\x85", "\xa0",
    "\u2028", "\u2029", "\u202e", "\u2066", "\u2069", "\u200b", "\ufeff", "\ue000", "\U000e0041",
    "\\", "\\\n", "\\ \n", "\\\\", "??/", "??/\n", "??=", "\\u000a", "\\\\u000a", "\\uuu000d",
    "\\u002a\\u002f", "\\u0022", "\\u", "\\x0a", "\\N{LF}", "\\0", "\\12", "%:", "<%",
    "*/", "/*", "//", "/**", "#", "##", '"', "'", '"""', "'''", '\\"', "`", "R\"(", ')"',
    "-->", "<!--", "]]>", "&#10;", "&lt;", "<script>", "{", "}", "{{ 7 * 7 }}", "{% raw %}", "#}",
    "{@link", "@deprecated", "{@code", "%s", "%(x)s", "{0}", "${jndi:x}", "$(touch pwned)",
    "coding: utf_7", "coding=utf_7", "+AAo-", "-*- coding: rot13 -*-", "# type: ignore",
    "#include <cstdlib>", "#define int long", "#pragma once", "_Pragma(\"x\")", "clang-format off",
    "evil = 1;", "int evil;", "import os", "class Evil {}", "struct Evil {};", "return", "pass",
    "ä", "漢", "🦀", "a", "word ", " ", "   ", "-" * 120, "w" * 150,
)  # fmt: skip
"""What means something to a language, a template or a terminal."""

FILE_PIECES = (
    "*", ";", '"', "'", "{{x}}", "#", "coding:utf_7", "coding=utf_7 ", "+AAo-", "%s", "$(x)", "ä",
    "-->", "evil", " ", "&", "<", "?", "??", "-", "@", "|", "`",
)  # fmt: skip
"""Of a file's name."""

Texts = Callable[[], str]


def hostile(seed: int) -> Texts:
    rng = random.Random(seed)
    return lambda: "".join(rng.choices(PIECES, k=rng.randint(1, 6)))


def harmless() -> str:
    return "x"


def file_stem(seed: int) -> tuple[str, str]:
    """Return a hostile file stem, and one of which the same names are made."""
    rng = random.Random(seed)
    stem = "s" + "".join(rng.choices(FILE_PIECES, k=3))
    return stem, "".join(c if c.isidentifier() or c.isdigit() else "_" for c in stem)


def descriptor_set(package: str, stem: str, texts: Texts) -> pb.FileDescriptorSet:
    """Return a file that imports another one.

    Every comment and every text value is one of ``texts``."""
    base = pb.FileDescriptorProto(name=f"{package}/base.proto", package=package, syntax="proto3")
    base.message_type.add(name="Part").field.add(
        name="number", number=1, label=_OPTIONAL, type=pb.FieldDescriptorProto.TYPE_DOUBLE
    )
    file = pb.FileDescriptorProto(
        name=f"{package}/{stem}.proto",
        package=package,
        syntax="proto2",
        dependency=[base.name],
    )
    kinds = file.enum_type.add(name="Kinds")
    kinds.value.add(name="FIRST", number=1)
    kinds.value.add(name="SECOND", number=-(2**31))
    main = file.message_type.add(name="Main")
    inner = main.nested_type.add(name="Inner")
    inner.field.add(name="id", number=1, label=_OPTIONAL, type=_TYPE.TYPE_INT32)
    main.enum_type.add(name="Color").value.add(name="RED", number=0)
    main.oneof_decl.add(name="choice")
    entry = main.nested_type.add(name="NamesEntry")
    entry.options.map_entry = True
    for number, name in enumerate(("key", "value"), 1):
        entry.field.add(name=name, number=number, label=_OPTIONAL, type=_TYPE.TYPE_STRING)
    fields = (
        ("text", _TYPE.TYPE_STRING, _OPTIONAL, "", texts()),
        ("data", _TYPE.TYPE_BYTES, _OPTIONAL, "", c_escaped(texts().encode())),
        ("real", _TYPE.TYPE_DOUBLE, _OPTIONAL, "", "nan"),
        ("single", _TYPE.TYPE_FLOAT, _OPTIONAL, "", "-inf"),
        ("huge", _TYPE.TYPE_FLOAT, _OPTIONAL, "", "3.4028235e+38"),
        ("tiny", _TYPE.TYPE_FLOAT, _OPTIONAL, "", "1.5e-37"),
        ("least", _TYPE.TYPE_INT64, _OPTIONAL, "", str(-(2**63))),
        ("most", _TYPE.TYPE_UINT64, _OPTIONAL, "", str(2**64 - 1)),
        ("kind", _TYPE.TYPE_ENUM, _OPTIONAL, f".{package}.Kinds", "SECOND"),
        ("wanted", _TYPE.TYPE_STRING, _REQUIRED, "", texts()),
        ("texts", _TYPE.TYPE_STRING, _REPEATED, "", ""),
        ("inners", _TYPE.TYPE_MESSAGE, _REPEATED, f".{package}.Main.Inner", ""),
        ("part", _TYPE.TYPE_MESSAGE, _OPTIONAL, f".{package}.Part", ""),
        ("names", _TYPE.TYPE_MESSAGE, _REPEATED, f".{package}.Main.NamesEntry", ""),
        ("one", _TYPE.TYPE_STRING, _OPTIONAL, "", texts()),
        ("other", _TYPE.TYPE_MESSAGE, _OPTIONAL, f".{package}.Main.Inner", ""),
    )
    for number, (name, type_, label, type_name, default) in enumerate(fields, 1):
        field = main.field.add(name=name, number=number, label=label, type=type_)
        if type_name:
            field.type_name = type_name
        if default:
            field.default_value = default
        if name in ("one", "other"):
            field.oneof_index = 0
    for made_file in (base, file):
        _comment(made_file, texts)
    return pb.FileDescriptorSet(file=[base, file])


_TYPE = pb.FieldDescriptorProto
_OPTIONAL, _REQUIRED, _REPEATED = (
    _TYPE.LABEL_OPTIONAL,
    _TYPE.LABEL_REQUIRED,
    _TYPE.LABEL_REPEATED,
)


def c_escaped(data: bytes) -> str:
    """Escape default values of bytes as protoc writes them."""
    return "".join(
        chr(b) if 32 <= b < 127 and chr(b) not in "\\\"'" else f"\\{b:03o}" for b in data
    )


def _comment(file: pb.FileDescriptorProto, texts: Texts) -> None:
    for path in _paths(file):
        location = file.source_code_info.location.add(path=path, span=[1, 2, 3])
        location.leading_comments = texts()


def _paths(file: pb.FileDescriptorProto) -> Iterator[list[int]]:
    """Return the paths of the file's syntax and of all that is declared in it."""
    yield [12]
    for i, enum in enumerate(file.enum_type):
        yield [5, i]
        yield from ([5, i, 2, j] for j in range(len(enum.value)))
    for i, message in enumerate(file.message_type):
        yield [4, i]
        yield from ([4, i, 2, j] for j in range(len(message.field)))
        yield from ([4, i, 3, j] for j in range(len(message.nested_type)))
        yield from ([4, i, 4, j] for j in range(len(message.enum_type)))
        yield from ([4, i, 4, j, 2, 0] for j in range(len(message.enum_type)))


def ros_package(folder: Path, package: str, texts: Texts) -> Path:
    """``<folder>/<package>/msg/Hostile.msg`` of ROS 2, which has defaults; its texts are lines."""
    counter = itertools.count()

    def line() -> str:
        return re.sub(r"\s*\n\s*", " ", texts())

    def value() -> str:
        """Between quotes that it does not hold itself."""
        return "'" + re.sub(r"[\\']", "/", line()) + "'"

    lines = [f"# {line()}" for _ in range(3)] + [""]
    for _ in range(4):
        lines += [f"# {line()}", f"string field{next(counter)} {value()}  # {line()}"]
        lines += [f"string CONSTANT{next(counter)}={value()}  # {line()}"]
    path = folder / package / "msg" / "Hostile.msg"
    path.parent.mkdir(parents=True)
    path.write_text("\n".join(lines), newline="")
    return path
