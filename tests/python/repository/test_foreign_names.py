# SPDX-License-Identifier: Apache-2.0
"""Names of others reach a terminal, a shell and a page through one function each."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from wirecost.cli import COMMANDS

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


COMMAND = re.compile(rf"\bwirecost (?:{'|'.join(COMMANDS)})(?: --?[a-z-]+| [a-z-]+)* $")
"""Text behind which a printed command has an argument, which may be a name of others."""
OWN = {"carrier", "command", "mwares", "preset", "schema", "size", "sources", "times", "where"}
"""Variables that hold no one else's names, or what was quoted where it was made."""


def unquoted(tree: ast.AST) -> Iterator[str]:
    """Yield what stands in printed commands and was not quoted for a shell."""
    safe = OWN | {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_quoted(node.value, frozenset())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        for before, value in pairwise(node.values) if isinstance(node, ast.JoinedStr) else ():
            if (
                isinstance(before, ast.Constant)
                and isinstance(value, ast.FormattedValue)
                and COMMAND.search(str(before.value))
                and not is_quoted(value.value, safe)
            ):
                yield ast.unparse(value.value)


def is_quoted(value: ast.expr, safe: set[str] | frozenset[str]) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="quoted" | "command_line")):
            return True
        case ast.Name(id=name):
            return name in safe or name.isupper()
    return False


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ('f"run `wirecost trace check {path}`"', ["path"]),
        ('f"run wirecost report --tables {a.b}"', ["a.b"]),
        ('f"run wirecost report {quoted(path)}"', []),
        ('name = quoted(path)\nf"run wirecost report {name}"', []),
        ('f"this wirecost reads {version}; {path}: run wirecost report"', []),
    ],
)
def test_the_rule_finds_what_is_not_quoted(code: str, names: list[str]) -> None:
    assert list(unquoted(ast.parse(code))) == names


def test_names_in_printed_commands_are_quoted() -> None:
    broken = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in PACKAGE.rglob("*.py")
        for name in unquoted(ast.parse(path.read_text()))
    ]
    assert not broken, "\n".join(broken)
