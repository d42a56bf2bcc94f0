# SPDX-License-Identifier: Apache-2.0
"""Google's own conformance suite for Protobuf's wire, unmodified, asks all generated code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.compiled import ROOT
from support.native import built
from support.programs import JAVAC, execute
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

HERE = ROOT / "tests" / "conformance" / "google"
SUITE = ROOT / "build" / "conformance"
SCHEMAS = [
    "conformance/conformance.proto",
    *(
        f"google/protobuf/test_messages_{name}.proto"
        for name in (
            "proto2",
            "proto3",
            "proto2_editions",
            "proto3_editions",
            "edition2023",
        )
    ),
]
EXTENSIONS = 2
"""Tests of JSON that name an extension, of which the compiler has none."""
FLAGS = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror"]

pytestmark = pytest.mark.skipif(
    not (SUITE / "version").exists(),
    reason="no conformance runner: tests/conformance/google/fetch build/conformance",
)


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("google")
    include = SUITE / "include"
    request = Request(
        ("protobuf",), preserve_unknown=True, protobuf_api=True, api_namespace="facade", json=True
    )
    inputs = [str(include / name) for name in SCHEMAS]
    write(compile_schema(inputs, ("cpp", "python", "java"), request, [include]), folder)
    return folder


def passes(testee: list[str], folder: Path, json: bool = False) -> None:
    """Every test of the binary format and, if asked, of JSON; none is expected to fail."""
    system = SUITE / "libraries" / "usr" / "lib" / "x86_64-linux-gnu"
    runner = [system / "ld-linux-x86-64.so.2", "--library-path", system]
    runner += [SUITE / "bin" / "conformance_test_runner-linux-x64"]
    options = ["--enforce_recommended", "--maximum_edition", "2023", "--output_dir", folder]
    done = execute([*runner, *options, *testee], timeout=300)
    said = done.stdout + done.stderr
    counts = re.findall(
        r"CONFORMANCE SUITE (\w+): (\d+) successes, (\d+) skipped.* (\d+) unexpected", said
    )
    assert done.returncode == 0, said[-4000:]
    assert all(verdict == "PASSED" and failed == "0" for verdict, *_, failed in counts), said
    _, passed, skipped, _ = max(counts, key=lambda found: int(found[1]))
    assert int(passed) > (5000 if json else 1400), said
    assert not json or int(skipped) <= EXTENSIONS, said


def test_python(generated: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(HERE / "testee.py"), str(generated / "python")]
    passes(command, tmp_path, json=True)


@pytest.mark.thorough
def test_native_python(tmp_path: Path) -> None:
    include = SUITE / "include"
    inputs = [str(include / name) for name in SCHEMAS]
    request = Request(("protobuf",), "google", preserve_unknown=True, native=True, json=True)
    folder = built(compile_schema(inputs, ("cpp", "python"), request, [include]), ["google"])
    passes([sys.executable, str(HERE / "testee.py"), str(folder), "google_native"], tmp_path, True)


@pytest.mark.thorough
@pytest.mark.parametrize("facade", [False, True], ids=["holders", "facade"])
def test_cpp(facade: bool, generated: Path, tmp_path: Path) -> None:
    program = tmp_path / "testee"
    command = ["g++", *FLAGS, *(["-DFACADE"] if facade else []), f"-I{generated / 'cpp'}"]
    subprocess.run([*command, str(HERE / "testee.cpp"), "-o", str(program)], check=True)
    passes([str(program)], tmp_path, json=not facade)


def test_java(generated: Path, tmp_path: Path) -> None:
    if shutil.which("javac") is None:
        pytest.skip("no javac: apt install openjdk-17-jdk-headless")
    sources = [*map(str, (generated / "java").rglob("*.java")), str(HERE / "Testee.java")]
    command = [*JAVAC, "-Xlint:all", "-Werror"]
    subprocess.run([*command, "-d", str(tmp_path / "classes"), *sources], check=True)
    java = [str(shutil.which("java")), "-XX:TieredStopAtLevel=1"]
    passes([*java, "-cp", str(tmp_path / "classes"), "Testee"], tmp_path)
