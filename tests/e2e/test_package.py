# SPDX-License-Identifier: Apache-2.0
"""The wheel in a fresh environment, far from the checkout, and what others build on it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import execute
from support.wheels import installed

ROOT = Path(__file__).parents[2]
CONSUMERS = ROOT / "examples" / "consumers"
PLAIN = {
    "libstdc++.so.6",
    "libm.so.6",
    "libgcc_s.so.1",
    "libc.so.6",
    "libdl.so.2",
    "libpthread.so.0",
    "ld-linux-x86-64.so.2",
}
"""What every Linux with a C++ program on it has."""

COMPILE = ("grpcio-tools", "jinja2", "protobuf", "rich", "typer")
"""Distributions that ``wirecost compile`` needs."""

Run = Callable[..., str]


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One with the wheel and what ``wirecost compile`` cannot do without."""
    folder = installed(COMPILE, tmp_path_factory.mktemp("light") / "environment")
    return installed(["--no-deps", str(wheel)], folder)


@pytest.fixture(scope="module")
def run(installed_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return ``run(command…, cwd=…)``: what it prints, or its words as it fails.

    Only the environment and the system's programs are on PATH, and nothing of this shell's
    settings remains."""
    elsewhere = tmp_path_factory.mktemp("elsewhere")

    def run(*command: str | Path, cwd: Path = elsewhere, status: int = 0) -> str:
        done = execute(
            list(map(str, command)),
            cwd=cwd,
            env={
                "PATH": f"{installed_wheel / 'bin'}:/usr/bin:/bin",
                "HOME": str(Path.home()),
                "LANG": "C.UTF-8",
                "PKG_CONFIG_PATH": str(elsewhere / "none"),
            },
            timeout=600,
        )
        assert done.returncode == status, done.stdout + done.stderr
        return done.stderr if status else done.stdout

    return run


def test_it_says_what_it_is(run: Run) -> None:
    version = run("wirecost", "--version")
    assert version.startswith("wirecost 0.")
    assert ", wheel)" in version
    assert run("python", "-m", "wirecost", "--version") == version
    assert "Usage" in run("wirecost")


def test_a_command_runs_without_the_checkout(run: Run, tmp_path: Path) -> None:
    wanted = ("--reflections", "1000", "--steps", "2", "--contenders", "protobuf,columns")
    document = json.loads(run("wirecost", "bench", "osi", *wanted, "--json", "-", cwd=tmp_path))
    assert {row["contender"] for row in document["rows"]} == {"protobuf", "columns"}


def test_what_needs_a_checkout_says_so_in_one_line(run: Run) -> None:
    words = run("wirecost", "bench", "osi", "--builds", "debug", "--reflections", "10", status=2)
    assert "compiler" in words
    without_progress = [line for line in words.splitlines() if " %  " not in line]
    assert len(without_progress) == 1


def test_schemas_are_compiled_with_little_and_debians_protoc(
    light: Path, run: Run, tmp_path: Path
) -> None:
    bare = ("env", "-i", f"PATH={light / 'bin'}", "LANG=C.UTF-8")
    command = (*bare, light / "bin" / "wirecost")
    assert "bench" in run(*command, "--help")
    schema = CONSUMERS / "state.proto"
    assert "written" in run(*command, "compile", schema, "--out", tmp_path / "compiled")
    (tmp_path / "plugin").mkdir()
    protoc = (*bare, light / "bin" / "python", "-P", "-m", "grpc_tools.protoc")
    run(*protoc, f"-I{CONSUMERS}", f"--wirecost_out={tmp_path / 'plugin'}", schema)

    def files(folder: Path) -> dict[Path, bytes]:
        found = (path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder): path.read_bytes() for path in found}

    assert len(files(tmp_path / "compiled")) > 10
    assert files(tmp_path / "plugin") == files(tmp_path / "compiled")
    words = run(*command, "bench", "osi", status=2)
    assert words.endswith("pip install wirecost, without --no-deps\n")
    assert len(words.splitlines()) == 1


def test_models_need_nothing_of_the_machine(installed_wheel: Path, tmp_path: Path) -> None:
    archives = sorted(installed_wheel.rglob("wirecost/fmus/release/*.fmu"))
    assert len(archives) > 70
    for archive in archives:
        with zipfile.ZipFile(archive) as opened:
            (library,) = (name for name in opened.namelist() if name.endswith(".so"))
            path = Path(opened.extract(library, tmp_path))
        words = execute(["objdump", "-p", path], check=True)
        needed = {line.split()[1] for line in words.stdout.splitlines() if "NEEDED" in line}
        assert needed <= PLAIN, archive.name


def test_the_wheel_knows_nothing_of_the_checkout(wheel: Path) -> None:
    place = str(ROOT).encode()
    with zipfile.ZipFile(wheel) as opened:
        carried = [name for name in opened.namelist() if place in opened.read(name)]
    assert carried == []


@pytest.fixture
def consumer(tmp_path: Path) -> Callable[[str], Path]:
    """Return a copy of the consumers, so that nothing of the checkout is beside them."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(CONSUMERS, tmp_path / "consumers")) / name

    return copy


def test_a_cmake_project_builds_on_it(run: Run, consumer: Callable[[str], Path]) -> None:
    folder = consumer("cmake")
    prefix = run("wirecost", "--cmake-dir").strip()
    run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=folder)
    run("cmake", "--build", "build", cwd=folder)
    assert run("build/consumer", cwd=folder).startswith("17 bytes,")
    schema = folder.parent / "state.proto"
    schema.write_text(schema.read_text().replace("positions = 3", "positions = 300"))
    run("cmake", "--build", "build", cwd=folder)
    assert run("build/consumer", cwd=folder).startswith("18 bytes,")
    lists = folder / "CMakeLists.txt"
    lists.write_text(lists.read_text().replace("protobuf ros1)", "protobuf ros1 NO_RECYCLING)"))
    run("cmake", "--build", "build", cwd=folder)
    assert run("build/consumer", cwd=folder).startswith("18 bytes,")
    (header,) = (folder / "build").rglob("consumer/state.hpp")
    assert "wirecost::PlainString name" in header.read_text()


