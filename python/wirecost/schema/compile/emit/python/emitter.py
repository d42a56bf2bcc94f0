# SPDX-License-Identifier: Apache-2.0
"""All files of generated Python."""

from __future__ import annotations

from pathlib import PurePosixPath

from wirecost.schema.compile.emit import Request, Texts, runtime
from wirecost.schema.compile.emit.python import columns_package, json_tables, names, native_package
from wirecost.schema.compile.emit.python.generator import TEMPLATES, Generator
from wirecost.schema.compile.emit.python.module import Module
from wirecost.schema.compile.schema import Schema


def emit(schema: Schema, request: Request) -> Texts:
    """Return all modules, ``<namespace>/<package>/<file>.py``, and what they share."""
    folders = names.folders(schema)
    root = PurePosixPath(*request.namespace.split("."))
    generator = Generator(schema, request)
    texts = _packages(schema, root)
    for file in request.written(schema):
        module = Module(schema, file, folders)
        name = "__init__.py" if module.is_package else None
        path = module.place / name if name else module.place.with_name(f"{module.place.name}.py")
        code = generator.code(module)
        texts[root / path] = TEMPLATES.render(
            "module.py.j2", imports=list(module.imports()), **vars(code)
        )
    texts[root / "_wirecost.py"] = _support()
    texts[root / "py.typed"] = ""
    if request.json:
        texts |= json_tables.runtime_below(root, schema)
    if request.columns:
        texts |= {root / path: text for path, text in columns_package.emit(schema, request).items()}
    if request.native:
        texts |= _packages(schema, native_package.root(request)) | native_package.emit(
            schema, request
        )
    return texts


def _packages(schema: Schema, root: PurePosixPath) -> Texts:
    """Return the ``__init__`` files below and around a root."""
    texts: Texts = {}
    for folder in names.folders(schema):
        texts[root / folder / "__init__.py"] = _package(schema, folder)
    for folder in (root, *root.parents):
        if folder.parts:
            texts[folder / "__init__.py"] = _package(schema, PurePosixPath(), folder == root)
    return texts


def _package(schema: Schema, folder: PurePosixPath, is_root: bool = False) -> str:
    """Return a folder's ``__init__``: for a ROS package with all its classes."""
    modules = [
        (names.module_place(f).name, sorted(names.class_name(f, m.full_name) for m in f.messages))
        for f in schema.files
        if names.is_ros(f) and names.module_place(f).parent == folder and f.messages
    ]
    package = ".".join(folder.parts)
    return TEMPLATES.render(
        "package.py.j2", modules=sorted(modules), package=package, is_root=is_root
    )


def _support() -> str:
    """Return the support of all wires: modules of other runs may import it too."""
    text = runtime.text("python/wire/_wirecost.py")
    # Protobuf's goes on where the first ends; its head serves the type checker there.
    return text + runtime.text("python/wire/_wirecost_protobuf.py").partition("\n# ---\n")[2]
