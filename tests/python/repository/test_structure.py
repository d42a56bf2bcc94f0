# SPDX-License-Identifier: Apache-2.0
"""Data flows one way: what each package may import, and what each C++ folder may include."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

PYTHON_MAY_IMPORT = {
    "records": {"records"},
    "analysis": {"analysis", "records"},
    "report": {"report", "analysis", "records"},
    "doctor": {"doctor"},
    "traces": {"traces", "columns"},
    "columns": {"columns", "compile"},
    "compile": {"compile"},
    "scans": {"scans", "traces"},
    "osi": {"osi", "columns", "traces"},
    "advisor": {"advisor", "osi", "scans", "traces"},
    "heap": {"heap"},
    "probe": {"probe"},
    "tensor": {"tensor"},
    "transport": {"transport"},
    "messaging": {"messaging", "tensor", "transport"},
    "replay": {"replay", "records", "doctor", "heap"},
    "bench": {
        "bench",
        "records",
        "doctor",
        "columns",
        "heap",
        "scans",
        "tensor",
        "traces",
        "transport",
    },
}
CPP_MAY_INCLUDE = {
    "message": {"message"},
    "probe": {"probe"},
    "trace": {"trace"},
    "heap": {"heap"},
    "cloud": {"cloud"},
    "codec": {"codec", "message", "columns"},
    "verify": {"verify"},
}


@pytest.mark.parametrize("package", PYTHON_MAY_IMPORT)
def test_python_packages_import_only_what_lies_before_them(package: str) -> None:
    for path in (ROOT / "python" / "wirecost" / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wirecost."):
                first = str(node.module).split(".")[1]
                folder = (ROOT / "python" / "wirecost" / first).is_dir()
                assert not folder or first in PYTHON_MAY_IMPORT[package], f"{path}: {node.module}"


@pytest.mark.parametrize("folder", CPP_MAY_INCLUDE)
def test_cpp_folders_include_only_what_lies_before_them(folder: str) -> None:
    sources = list((ROOT / "cpp" / "wirecost" / folder).rglob("*.[hc]*"))
    assert sources
    for path in sources:
        for included in re.findall(r'#include "wirecost/(\w+)/', path.read_text()):
            assert included in CPP_MAY_INCLUDE[folder], f"{path}: {included}"


def test_what_lies_where_one_stands_is_not_run() -> None:
    """``python -m`` looks for modules in the current folder first, unless ``-P`` says otherwise."""
    started = 0
    for path in (ROOT / "python" / "wirecost").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            words = [getattr(one, "value", None) for one in getattr(node, "elts", ())]
            if "-m" in words:
                started += 1
                assert words[words.index("-m") - 1] == "-P", f"{path}: {words}"
    assert started >= 5
