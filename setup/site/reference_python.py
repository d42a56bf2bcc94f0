# SPDX-License-Identifier: Apache-2.0
"""Reference pages of the Python packages, read from their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import griffe
from markup import cell, heading

from wirecost.system.documented_names import HOMES

FOLDER = "reference/python"
PACKAGES = {
    "wirecost": "publish, subscribe, request and serve over any transport",
    "wirecost.osi": "OSI traces as arrays",
    "wirecost.probe": "times and counters of a program's sections",
    "wirecost.tensor": "tensors and tables as frames of bytes",
    "wirecost.traces": "OSI trace files, message by message",
    "wirecost.transport": "middlewares that carry frames",
}
"""What users import; the other packages may change at any time."""
GIVEN = {
    "wirecost": ["Publication", "Subscription", "Client", "Service", "Asked"],
}
"""Classes that the package's functions give, and that nobody imports."""
CHOSEN_AT_IMPORT = {
    "wirecost.tensor.Loan": "wirecost.messaging.tensor.pool.Loan",
    "wirecost.tensor.SamplePool": "wirecost.messaging.tensor.pool.SamplePool",
}
"""Names that are taken from C++ or from Python: where their docstring is."""


def pages(root: Path) -> dict[str, str]:
    """Return ``reference/python/NAME.md`` for each package, and their list.

    Nothing is imported. Raises KeyError for a public name that is not there."""
    loader = griffe.GriffeLoader(search_paths=[root / "python"])
    loader.load("wirecost")
    loader.resolve_aliases()
    texts = {}
    lines = []
    for name, about in PACKAGES.items():
        module = loader.modules_collection[HOMES.get(name, name)]
        texts[f"{FOLDER}/{name}.md"] = "\n".join(_page(name, module)) + "\n"
        lines.append(f"| [`{name}`]({name}.md) | {about} |")
    texts[f"{FOLDER}/index.md"] = "\n".join(
        [
            "# Python",
            "",
            "Packages to import. Names that are not listed here may change at any time.",
            "",
            "| package | for |",
            "|---|---|",
            *lines,
            "",
        ]
    )
    return texts


def _page(name: str, module: griffe.Module) -> Iterator[str]:
    yield from (heading(1, name), "", _text(module), "")
    for public in sorted(map(str, module.exports or ())):
        home = CHOSEN_AT_IMPORT.get(f"{name}.{public}")
        member = module.modules_collection[home] if home else module[public]
        yield from _member(member.final_target if member.is_alias else member, public, 2)
    for method in GIVEN.get(name, []):
        member = module.modules_collection[f"wirecost.messaging.api.{method}"].final_target
        yield from _member(member, method, 2)


def _member(found: griffe.Object, name: str, level: int) -> Iterator[str]:
    yield from (heading(level, name), "", "```python", _declaration(found, name), "```", "")
    yield from (_text(found), "")
    if not isinstance(found, griffe.Class):
        return
    attributes = [
        attribute for attribute in _public(found) if isinstance(attribute, griffe.Attribute)
    ]
    if attributes:
        yield from ("| attribute | type | meaning |", "|---|---|---|")
        for attribute in attributes:
            kind = cell(str(attribute.annotation or ""))
            type_ = f"`{kind}`" if kind else ""
            yield f"| `{attribute.name}` | {type_} | {cell(_text(attribute))} |"
        yield ""
    for member in _public(found):
        if isinstance(member, griffe.Function):
            yield from _member(member, member.name, level + 1)


def _public(found: griffe.Class) -> Iterator[griffe.Object]:
    for name, member in found.all_members.items():
        if name.startswith("_") and name not in {"__call__", "__getitem__", "__iter__", "__len__"}:
            continue
        yield member.final_target if isinstance(member, griffe.Alias) else member


def _declaration(found: griffe.Object, name: str) -> str:
    if isinstance(found, griffe.Function):
        kind = "async " if "async" in found.labels else ""
        return kind + _call(found, name) + (f" -> {found.returns}" if found.returns else "")
    if isinstance(found, griffe.Class):
        init = found.members.get("__init__")
        if isinstance(init, griffe.Function):
            return f"class {_call(init, name)}"
        bases = ", ".join(map(str, found.bases))
        return f"class {name}" + (f"({bases})" if bases else "")
    annotation = getattr(found, "annotation", None)
    return f"{name}: {annotation}" if annotation else name


def _call(found: griffe.Function, name: str) -> str:
    parts: list[str] = []
    keyword_only = False
    for parameter in found.parameters:
        if parameter.name in {"self", "cls"}:
            continue
        if parameter.kind is griffe.ParameterKind.keyword_only and not keyword_only:
            keyword_only = True
            if not any(part.startswith("*") for part in parts):
                parts.append("*")
        star = {"variadic positional": "*", "variadic keyword": "**"}.get(
            str(parameter.kind.value), ""
        )
        text = f"{star}{parameter.name}"
        if parameter.annotation is not None:
            text += f": {parameter.annotation}"
        if parameter.default is not None and not star:
            text += (
                f" = {parameter.default}"
                if parameter.annotation is not None
                else f"={parameter.default}"
            )
        parts.append(text)
    line = f"{name}({', '.join(parts)})"
    if len(line) <= 90 or not parts:
        return line
    return f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + ")"


def _text(found: griffe.Object) -> str:
    """Return a docstring as Markdown."""
    if found.docstring is None:
        return ""
    text = inspect.cleandoc(found.docstring.value).replace("``", "`")
    return re.sub(
        r"(^(?:>>>|\.\.\.)[^\n]*(?:\n(?!\n)[^\n]*)*)", r"```python\n\1\n```", text, flags=re.M
    )
