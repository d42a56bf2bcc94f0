# SPDX-License-Identifier: Apache-2.0
"""Data flows one way: what each package may import, and what each C++ folder may include."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "python" / "wirecost"

PYTHON_MAY_IMPORT: dict[str, set[str]] = {
    "system": set(),
    "schema.compile": set(),
    "schema.columns": {"schema.compile"},
    "data.recordings.mcap": set(),
    "data.traces": {"data.recordings.mcap", "schema.columns"},
    "data.messages": {"schema.compile"},
    "data.recordings": {
        "data.messages",
        "data.recordings.mcap",
        "data.traces",
        "schema.compile",
    },
    "data.clouds": {"data.messages", "data.recordings", "data.recordings.mcap"},
    "data.columns": {
        "data.messages",
        "data.recordings",
        "data.recordings.mcap",
        "schema.compile",
    },
    "data.osi": {"data.traces", "schema.columns"},
    "data.advisor": {"data"},
    "messaging.tensor": set(),
    "messaging.transport": set(),
    "messaging.api": {"messaging.tensor", "messaging.transport"},
    "results.records": set(),
    "results.analysis": {"results.records"},
    "results.store": set(),
    "results.report": {"data.recordings.mcap", "results.analysis", "results.records"},
    "results.notebook": {"results"},
    "observe.doctor": {"results.records"},
    "observe.heap": set(),
    "observe.probe": {"results.records"},
    "observe.usage": set(),
    "observe.trial": {"observe.heap"},
    "replay": {
        "data.messages",
        "data.recordings.mcap",
        "observe.doctor",
        "observe.heap",
        "observe.probe",
        "results.records",
        "schema.compile",
    },
    "measure.network": set(),
    "measure.at_rate": {"data.messages", "messaging.transport"},
    "measure.serializers": {
        "data.messages",
        "measure.bench.engine",
        "observe.heap",
        "results.records",
        "schema",
    },
    "measure.bench.engine": {
        "observe.doctor",
        "observe.heap",
        "observe.usage",
        "results.records",
        "schema",
    },
    "measure.bench": {
        "data",
        "measure.at_rate",
        "measure.bench.engine",
        "measure.network",
        "measure.serializers",
        "messaging.tensor",
        "messaging.transport",
        "observe.doctor",
        "observe.heap",
        "observe.usage",
        "results.records",
        "schema",
    },
    "measure.standins": {
        "data.messages",
        "measure.bench.engine",
        "messaging.transport",
        "observe.usage",
    },
    "measure.cost": {
        "data.messages",
        "data.recordings",
        "data.recordings.mcap",
        "data.clouds",
        "measure.at_rate",
        "measure.bench.engine",
        "measure.serializers",
        "measure.standins",
        "observe.probe",
        "observe.usage",
        "replay",
        "results.records",
        "schema.compile",
    },
    "measure.lost": {
        "data.messages",
        "data.recordings",
        "measure.cost",
        "observe.probe",
        "observe.usage",
        "replay",
        "results.records",
    },
    "measure.campaign": {
        "observe.doctor",
        "results.analysis",
        "results.records",
        "results.store",
    },
}
"""Beside itself and ``system``. A room stands for all its parts."""
RUNTIME = "runtime"  # of generated code: columns and support headers, and what is generated
CPP_MAY_INCLUDE: dict[str, set[str]] = {
    "wirecost/message": set(),
    "wirecost/probe": set(),
    "wirecost/arrow": {RUNTIME},
    "wirecost/trace": set(),
    "wirecost/heap": set(),
    "wirecost/hooks/allocations": {"wirecost/probe"},
    "wirecost/hooks/lock_memory": set(),
    "wirecost/hooks/locks": {"wirecost/hooks", "wirecost/probe"},
    "wirecost/hooks": {"wirecost/probe"},
    "wirecost/hooks/function": {"wirecost/hooks", "wirecost/probe"},
    "wirecost/hooks/stacks": {"wirecost/probe"},
    "wirecost/hooks/ros1": {"wirecost/hooks", "wirecost/hooks/function", "wirecost/probe"},
    "wirecost/hooks/tracetools": {"wirecost/hooks", "wirecost/hooks/function", "wirecost/probe"},
    "wirecost/ctf": {"wirecost/hooks/tracetools"},
    "wirecost/verify": set(),
    "wirecost/codec": {"wirecost/message", RUNTIME},
    "wirecost/cloud": set(),
    "wirecost/cloud/packed": {"wirecost/cloud"},
    "wirecost/middleware": set(),
    "wirecost/middleware/dds": {"wirecost/middleware"},
    "wirecost/middleware/tcp": {"wirecost/middleware"},
    "fmu/osmp": {"wirecost/codec", "wirecost/probe"},
    "fmu/source": {"fmu/osmp", "wirecost/message"},
    "fmu/sensor": {"fmu/osmp", "wirecost/message"},
    "fmu/player": {"fmu/osmp", "wirecost/trace"},
    "portable": set(),
    "bench": set(),
    "bench/codecs": {"bench", "wirecost/cloud", "wirecost/cloud/packed", RUNTIME},
    "bench/network": set(),
    "bench/static": {"bench", "wirecost/codec", "wirecost/message", RUNTIME},
    "python": {
        "fmu/osmp",
        "wirecost/arrow",
        "wirecost/cloud",
        "wirecost/cloud/packed",
        "wirecost/ctf",
        "wirecost/middleware",
        "wirecost/middleware/dds",
        "wirecost/middleware/tcp",
        "wirecost/probe",
        "wirecost/verify",
        RUNTIME,
    },
    "benchmarks/cloud/area": {"wirecost/cloud"},
    "benchmarks/cloud/ring": {"wirecost/cloud"},
    "benchmarks/cloud/cpp": {
        "bench",
        "benchmarks/cloud/area",
        "benchmarks/cloud/ring",
        "wirecost/probe",
    },
    "benchmarks/fmi/cpp": {"bench"},
    "benchmarks/heap/cpp": {"bench"},
    "benchmarks/lost/cpp": set(),
    "benchmarks/notification": set(),
    "benchmarks/probe/cpp": {"wirecost/probe"},
}
"""Beside itself; below ``cpp``, or ``benchmarks``, which nothing of ``cpp`` may include."""
STUDIES = ROOT / "benchmarks"
BENCH = "wirecost.measure.bench"


OF_SCENARIO = {
    "schema": "results.records",
    "content": "results.report",
    "figures": "results.report",
}
"""Parts whose rules hold for modules of a scenario's folder, which results load by their place."""


