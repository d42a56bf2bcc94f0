# SPDX-License-Identifier: Apache-2.0
"""Names of others reach people through one module: visible, quoted for a shell, never markup."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from support.compiled import ROOT
from wirecost.cli.lists import COMMANDS

PACKAGE = ROOT / "python" / "wirecost"
HERE = PACKAGE / "system" / "foreign.py"
SOURCES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != HERE]
COMMAND = re.compile(rf"\bwirecost (?:{'|'.join(COMMANDS)})(?: --?[a-z-]+| [a-z-]+)* $")
"""Text behind which a printed command has an argument, which may be a name of others."""
OWN = {"preset", "times", "carrier", "size", "middlewares", "schema", "sources", "where"}
"""Variables of names that are no one else's, or were quoted where they were made."""


def faults(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield lines and what they do, without the module for it."""
    quoted = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and is_quoted(node.value, frozenset())
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=[ast.alias(name="shlex")]) | ast.ImportFrom(module="shlex"):
                yield node.lineno, "quotes for a shell by itself"
            case ast.ImportFrom(module="rich.markup"):
                yield node.lineno, "has markup"
            case ast.ImportFrom(module="rich.console", names=names):
                if any(alias.name == "Console" for alias in names):
                    yield node.lineno, "has a console that reads markup"
            case ast.JoinedStr(values=values):
                for before, value in pairwise(values):
                    if (
                        isinstance(before, ast.Constant)
                        and isinstance(value, ast.FormattedValue)
                        and COMMAND.search(str(before.value))
                        and not is_quoted(value.value, quoted)
                    ):
                        yield node.lineno, f"prints {ast.unparse(value.value)} unquoted"


def is_quoted(value: ast.expr, quoted: frozenset[str] | set[str]) -> bool:
    match value:
        case ast.Call(func=ast.Name(id="shell_line")):
            return True
        case ast.Name(id=name):
            return name in quoted or name in OWN or name.isupper()
    return False


@pytest.mark.parametrize(
    ("code", "fault"),
    [
        ("import shlex", "quotes for a shell by itself"),
        ("from rich.markup import escape", "has markup"),
        ("from rich.console import Console", "has a console that reads markup"),
        ('f"run `wirecost trace check {path}`"', "prints path unquoted"),
        ('f"run wirecost report --tables {a.b}"', "prints a.b unquoted"),
        ('f"run wirecost report {shell_line(path)}"', None),
        ('name = shell_line(path)\nf"run wirecost report {name}"', None),
        ('f"this wirecost reads {version}"', None),
        ('f"{path}: run wirecost report"', None),
    ],
)
def test_the_rule(code: str, fault: str | None):
    assert [what for _, what in faults(ast.parse(code))] == [fault] * (fault is not None)


def test_every_module_keeps_to_it():
    broken = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path in SOURCES
        for line, what in faults(ast.parse(path.read_text()))
    ]
    assert not broken, "\n".join(broken)
