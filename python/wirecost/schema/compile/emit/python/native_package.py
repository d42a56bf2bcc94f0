# SPDX-License-Identifier: Apache-2.0
"""A nanobind extension with the interface of the generated Python, over the generated C++.

``<namespace>_native`` has the modules and classes of ``<namespace>``. Its objects hold Python
values as slots dataclasses do. Bytes are decoded whole into a C++ holder, from which texts, lists
and messages become Python values when they are asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from wirecost.schema.compile.emit import Request, Texts, banner, runtime
from wirecost.schema.compile.emit.cpp.names import CppNames
from wirecost.schema.compile.emit.escape import cpp
from wirecost.schema.compile.emit.python import json_tables, names
from wirecost.schema.compile.emit.python.generator import TEMPLATES, Generator
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.emit.python.native_policies import Policies
from wirecost.schema.compile.schema import File, Schema


@dataclass(frozen=True)
class BoundClass:
    """A message's C++ type, its Python name, and the policies of its fields."""

    holder: str
    name: str
    fields: list[str]


@dataclass(frozen=True)
class BoundWire:
    """A wire's name, its struct in C++, and the namespace of the codec."""

    wire: str
    name: str
    namespace: str


def root(request: Request) -> PurePosixPath:
    return PurePosixPath(f"{request.namespace}_native")


def emit(schema: Schema, request: Request) -> Texts:
    """Return all of the package but its ``__init__`` files."""
    printer = _BindingsPrinter(schema, request)
    texts: Texts = {}
    sources = []
    for file in schema.files:
        texts |= printer.modules(file)
        if file.messages:
            texts |= printer.bindings(file)
            sources.append(file)
    texts[printer.root / "CMakeLists.txt"] = printer.project(sources)
    texts[printer.root / "native" / "_native.cpp"] = printer.extension(sources)
    for path, text in runtime.texts("cpp/wirecost/native", "*.hpp").items():
        texts[printer.root / "native" / path] = text
    texts[printer.root / "_wirecost.py"] = runtime.text("python/wire/_wirecost_native.py")
    texts[printer.root / "py.typed"] = ""
    if request.json:
        texts |= json_tables.runtime_below(printer.root, schema)
    return texts


def units(schema: Schema) -> list[str]:
    """Return the names of the sources, each behind those of the files that it imports."""
    return ["_native.cpp", *(f"{_function(file)}.cpp" for file in schema.files if file.messages)]


class _BindingsPrinter:
    def __init__(self, schema: Schema, request: Request) -> None:
        self._schema, self._request = schema, request
        self._names = CppNames(schema, request.namespace)
        unknown = request.preserve_unknown and "protobuf" in request.wires
        self._policies = Policies(schema, self._names, unknown)
        self._generator = Generator(schema, request)
        self._folders = names.folders(schema)
        self.root = root(request)

    def modules(self, file: File) -> Texts:
        """Return the Python module that names the classes, and its types."""
        module = Module(self._schema, file, self._folders)
        surface = self._generator.surface(module)
        module.support("Buffer")
        imports = list(module.imports())
        context = {"function": _function(file) if file.messages else "", **vars(surface)}
        stem = module.place / "__init__" if module.is_package else module.place
        place = self.root / stem.parent
        stub = TEMPLATES.render("native/module.pyi.j2", imports=imports, **context)
        others = [line for line in imports if "_wirecost import" not in line]
        text = TEMPLATES.render("native/module.py.j2", imports=others, **context)
        return {place / f"{stem.name}.py": text, place / f"{stem.name}.pyi": stub}

    def bindings(self, file: File) -> Texts:
        """Return the header and source of a file's part of the extension."""
        place = names.module_place(file)
        imported = [f for f in self._schema.imported(file) if f.messages]
        namespace = f"::{self._names.namespace(file)}"
        render = partial(
            TEMPLATES.render,
            banner=banner(cpp.line_comment, file),
            function=_function(file),
            module="." + ".".join(place.parts),
            messages=[
                BoundClass(
                    f"{namespace}::{self._names.plain(message)}",
                    names.class_name(file, message.full_name),
                    self._policies.fields(message),
                )
                for message in file.messages
            ],
            wires=[
                BoundWire(wire, wire.capitalize(), f"{namespace}::{wire}")
                for wire in self._request.wires
            ],
        )
        header = _bindings(file)
        codecs = [self._names.header(file, f".{wire}") for wire in self._request.wires]
        return {
            self.root / "native" / header: render(
                "native/bindings.hpp.j2",
                header=self._names.header(file),
                includes=[_bindings(f) for f in imported],
            ),
            self.root / "native" / f"{_function(file)}.cpp": render(
                "native/bindings.j2", header=header, includes=codecs
            ),
        }

    def project(self, sources: list[File]) -> str:
        return TEMPLATES.render(
            "native/CMakeLists.txt.j2",
            package=self.root.name,
            sources=[f"{_function(file)}.cpp" for file in sources],
        )

    def extension(self, sources: list[File]) -> str:
        return TEMPLATES.render(
            "native/extension.j2",
            banner="// Generated by wirecost compile. Do not edit: change the schema and generate "
            "again.",
            includes=[_bindings(file) for file in sources],
            functions=[_function(file) for file in sources],
        )


def _function(file: File) -> str:
    """Return a file's name within the extension: ``rsb_protocol_notification``."""
    return "_".join(names.module_place(file).parts)


def _bindings(file: File) -> str:
    """Return a file's header of bindings; without a package, its holders' has the plain name."""
    is_taken = len(names.module_place(file).parts) == 1
    return f"{_function(file)}{'.bindings' if is_taken else ''}.hpp"
