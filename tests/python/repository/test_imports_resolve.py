# SPDX-License-Identifier: Apache-2.0
"""Every import of the package names a module that is there, in tests and benchmarks as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[3]
PYTHON = ROOT / "python"
FOLDERS = ("benchmarks", "docs", "examples", "setup", "tests")  # mypy sees the package itself
RUNTIME = {"wirecost.probe"}  # from the folder of that name


def _imports(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and not node.level:
            module = node.module or ""
            if module.split(".")[0] == "wirecost":
                yield from ((module, alias.name) for alias in node.names)


@cache
def _source(module: str) -> Path | None:
    path = PYTHON.joinpath(*module.split("."))
    candidates = (path.with_suffix(".py"), path / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)


@cache
def _names(source: Path) -> set[str]:
    """List the names that a module defines or imports; ``__getattr__`` stands for any."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def _resolves(module: str, name: str) -> bool:
    if _source(f"{module}.{name}") or (PYTHON.joinpath(*module.split("."), name)).is_dir():
        return True
    source = _source(module)
    if source is None:
        return module in RUNTIME or module.startswith("wirecost._")  # compiled
    return bool(_names(source) & {name, "__getattr__"})


def test_imports_of_the_package_name_what_is_there() -> None:
    assert [
        f"{path.relative_to(ROOT)}: from {module} import {name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for module, name in _imports(path)
        if not _resolves(module, name)
    ] == []
