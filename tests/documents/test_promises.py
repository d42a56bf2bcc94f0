# SPDX-License-Identifier: Apache-2.0
"""Options, variables, Python names and sizes that pages state are those of the program."""

from __future__ import annotations

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.commands import pages
from documents.runs import ROOT
from documents.session import environment
from support.commands import commands
from wirecost.results.records.probe_log import RECORD

FOREIGN = re.compile(
    "docker|unshare|lttng|cmake|pkg-config|pip|gh pr|protoc|Containers|send_ros1|setup/"
)
"""Lines with options of other programs."""
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]+")
VARIABLE = re.compile(r"\bWIRECOST_[A-Z0-9_]+\b")
PYTHON = re.compile(r"```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
SOURCES = ("python", "cpp", "runtime", "cmake", "tests/attack", "benchmarks", "setup")
ROOT_OPTIONS = {"--help", "--version", "--quiet", "--verbose", "--from", "--cmake-dir",
                "--include-dir", "--pkgconfig-dir"}  # fmt: skip
IMPORT = """
import importlib, json, sys
def missing(module, name):
    try:
        imported = importlib.import_module(module)
        if name and not hasattr(imported, name):
            importlib.import_module(f"{module}.{name}")
    except ImportError as error:
        return str(error)
print(json.dumps([missing(*name) for name in json.load(sys.stdin)]))
"""


def every_option() -> set[str]:
    options = {name for command in commands().values() for p in command.params for name in p.opts}
    return options | {name for c in commands().values() for p in c.params for name in
                      p.secondary_opts} | ROOT_OPTIONS  # fmt: skip


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_names_options_that_are_there(page: Path) -> None:
    lines = [line for line in page.read_text().splitlines() if not FOREIGN.search(line)]
    named = {name for line in lines for name in OPTION.findall(line)}
    assert named - every_option() - {"--no-deps"} == set()  # pip's, in its own line


def test_variables_that_pages_name_are_read() -> None:
    named = {name for page in pages() for name in VARIABLE.findall(page.read_text())}
    folders = [f"{folder}/*" for folder in SOURCES]
    listed = subprocess.run(
        [ROOT / "setup" / "files", *folders], capture_output=True, text=True, check=True
    )
    files = [ROOT / path for path in listed.stdout.split("\0") if path]
    read = {
        name.decode()
        for path in files
        if path.is_file()
        for name in re.findall(rb"WIRECOST_[A-Z0-9_]+", path.read_bytes())
    }
    assert len(named) > 5
    assert named - read == set()


def imported(text: str) -> Iterator[tuple[str, str]]:
    """Yield modules of wirecost, and names in them, that a page's programs use."""
    for program in PYTHON.findall(text):
        for node in ast.walk(ast.parse(program.replace("…", "..."))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("wirecost"):
                yield from ((str(node.module), alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute):
                module, _, name = ast.unparse(node).rpartition(".")
                if re.fullmatch(r"wirecost(\.\w+)*", module):
                    yield module, name


def test_python_names_of_pages_are_in_the_wheel(installed_wheel: Path, tmp_path: Path) -> None:
    names = sorted({name for page in pages() for name in imported(page.read_text())})
    assert len(names) > 10
    python = installed_wheel / "bin" / "python"
    done = subprocess.run(
        [python, "-c", IMPORT], input=json.dumps(names), cwd=tmp_path, check=True,
        env=environment(python.parent), capture_output=True, text=True,
    )  # fmt: skip
    absent = [(*name, why) for name, why in zip(names, json.loads(done.stdout), strict=True) if why]
    assert absent == []


def test_the_size_of_the_wheel_is_the_stated_one(wheel: Path) -> None:
    (stated,) = re.findall(r"The wheel has (\d+) MB", (ROOT / "docs" / "install.md").read_text())
    assert wheel.stat().st_size / 1e6 == pytest.approx(int(stated), rel=0.05)


def test_a_log_holds_as_many_executions_as_stated() -> None:
    (stated,) = re.findall(r"16MiB hold (\d+) executions", (ROOT / "docs/probe.md").read_text())
    assert (16 << 20) // RECORD.itemsize == int(stated)


FILE = re.compile(r"`([\w-]+(?:/[\w-]+)*(?:\.py|/))`")


@pytest.mark.parametrize(
    "readme", sorted((ROOT / "python" / "wirecost").rglob("README.md")),
    ids=lambda path: path.parent.relative_to(ROOT).as_posix(),
)  # fmt: skip
def test_files_that_the_readme_of_a_folder_names_are_there(readme: Path) -> None:
    named = FILE.findall(readme.read_text())
    bases = (readme.parent, ROOT / "python" / "wirecost")
    assert [name for name in named if not any((base / name).exists() for base in bases)] == []