def test_each_library_is_linked_by_name(run: Run, consumer: Callable[[str], Path]) -> None:
    folder = consumer("libraries")
    prefix = run("wirecost", "--cmake-dir").strip()
    run("cmake", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={prefix}", cwd=folder)
    run("cmake", "--build", "build", cwd=folder)
    said = [run(f"build/{library}", cwd=folder) for library in ("cloud", "columns", "probe")]
    assert said == ["2 points came back\n", "2.5 m\n", "recorded\n"]


def test_headers_that_pages_name_are_installed(run: Run, tmp_path: Path) -> None:
    """Those of the checkout are links, with the path there."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *ROOT.glob("examples/**/*.md")]
    named = re.compile(r"(?<![\w/.-])wirecost/[\w/]+\.(?:hpp|h)\b")
    headers = sorted({header for page in pages for header in named.findall(page.read_text())})
    assert headers
    (tmp_path / "all.cpp").write_text("".join(f"#include <{header}>\n" for header in headers))
    include = run("wirecost", "--include-dir").strip()
    run("g++", "-std=c++20", "-fsyntax-only", f"-I{include}", "all.cpp", cwd=tmp_path)


def test_a_makefile_builds_on_it(run: Run, consumer: Callable[[str], Path]) -> None:
    folder = consumer("pkg-config")
    found = run("wirecost", "--pkgconfig-dir").strip()
    run("env", f"PKG_CONFIG_PATH={found}", "make", cwd=folder)
    assert run("./consumer", cwd=folder).startswith("17 bytes,")


@pytest.mark.skipif(shutil.which("mvn") is None, reason="no Maven: apt-get install maven")
def test_a_maven_project_builds_on_it(run: Run, consumer: Callable[[str], Path]) -> None:
    folder = consumer("maven")
    run("mvn", "--quiet", "--batch-mode", "package", cwd=folder)
    assert run("java", "-cp", "target/classes", "Consumer", cwd=folder).startswith("2 bytes,")


def test_a_python_project_builds_on_it(run: Run, consumer: Callable[[str], Path]) -> None:
    folder = consumer("python")
    run("python", "-m", "pip", "install", "--quiet", "-r", "requirements.txt", cwd=folder)
    assert "17 bytes," in run("./run", cwd=folder)


def test_the_checkout_installs_the_same_for_c_and_cpp(
    installed_wheel: Path, tmp_path: Path
) -> None:
    cmake = Path(sys.executable).with_name("cmake")
    install = [cmake, "--install", ROOT / "build" / "cmake", "--component", "dev"]
    subprocess.run([*install, "--prefix", tmp_path], check=True, capture_output=True)
    (package,) = installed_wheel.glob("lib/python3*/site-packages/wirecost")

    def below(prefix: Path) -> set[str]:
        files = (p for part in ("include", "lib") for p in (prefix / part).rglob("*"))
        return {str(p.relative_to(prefix)) for p in files if p.is_file()}

    # What only commands of wirecost preload or run is no part of it.
    own = {"lib/libwirecost-heap.so", "lib/wirecost-functions"}
    assert below(tmp_path) == {
        one for one in below(package) - own if not one.startswith("lib/libwirecost-hook-")
    }


def test_an_archive_runs_under_a_second_importer(
    installed_wheel: Path, run: Run, tmp_path: Path
) -> None:
    importer = tmp_path / "libcosim"
    subprocess.run(["/usr/bin/python3", "-m", "venv", importer], check=True)
    program = importer / "bin" / "python"
    pins = ROOT / "setup" / "importers.txt"
    run(program, "-m", "pip", "install", "--quiet", "-r", pins)
    (fmus,) = installed_wheel.glob("lib/python3*/site-packages/wirecost/fmus/release")
    models = [fmus / f"wirecost_{role}_protobuf_fmi2.fmu" for role in ("source", "sensor")]
    words = run(program, ROOT / "tests" / "importers" / "libcosim.py", *models)
    assert words.split() == ["10", "829440", "46080"]
