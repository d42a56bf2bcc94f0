# SPDX-License-Identifier: Apache-2.0
"""Names of others reach a terminal, a shell and a page through one function each."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "python" / "wirecost"
ALLOWED = {
    "rich.console.Console": {"system/terminal.py"},
    "rich.markup": set(),
    "shlex.join": {"measure/campaign/cluster/lab.py"},  # a remote shell runs it; nobody reads it
    "shlex.quote": {"system/shell.py"},
}
"""Names that only these modules may use: a safe way is `system/terminal.py`, `system/shell.py`."""


def used_names(path: Path) -> set[str]:
    """Return the dotted names that a module imports or calls on imported modules."""
    tree = ast.parse(path.read_text())
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Attribute):
            names.add(ast.unparse(node))
    return names


@pytest.mark.parametrize("name", ALLOWED)
def test_only_the_safe_ways_print_and_quote(name: str) -> None:
    users = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if name in used_names(path)
    }
    assert users == ALLOWED[name]
