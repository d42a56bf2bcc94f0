# SPDX-License-Identifier: Apache-2.0
"""C++20 headers: holders, one codec header per wire, and the support they share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath

from wirecost.schema.compile.emit import Request, Texts, banner, runtime
from wirecost.schema.compile.emit.cpp import api, columns, json
from wirecost.schema.compile.emit.cpp.api_names import ApiNames
from wirecost.schema.compile.emit.cpp.extensions import with_holders
from wirecost.schema.compile.emit.cpp.holders import enums, holders
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.emit.cpp.protobuf import FACADE, FACADE_CODEC, ProtobufCodec
from wirecost.schema.compile.emit.cpp.sequential import SequentialCodec
from wirecost.schema.compile.emit.escape import cpp as escape
from wirecost.schema.compile.emit.templates import Templates
from wirecost.schema.compile.plan.json import has_any
from wirecost.schema.compile.plan.wires import SEQUENTIAL
from wirecost.schema.compile.schema import File, Schema

SUPPORT = {
    "protobuf": "support_protobuf*.hpp",
    **dict.fromkeys(SEQUENTIAL, "support_sequential.hpp"),
}
"""The support headers of each wire."""
SHARED = ("support.hpp", "support_holders.hpp", "support_memory.hpp")


def emit(schema: Schema, request: Request) -> Texts:
    texts: Texts = {}
    wires = (*request.wires, *(("protobuf",) if request.protobuf_api else ()))
    for pattern in dict.fromkeys((*SHARED, *(SUPPORT[wire] for wire in wires))):
        texts |= runtime.texts("cpp/wirecost", pattern)
    if request.columns:
        texts |= runtime.texts("cpp/wirecost/columns", "*.hpp")
    if request.protobuf_api:
        texts |= runtime.texts("cpp/wirecost/api", "*")
    if request.json:
        texts |= runtime.texts("cpp/wirecost/json", "*.hpp")
    printer = _HeaderPrinter(schema, request)
    for file in request.written(schema):
        texts |= dict(printer.file(file))
    if any(root.columns_fields for root in request.columns):
        texts |= dict([printer.containers()])
    if request.json and has_any(schema):
        texts |= dict([printer.json_types()])
    return texts


class _HeaderPrinter:
    def __init__(self, schema: Schema, request: Request) -> None:
        self._schema = schema
        self._request = request
        recycling = request.recycling
        self._names = CppNames(schema, request.namespace, recycling=recycling)
        self._api_schema = with_holders(schema) if request.protobuf_api else schema
        self._api_files = {file.name: file for file in self._api_schema.files}
        self._api_names = ApiNames(self._api_schema, request.api_namespace)
        self._codecs = {
            wire: SequentialCodec(schema, self._names, rules) for wire, rules in SEQUENTIAL.items()
        }
        self._protobuf = ProtobufCodec(schema, self._names, request.preserve_unknown)
        self._facade = ProtobufCodec(self._api_schema, self._api_names, True, FACADE)
        self._tables = json.Tables(schema, CppNames(schema, request.namespace, recycling=recycling))

    def file(self, file: File) -> Iterator[tuple[PurePosixPath, str]]:
        added = self._api_files[file.name].extensions if self._request.protobuf_api else ()
        if not file.messages and not file.enums and not added and not self._is_imported(file):
            return
        self._names.inside(file)
        yield from self._holders(file)
        for wire in self._request.wires:
            yield from self._codec(file, wire)
        if self._request.json:
            yield self._json(file)
        if self._request.protobuf_api and not api.is_left_out(self._schema, file):
            yield from self._api(self._api_files[file.name])
        if any(root.file.name == file.name for root in self._request.columns):
            yield from self._columns(file)

    def _is_imported(self, file: File) -> bool:
        return file.name in self._schema.imports

    def _render(
        self, template: str, file: File, suffix: str, **context: object
    ) -> tuple[PurePosixPath, str]:
        text = TEMPLATES.render(
            template,
            banner=banner(escape.line_comment, file),
            file=file,
            holders_header=self._names.header(file),
            includes=[self._names.header(f, suffix) for f in api.included(self._schema, file)],
            **context,
        )
        return PurePosixPath(self._names.header(file, suffix)), text

    def _render_parts(
        self, template: str, file: File, suffix: str, **context: object
    ) -> Iterator[tuple[PurePosixPath, str]]:
        """Render the header, and the source if the request is for sources."""
        context["sources"] = self._request.sources
        header, text = self._render(f"{template}.hpp.j2", file, suffix, **context)
        yield header, text
        if self._request.sources:
            context["codec_header"] = header
            source, text = self._render(f"{template}.cc.j2", file, suffix, **context)
            yield source.with_suffix(".cc"), text

    def _holders(self, file: File) -> Iterator[tuple[PurePosixPath, str]]:
        return self._render_parts(
            "holders",
            file,
            "",
            namespace=self._names.namespace(file),
            enums=enums(self._names, file),
            holders=holders(self._schema, self._names, file),
            unknown=self._request.preserve_unknown and "protobuf" in self._request.wires,
        )

    def _codec(self, file: File, wire: str) -> Iterator[tuple[PurePosixPath, str]]:
        namespace = f"{self._names.namespace(file)}::{wire}"
        if wire in SEQUENTIAL:
            return self._render_parts(
                "sequential",
                file,
                f".{wire}",
                namespace=namespace,
                aligned=SEQUENTIAL[wire].largest > 1,
                messages=self._codecs[wire].messages(file),
            )
        return self._render_parts(
            "protobuf",
            file,
            ".protobuf",
            namespace=namespace,
            unknown=self._request.preserve_unknown,
            messages=self._protobuf.messages(file),
        )

    def _json(self, file: File) -> tuple[PurePosixPath, str]:
        return self._render(
            "json.hpp.j2",
            file,
            ".json",
            namespace=self._names.namespace(file),
            enums=self._tables.enums(file),
            messages=self._tables.messages(file),
        )

    def json_types(self) -> tuple[PurePosixPath, str]:
        text = TEMPLATES.render(
            "json_types.hpp.j2",
            banner=banner(escape.line_comment, *self._schema.files),
            namespace=self._request.namespace,
            **vars(self._tables.types()),
        )
        return PurePosixPath(json.TYPES), text

    def _api(self, file: File) -> Iterator[tuple[PurePosixPath, str]]:
        names, schema = self._api_names, self._api_schema
        names.inside(file)
        render = partial(
            TEMPLATES.render,
            banner=banner(escape.line_comment, file),
            api_header=names.header(file),
            includes=[names.header(f) for f in api.included(schema, file)],
            namespace=names.namespace(file),
            takes_names=not self._request.api_namespace,
            has_descriptors=api.has_descriptors(schema),
            detail=FACADE_CODEC,
            described=api.description(schema, names, file),
            enums=api.enums(schema, names, file),
            messages=api.messages(schema, names, file),
            extensions=api.extensions(schema, names, file),
            codecs=self._facade.messages(file),
        )
        for suffix in (".pb.h", ".pb.cc"):
            yield PurePosixPath(names.header(file, suffix)), render(f"api/{suffix[1:]}.j2")

    def _columns(self, file: File) -> Iterator[tuple[PurePosixPath, str]]:
        roots = columns.roots(self._schema, self._names, file, self._request.columns)
        for name in ("columns", "columns_holders"):
            yield self._render(
                f"columns/{name}.hpp.j2",
                file,
                f".{name}",
                namespace=self._names.namespace(file),
                roots=roots,
                columns_header=self._names.header(file, ".columns"),
                codec_header=self._names.header(file, ".protobuf"),
            )

    def containers(self) -> tuple[PurePosixPath, str]:
        """Return where the lists stand, for conversions of whole messages."""
        planned = self._request.columns
        files = list({root.file.name: root.file for root in planned}.values())
        package = files[0].package if len({file.package for file in files}) == 1 else ""
        structs: dict[str, str] = {}
        for file in files:
            for message, name in columns.struct_names(self._names, file, planned).items():
                structs[message] = f"::{self._names.namespace(file)}::{name}"
        text = TEMPLATES.render(
            "columns/containers.hpp.j2",
            banner=banner(escape.line_comment, *files),
            headers=[self._names.header(file, ".columns") for file in files],
            namespace=self._names.namespace(replace(files[0], package=package)),
            roots=[structs[root.message.full_name] for root in planned],
            **vars(columns.containers(self._schema, self._names, planned)),
        )
        return PurePosixPath(*package.split(".")) / "columns_containers.hpp", text


def chop(text: str) -> str:
    """Return a macro's output without its last line's end, which the template has."""
    return text.removesuffix("\n")


def braces(type_: str) -> str:
    """Return the initializer of a member: class types initialize themselves."""
    return "" if type_.startswith(("wirecost::", "std::v", "std::string")) else "{}"


def cast(expression: str, from_: str, to: str) -> str:
    return expression if from_ == to else f"static_cast<{to}>({expression})"


TEMPLATES = Templates(
    Path(__file__).parent / "templates",
    comment=escape.comment,
    chop=chop,
    cast=cast,
    braces=braces,
)