def _part(module: str) -> str:
    """Return the part of the package that a module lies in, as ``results.report``.

    It is "" for those at the root."""
    package, _, name = module.rpartition(".")
    if (
        name in OF_SCENARIO
        and f"{package}.race" in _modules()
        and f"{package}.schema" in _modules()
    ):
        return OF_SCENARIO[name]
    words = module.split(".")[1:]
    parts = (".".join(words[:count]) for count in (3, 2, 1))
    return next((part for part in parts if part in PYTHON_MAY_IMPORT), "")


@pytest.mark.parametrize("part", PYTHON_MAY_IMPORT)
def test_parts_of_the_package_import_only_what_lies_before_them(part: str) -> None:
    allowed = {part, "system", ""} | PYTHON_MAY_IMPORT[part]
    modules = _modules()
    for name, path in modules.items():
        if _part(name) == part:
            for module in imported(path, modules):
                other = _part(module) if module in modules else ""
                assert {other, other.partition(".")[0]} & allowed, f"{path}: {module}"


def test_what_lies_inside_a_scenario_is_imported_by_itself_and_commands_alone() -> None:
    """A study may build on a scenario, but not on ``message``: ``serializers`` has all it needs."""
    modules = _modules()
    races = [name for name in modules if re.fullmatch(rf"{BENCH}\.\w+\.(race|scenario)", name)]
    scenarios = {name.rpartition(".")[0] for name in races}
    assert f"{BENCH}.message" in scenarios
    names = {path: name for name, path in modules.items()}
    for path in (*modules.values(), *STUDIES.rglob("*.py")):
        name = names.get(path, "")
        closed = scenarios if name else {f"{BENCH}.message"}
        for module in imported(path, modules):
            scenario = ".".join(module.split(".")[:4])
            is_own = name.startswith((f"{scenario}.", "wirecost.cli."))
            assert scenario not in closed or is_own, f"{path}: {module}"


