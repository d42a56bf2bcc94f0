# SPDX-License-Identifier: Apache-2.0
"""Contenders over current libraries: they do Debian's versions' work, apart from them.

``make test-rivals`` builds them first."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from fmpy.validation import validate_fmu

from wirecost.measure.bench.osi.contenders import Registry

REGISTRY = Registry()
DEBIAN = {"protobuf": "protobuf", "flatbuffers": "flatbuffers-table"}
"""Of each wire the contender over Debian's library."""
MARKS = {"protobuf": "absl::", "flatbuffers": "FlatBufferBuilderImpl"}
"""What a model has of the current library, and not of Debian's."""


def symbols(contender: str, role: str, folder: Path, *options: str) -> list[str]:
    """Return the symbols of the model's library, as nm prints them."""
    with zipfile.ZipFile(REGISTRY.archive(contender, role, 2, "release")) as archive:
        (library,) = (name for name in archive.namelist() if name.endswith(".so"))
        path = archive.extract(library, folder)
    command = ["nm", "--demangle", "--defined-only", *options, path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split(" ", 2)[2] for line in done.stdout.splitlines()]


def test_all_are_built() -> None:
    assert REGISTRY.rivals
    assert REGISTRY.missing("release", REGISTRY.rivals) == []


@pytest.mark.parametrize("name", REGISTRY.rivals)
@pytest.mark.parametrize("role", ["source", "sensor", "player"])
@pytest.mark.parametrize("fmi", [2, 3])
def test_fmpy_finds_nothing_wrong(name: str, role: str, fmi: int) -> None:
    assert validate_fmu(str(REGISTRY.archive(name, role, fmi, "release"))) == []


@pytest.mark.parametrize("name", REGISTRY.rivals)
def test_the_current_library_is_used_and_stays_inside(name: str, tmp_path: Path) -> None:
    wire = REGISTRY.contenders[name].wire
    for role in ("source", "sensor"):
        assert any(MARKS[wire] in one for one in symbols(name, role, tmp_path))
        assert not any(MARKS[wire] in one for one in symbols(DEBIAN[wire], role, tmp_path))
        exported = symbols(name, role, tmp_path, "--dynamic")
        assert exported and all(one.startswith("fmi") for one in exported)


@pytest.mark.parametrize("fmi", ["2", "3"])
def test_they_do_the_same_work(fmi: str, tmp_path: Path) -> None:
    names = [*DEBIAN.values(), *REGISTRY.rivals]
    command = [str(Path(sys.executable).with_name("wirecost")), "bench", "osi", "--json", "-"]
    command += ["--contenders", ",".join(names), "--reflections", "2000", "--steps", "4"]
    command += ["--processes", "2", "--fmi", fmi, "--out", str(tmp_path / "r")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == []
    rows = [row for row in document["rows"] if not row["mode"]]
    assert {row["contender"] for row in rows} == set(names)
    for stage in ("source_serialization", "model_serialization"):
        ours = {row["contender"]: row for row in rows if row["stage"] == stage}
        assert len({row["digest"] for row in ours.values()}) == 1
        for name in REGISTRY.rivals:
            debian = DEBIAN[REGISTRY.contenders[name].wire]
            assert ours[name]["bytes"] == ours[debian]["bytes"]


def test_classes_of_the_current_protobuf_make_the_same_bytes(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("wirecost")), "bench", "classes", "--json", "-"]
    command += ["--objects", "10", "--repetitions", "2", "--out", str(tmp_path / "r")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == []
    assert document["not_run"] == {}
    for case in ("full, 10 objects", "sparse, 10 objects"):
        rows = [row for row in document["rows"] if row["case"] == case]
        current = {row["mode"] for row in rows if row["contender"] == "protobuf-current"}
        assert current == {"fresh", "arena"}
        assert len({row["digest"] for row in rows}) == 1
