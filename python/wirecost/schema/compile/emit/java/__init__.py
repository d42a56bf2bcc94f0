# SPDX-License-Identifier: Apache-2.0
"""The Java 17 emitter: final classes with public fields and codecs over byte arrays.

Repeated fields are plain arrays: an empty one costs nothing, for all share it, and a full one is a
single object. Decoding the sequential wires keeps the elements of an array that is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from wirecost.schema.compile.emit import Request, Texts, banner, runtime
from wirecost.schema.compile.emit.escape import java as escape
from wirecost.schema.compile.emit.java.columns_root import SCALARS, JavaColumns
from wirecost.schema.compile.emit.java.holders import UNSIGNED, Holders, Member
from wirecost.schema.compile.emit.java.names import JavaNames, nested, word
from wirecost.schema.compile.emit.java.parts import parted
from wirecost.schema.compile.emit.java.protobuf import Protobuf
from wirecost.schema.compile.emit.java.sequential import Sequential
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.plan.sequential import Planner
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import Constant, Enum, EnumRef, EnumValue, Message, Schema

SOURCES = PurePosixPath("src/main/java")
_PACKAGE = "package wire.runtime;"
"""The package that the sources in ``runtime/java`` declare."""
_TEMPLATES = Templates(Path(__file__).parent / "templates", behind_braces=False)
_ARRAYS = [("short", "Short", 2), ("int", "Int", 4), ("long", "Long", 8), ("float", "Float", 4)]
_ARRAYS += [("double", "Double", 8)]
_EXTENDABLE = {"boolean": 1, "byte": 1, "short": 2, "int": 4, "long": 8, "float": 4, "double": 8}


def emit(schema: Schema, request: Request) -> Texts:
    """Return classes by path below ``java/``, laid out as Maven expects. Raises CompileError."""
    return dict(_Emitter(schema, request).files())


@dataclass(frozen=True)
class JavaConstant:
    """A constant of a class, with the literal of its value."""

    doc: str
    type: str
    name: str
    value: str


class _Emitter:
    def __init__(self, schema: Schema, request: Request) -> None:
        self._schema = schema
        self._request = request
        self._names = JavaNames(schema, request.namespace)
        self._holders = Holders(schema, self._names)
        self._planners = {
            wire: Planner(schema, SEQUENTIAL[wire]) for wire in request.wires if wire in SEQUENTIAL
        }

    def files(self) -> Iterator[tuple[PurePosixPath, str]]:
        for file in self._request.written(self._schema):
            declarations: list[Message | Enum] = [*file.enums, *file.messages]
            for declared in declarations:
                if self._names.outer(declared.full_name) is None:
                    body = self._declaration(declared)
                    place = self._names.place(declared.full_name)
                    text = self._render(
                        "file.java.j2",
                        banner=banner(escape.line_comment, file),
                        package=place.package,
                        imports=self._names.imports(body),
                        body=body,
                    )
                    yield _path(place.package, place.name), text
        yield from self._runtime()
        yield from self._columns()
        if self._request.maven:
            yield PurePosixPath("pom.xml"), self._render("pom.xml.j2", request=self._request)

    def _runtime(self) -> Iterator[tuple[PurePosixPath, str]]:
        """Yield all of it: classes of other runs may use it too."""
        for name in ("WireException", "Unknown"):
            yield self._copied(name, runtime.text(f"java/{name}.java"))
        for name in ("Wire", "Input", "ProtobufInput"):
            text = self._render(
                f"runtime/{name}.java.j2",
                package=self._names.runtime,
                arrays=_ARRAYS,
                extendable=_EXTENDABLE,
            )
            yield _path(self._names.runtime, name), text

    def _columns(self) -> Iterator[tuple[PurePosixPath, str]]:
        for root in self._request.columns:
            columns = JavaColumns(self._holders, root)
            body = self._render("columns/root.java.j2", c=columns)
            package = columns.place.package
            text = self._render(
                "file.java.j2",
                banner=banner(escape.line_comment, root.file),
                package=package,
                imports=self._names.imports(body),
                body=body,
            )
            yield _path(package, columns.name), text
        if not self._request.columns:
            return
        for path, text in runtime.texts("java/columns", "*.java").items():
            yield self._copied(path.stem, text)
        for name in ("MessageBuilder", "MessageColumn"):
            text = self._render(
                f"runtime/columns/{name}.java.j2", package=self._names.runtime, columns=SCALARS
            )
            yield _path(self._names.runtime, name), text
        for name, type_, width, buffer, from_bits, about in SCALARS:
            text = self._render(
                "runtime/columns/values.java.j2",
                package=self._names.runtime,
                name=name,
                type=type_,
                width=width,
                buffer=buffer,
                from_bits=from_bits,
                about=about,
            )
            yield _path(self._names.runtime, f"{name}Column"), text

    def _copied(self, name: str, text: str) -> tuple[PurePosixPath, str]:
        """Return a run-time class, in this schema's package."""
        package = self._names.runtime
        return _path(package, name), text.replace(_PACKAGE, f"package {package};", 1)

    def _declaration(self, declared: Message | Enum) -> str:
        place = self._names.place(declared.full_name)
        modifier = "public static final class" if len(place.classes) > 1 else "public final class"
        if isinstance(declared, Enum):
            return self._render(
                "enum.java.j2",
                enum=declared,
                values=_values(declared),
                name=place.name,
                modifier=modifier,
            )
        enums, messages = nested(self._schema, declared)
        inner = [self._declaration(self._schema.enum(name)) for name in enums]
        inner += [self._declaration(self._schema.message(name)) for name in messages]
        with_protobuf = "protobuf" in self._request.wires
        keep = self._request.preserve_unknown and with_protobuf
        members = self._holders.members(declared)
        return self._render(
            "message.java.j2",
            message=declared,
            name=place.name,
            modifier=modifier,
            constants=[self._constant(constant) for constant in declared.constants],
            members=members,
            parts=parted(members),
            cases=self._holders.cases(declared),
            statics=self._holders.statics(declared),
            note=self._note,
            keep=keep,
            wires=[
                Sequential(self._holders, planner, SEQUENTIAL[wire], declared)
                for wire, planner in self._planners.items()
            ],
            protobuf=Protobuf(self._holders, declared, keep) if with_protobuf else None,
            inner=inner,
        )

    def _constant(self, constant: Constant) -> JavaConstant:
        return JavaConstant(
            escape.javadoc(constant.comment),
            self._holders.plain_type(constant.type),
            word(constant.name),
            self._holders.literal(constant.type, constant.value),
        )

    def _note(self, member: Member) -> list[str]:
        """Return what the type of a member does not show."""
        notes = []
        if member.field.type in UNSIGNED:
            notes.append("Unsigned: the type holds its bits.")
        if isinstance(member.field.type, EnumRef):
            enum = self._names.place(member.field.type.name)
            notes.append(f"One of {'.'.join(enum.classes)}.")
        if member.case:
            notes.append(f"Set if {{@link #{member.case}}} is {member.field.number}.")
        if member.nullable:
            notes.append("Null: absent.")
        if member.has:
            notes.append(f"Present if {{@link #{member.has}}}.")
        if member.field.capacity is not None:
            exactly = "Exactly" if member.is_array else "At most"
            notes.append(f"{exactly} {member.field.capacity} elements.")
        return [" ".join(notes)]

    def _render(self, template: str, **values: object) -> str:
        jdk = self._names.jdk
        return _TEMPLATES.render(template, **values, jdk=jdk, javadoc=escape.javadoc)


def _values(enum: Enum) -> list[tuple[str, EnumValue, bool]]:
    """Return Java's names of an enum's values; the flag: no earlier value has the number."""
    seen: set[int] = set()
    listed = []
    for value in enum.values:
        listed.append((word(value.name), value, value.number not in seen))
        seen.add(value.number)
    return listed


def _path(package: str, name: str) -> PurePosixPath:
    return SOURCES.joinpath(*package.split("."), f"{name}.java")
