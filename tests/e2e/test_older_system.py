# SPDX-License-Identifier: Apache-2.0
"""The wheel on a system that is older than the one that built it, with a newer Python."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from support.programs import execute

ROOT = Path(__file__).parents[2]
OLDEST = {"GLIBC": (2, 28), "GLIBCXX": (3, 4, 24), "CXXABI": (1, 3, 11), "GCC": (8, 0, 0)}
"""What manylinux_2_28 has: glibc 2.28 and the libstdc++ of GCC 8."""

MODULES = ("_core", "_ctf", "_dds", "_middleware", "_tensor")


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel carries, and each FMU's library in ``models``."""
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as opened:
        opened.extractall(folder)
    for archive in folder.glob("wirecost/fmus/release/*.fmu"):
        with zipfile.ZipFile(archive) as opened:
            (library,) = (name for name in opened.namelist() if name.endswith(".so"))
            model = folder / "models" / f"{archive.stem}.so"
            model.parent.mkdir(exist_ok=True)
            model.write_bytes(opened.read(library))
    return folder


@pytest.fixture(scope="module")
def older(unpacked: Path) -> Callable[..., str]:
    """Return ``older(program, argument…, preload=…)``, which runs with Debian 11's libraries."""
    folder = ROOT / "build" / "older"
    done = execute([ROOT / "tests/wheel/older-system", folder], timeout=300)
    if done.returncode:
        pytest.skip(f"no older system: {done.stderr.strip().splitlines()[-1]}")
    packages = folder / "packages"
    if not packages.exists():
        pins = (ROOT / "setup/python-run.txt").read_text()
        pinned = re.findall(r"^(?:numpy|nanobind-backend)==.*$", pins, flags=re.MULTILINE)
        install(packages, "--no-deps", *pinned)
    python = folder / "python"
    system = [folder / "system" / part / "x86_64-linux-gnu" for part in ("lib", "usr/lib")]
    libraries = ":".join(map(str, [*system, python, python / "lib"]))

    def run(
        program: str | Path,
        *arguments: str | Path,
        preload: Path | None = None,
        paths: str | Path = f"{unpacked}:{packages}",
    ) -> str:
        loader = [system[0] / "ld-2.31.so", "--library-path", libraries]
        if preload:
            loader += ["--preload", preload]
        environment = {"PYTHONHOME": str(python), "PYTHONPATH": str(paths), "LD_BIND_NOW": "1"}
        program = python / "python3.12" if program == "python" else program
        ran = execute(list(map(str, [*loader, program, *arguments])), env=environment)
        return ran.stdout + ran.stderr

    return run


def install(folder: Path, *wanted: str) -> None:
    """Install packages for the older system's Python into a folder."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--target", folder]
    pip += ["--python-version", "3.12", "--only-binary", ":all:"]
    for glibc in ("2_28", "2_27", "2_17"):
        pip += ["--platform", f"manylinux_{glibc}_x86_64"]
    subprocess.run([*pip, *wanted], check=True)


def test_one_wheel_is_for_every_python_that_is_supported(wheel: Path) -> None:
    assert wheel.name.endswith("-cp311-abi3-manylinux_2_28_x86_64.whl")


def test_no_binary_asks_for_more_than_the_oldest_system_has(unpacked: Path) -> None:
    binaries = [path for path in unpacked.rglob("*") if path.is_file() and is_elf(path)]
    assert len(binaries) > 90
    newer = []
    for path in binaries:
        words = execute(["objdump", "-p", path], check=True).stdout
        for family, version in re.findall(r" (GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)$", words, re.M):
            if tuple(map(int, version.split("."))) > OLDEST[family]:
                newer.append(f"{path.name}: {family}_{version}")
    assert newer == []


def is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def test_extensions_load_with_older_libraries(older: Callable[..., str]) -> None:
    imports = ", ".join(f"wirecost.{module}" for module in MODULES)
    encoded = "wirecost._tensor.decode(wirecost._tensor.encode(numpy.arange(3)).tobytes(), None)"
    script = f"import numpy, {imports}; print(wirecost._core.__file__[-8:], {encoded})"
    assert older("python", "-c", script) == ".abi3.so [0 1 2]\n"


def test_models_load_with_older_libraries(older: Callable[..., str], unpacked: Path) -> None:
    models = sorted((unpacked / "models").glob("*.so"))
    script = (
        "import ctypes, sys\n"
        "for path in sys.argv[1:]:\n"
        "    model = ctypes.CDLL(path)\n"
        "    version = getattr(model, 'fmi3GetVersion' if '_fmi3' in path else 'fmi2GetVersion')\n"
        "    version.restype = ctypes.c_char_p\n"
        "    print(version().decode())"
    )
    versions = older("python", "-c", script, *models).split()
    assert len(versions) == len(models) > 70
    assert set(versions) == {"2.0", "3.0"}


@pytest.mark.parametrize("library", ["heap", "probe", *("hook-" + each for each in
    ("allocations", "function", "lock-memory", "locks", "ros1", "ros2", "stacks"))])  # fmt: skip
def test_preloaded_libraries_load_with_older_libraries(
    older: Callable[..., str], unpacked: Path, library: str
) -> None:
    preload = unpacked / "wirecost" / "lib" / f"libwirecost-{library}.so"
    assert preload.exists()
    assert older("python", "-c", "print(1)", preload=preload) == "1\n"


@pytest.mark.parametrize("program", ["lib/wirecost-functions", "programs/network_relay",
                                     "programs/static", "programs/codecs"])  # fmt: skip
def test_programs_run_with_older_libraries(
    older: Callable[..., str], unpacked: Path, program: str
) -> None:
    path = unpacked / "wirecost" / program
    words = older(path)
    assert path.name in words
    assert "GLIBC" not in words


@pytest.mark.thorough
def test_the_first_command_of_the_readme_runs_with_older_libraries(
    older: Callable[..., str], wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "packages", str(wheel))
    monkeypatch.chdir(tmp_path)
    answer = older("python", "-m", "wirecost", "cost", "--example", paths=tmp_path / "packages")
    assert "remove padding (31 %): saves 6.55 MB/s" in answer
