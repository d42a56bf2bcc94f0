# SPDX-License-Identifier: Apache-2.0
"""Columns in Python: one typed class per list of messages, over a run-time that needs NumPy.

The run-time is copied as it is into the package ``<namespace>/_columns``.
"""

from __future__ import annotations

from itertools import groupby
from pathlib import PurePosixPath

from wirecost.schema.compile.emit import Request, Texts, banner, runtime
from wirecost.schema.compile.emit.escape import python as escape
from wirecost.schema.compile.emit.python import names
from wirecost.schema.compile.emit.python.columns_module import ColumnsModule
from wirecost.schema.compile.emit.python.generator import TEMPLATES
from wirecost.schema.compile.plan.columns import Root
from wirecost.schema.compile.schema import CompileError, File, Origin, Schema


def emit(schema: Schema, request: Request) -> Texts:
    """Return the run-time, and ``<package>/<file>_columns.py`` of each file with columned messages.

    Paths are below the namespace. Raises CompileError where a file of the schema has that name.
    """
    texts = {
        PurePosixPath("_columns", path.name): text
        for path, text in runtime.texts("python/wire/_columns", "*.py").items()
    }
    places = {names.module_place(file): file for file in schema.files}
    for name, roots in groupby(sorted(request.columns, key=_file), key=_file):
        own_roots = tuple(roots)
        file = own_roots[0].file
        place = names.module_place(file)
        place = place.with_name(f"{place.name}_columns")
        if place in places:
            raise CompileError(
                Origin(places[place].name),
                f"its output is {place}.py as that of the columns of {name}",
                "rename one of the two",
            )
        texts[place.with_name(f"{place.name}.py")] = _module(schema, file, own_roots)
    return texts


def _file(root: Root) -> str:
    return root.file.name


def _module(schema: Schema, file: File, roots: tuple[Root, ...]) -> str:
    module = ColumnsModule(schema, file)
    classes = [cls for root in roots for cls in module.classes(root)]
    return TEMPLATES.render(
        "columns/module.py.j2",
        banner=banner(escape.line_comment, file),
        doc=escape.docstring(f"Lists of messages of {file.name} in columns: needs NumPy."),
        docstring=escape.docstring,
        dots=module.dots,
        classes=classes,
        imports=module.imports(),
        runtime=module.runtime(),
    )