def test_one_room_reads_and_writes_mcap() -> None:
    """Others may name its types of records."""
    modules = _modules()
    for name, path in modules.items():
        used = {module for module in imported(path, modules) if module.startswith("mcap.")}
        is_own = name.startswith("wirecost.data.recordings.mcap.")
        assert is_own or used <= {"mcap.records"}, f"{path}: {used}"


def _cpp_folder(path: Path) -> str:
    """Return the nearest folder around a file that has rules of its own."""
    around = path.relative_to(ROOT if path.is_relative_to(STUDIES) else ROOT / "cpp").parents
    return next((str(one) for one in around if str(one) in CPP_MAY_INCLUDE), "")


def _included(path: Path) -> Iterator[str]:
    """Return the folders of the project's headers that a file includes."""
    cpp = ROOT / "cpp"
    for header in re.findall(r'#include "([^"@]+)"', path.read_text()):
        found = [
            root / header
            for root in (
                path.parent,
                cpp,
                STUDIES,
                cpp / "fmu",
                cpp / "wirecost" / "probe" / "include",
            )
            if (root / header).is_file()
        ]
        if found:
            yield _cpp_folder(found[0])
        elif header.startswith("wirecost/"):
            yield RUNTIME


def test_every_cpp_folder_includes_only_what_lies_before_it() -> None:
    sources = [
        path
        for folder in (ROOT / "cpp", STUDIES)
        for path in folder.rglob("*")
        if re.search(r"\.(c|cpp|hpp|h)(\.in)?$", path.name)
    ]
    assert {_cpp_folder(path) for path in sources} == set(CPP_MAY_INCLUDE)
    for path in sources:
        folder = _cpp_folder(path)
        for included in _included(path):
            assert included in CPP_MAY_INCLUDE[folder] | {folder}, f"{path}: {included}"


def test_every_part_says_what_it_may_import() -> None:
    """``cli`` may import all, and nothing imports it."""
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms == {part.partition(".")[0] for part in PYTHON_MAY_IMPORT} | {"cli"}
    assert len(rooms) <= 9
    for name in _modules():
        at_root = name.count(".") < 2 and name.rpartition(".")[2] in {
            *rooms,
            "wirecost",
            "__main__",
        }
        assert _part(name) or at_root or name.startswith("wirecost.cli."), name
    assert all((PACKAGE / room / "README.md").is_file() for room in rooms)


@cache
def _modules() -> dict[str, Path]:
    """Return the package's modules by their names."""
    return {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(
            ".__init__"
        ): path
        for path in PACKAGE.rglob("*.py")
    }


def imported(path: Path, modules: Collection[str]) -> Iterator[str]:
    """Return the modules that a file imports anywhere, in functions and for types as well."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = str(node.module)
            if node.level and path.is_relative_to(PACKAGE):
                assert node.level == 1, f"{path}: a scenario's modules lie in one folder"
                module = ".".join((*path.relative_to(PACKAGE.parent).parent.parts, module))
            for name in node.names:
                whole = f"{module}.{name.name}"
                yield whole if whole in modules else module
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = _modules()
    graph = {
        name: {one for one in imported(path, paths) if one in paths and one != name}
        for name, path in paths.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which lists the circle


def test_what_lies_where_one_stands_is_not_run() -> None:
    """``python -m`` looks for modules in the current folder first, unless ``-P`` says otherwise."""
    started = 0
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            words = [getattr(one, "value", None) for one in getattr(node, "elts", ())]
            if "-m" in words:
                started += 1
                assert words[words.index("-m") - 1] == "-P", f"{path}: {words}"
    assert started >= 5
