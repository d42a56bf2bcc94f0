# SPDX-License-Identifier: Apache-2.0
"""Every checker of `make lint` sees every source file that git tracks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mypy.modulefinder import FindModuleCache, SearchPaths
from mypy.options import Options

ROOT = Path(__file__).parents[3]
LINT = (ROOT / "setup/lint").read_text()
LICENCES = (ROOT / "setup/check-licences").read_text()
CPP_SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".ipp"}
SOURCE_SUFFIXES = CPP_SUFFIXES | {
    ".S", ".cmake", ".css", ".java", ".js", ".py", ".pyi", ".rs", ".sh",
}  # fmt: skip
COMPILATION = ROOT / "build/cmake/compile_commands.json"
OF_CARGO = {f"cpp/bench/transport/middlewares/{name}.cpp" for name in ("iceoryx2", "zenoh")}
"""Units that need a library written in Rust."""
TEMPLATES = re.compile(r"^cpp/fmu/(player|sensor|source)/model\.cpp$")


def tracked(*patterns: str) -> set[str]:
    """Return the paths that git tracks, of the working tree's files."""
    listed = subprocess.run(
        [ROOT / "setup/files", *patterns], capture_output=True, text=True, check=True
    )
    return {path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()}


def with_suffix(suffixes: set[str]) -> set[str]:
    return {path for path in tracked() if Path(path).suffix in suffixes}


def quoted_patterns(script: str, start: str) -> list[str]:
    """Return the quoted patterns behind ``start`` in a shell script's line."""
    (line,) = [line for line in script.splitlines() if start in line]
    return re.findall(r"'(\*[^']*)'", line)


def mypy_options() -> dict[str, Any]:
    options: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mypy"]
    return options


def test_ruff_checks_every_python_file() -> None:
    shown = subprocess.run(
        [Path(sys.executable).parent / "ruff", "check", "--show-files", "."],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    seen = {str(Path(line).relative_to(ROOT)) for line in shown.stdout.splitlines()}
    assert with_suffix({".py", ".pyi"}) - seen == set()


def test_ruff_leaves_what_a_build_made_alone_where_there_is_no_git(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for made in ("build/yarp/yarp.py", "results/drive/plan.py", "python/results/kept.py"):
        (tmp_path / made).parent.mkdir(parents=True)
        (tmp_path / made).write_text("")
    ruff = Path(sys.executable).parent / "ruff"
    shown = subprocess.check_output([ruff, "check", "--show-files", "."], cwd=tmp_path, text=True)
    assert shown.splitlines() == [
        str(tmp_path / "pyproject.toml"),
        str(tmp_path / "python/results/kept.py"),
    ]


def test_mypy_checks_every_module_that_is_installed() -> None:
    declared = mypy_options()
    roots = tuple(str(ROOT / root) for root in declared["mypy_path"])
    finder = FindModuleCache(SearchPaths(roots, (), (), ()), None, Options())
    found = [
        source.path
        for package in declared["packages"]
        for source in finder.find_modules_recursive(package)
    ]
    seen = {str(Path(path).relative_to(ROOT)) for path in found if path}
    installed = {
        path for path in with_suffix({".py"}) if path.startswith(tuple(declared["mypy_path"]))
    }
    assert installed - seen == set()


def test_clang_format_checks_every_cpp_file() -> None:
    checked = tracked(*quoted_patterns(LINT, "mapfile -d '' -t cpp"))
    assert with_suffix(CPP_SUFFIXES) - checked == set()


@pytest.mark.skipif(not COMPILATION.is_file(), reason="nothing is built here")
def test_clang_tidy_sees_every_unit_as_it_is_compiled() -> None:
    compiled = {
        str(Path(entry["file"]).relative_to(ROOT))
        for entry in json.loads(COMPILATION.read_text())
        if Path(entry["file"]).is_relative_to(ROOT)
    }
    units = {path for path in tracked("cpp/*.cpp") if not TEMPLATES.match(path)}
    if not OF_CARGO & compiled:  # as where there is no Cargo, and when a wheel was built last
        units -= OF_CARGO
    assert units - compiled == set()


def test_every_source_file_is_asked_for_its_licence() -> None:
    suffixes = {
        pattern.removeprefix("*")
        for line in LICENCES.splitlines()
        for pattern in re.findall(r"'(\*\.[^']*)'", line)
    }
    used = {Path(path).suffix for path in with_suffix(SOURCE_SUFFIXES)}
    assert used - suffixes == set()
