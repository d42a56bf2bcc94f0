# SPDX-License-Identifier: Apache-2.0
"""FMUs that anybody may have made: opened within bounds or refused in one line, nothing left."""

from __future__ import annotations

import io
import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from attack.mutate import mutated
from wirecost.measure.bench.osi import fmu_archive
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.player import Player
from wirecost.system.errors import UserError

DESCRIPTION = "modelDescription.xml"
Files = dict[str, bytes]

BOMB = (
    b'<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 20) for i in range(12))
    + b"]><fmiModelDescription fmiVersion='2.0'>&m;</fmiModelDescription>"
)


@pytest.fixture(scope="module")
def sensors() -> dict[int, Files]:
    """Return the files of a good FMU by its FMI version."""
    files = {}
    for fmi in (2, 3):
        with zipfile.ZipFile(Registry().archive("protobuf", "sensor", fmi, "release")) as archive:
            files[fmi] = {name: archive.read(name) for name in archive.namelist()}
    return files


def written(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught, Player(path, {}):
        pass
    reported = str(caught.value)
    assert str(path) in reported
    assert "; " in reported, "no remedy"
    assert len(reported) < 1000
    return reported


@pytest.fixture
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Call it to see that no unpacked FMU lies in the folder for temporary ones."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.chdir(tmp_path)  # where an FMU that is given no folder writes its log

    def check() -> None:
        assert not [path for path in folder.rglob("*") if path.name == DESCRIPTION]
        assert not list(folder.rglob("fmu-*"))

    return check


def _edited(name: str, old: bytes, new: bytes) -> Callable[[Files], Files]:
    return lambda files: files | {name: files[name].replace(old, new)}


def _library(files: Files, content: bytes) -> Files:
    return {n: content if n.endswith(".so") else text for n, text in files.items()}


DAMAGE: dict[str, tuple[Callable[[Files], Files], str]] = {
    "no description": (
        lambda files: {n: content for n, content in files.items() if n != DESCRIPTION},
        "has no modelDescription.xml",
    ),
    "no XML": (lambda files: files | {DESCRIPTION: b"\0\1\2"}, "not a readable FMU"),
    "another document": (lambda files: files | {DESCRIPTION: b"<a/>"}, "not a readable FMU"),
    "a bomb of entities": (lambda files: files | {DESCRIPTION: BOMB}, "not a readable FMU"),
    "entities from files": (
        lambda files: (
            files | {DESCRIPTION: b'<!DOCTYPE a [<!ENTITY x SYSTEM "/etc/passwd">]><a>&x;</a>'}
        ),
        "not a readable FMU",
    ),
    "no library": (
        lambda files: {n: content for n, content in files.items() if not n.endswith(".so")},
        "build the FMU for this platform",
    ),
    "a library that is none": (lambda files: _library(files, b"no ELF"), "cannot be loaded"),
    "an empty library": (lambda files: _library(files, b""), "cannot be loaded"),
    "a file above it": (
        lambda files: {"binaries/../../evil": b"x"} | files,
        "has a file binaries/../../evil outside its folder",
    ),
    "a file from the root": (lambda files: {"/tmp/evil": b"x"} | files, "outside its folder"),
    "a file for Windows": (lambda files: {"..\\evil": b"x"} | files, "outside its folder"),
}


@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_wrong_is_named(
    what: str, fmi: int, sensors: dict[int, Files], tmp_path: Path, nothing_left: Callable[[], None]
) -> None:
    damage, reported = DAMAGE[what]
    assert reported in refusal(written(tmp_path / "a.fmu", damage(sensors[fmi])))
    nothing_left()
    assert not (tmp_path / "evil").exists()


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_description_of_another_model_is_refused(
    fmi: int, sensors: dict[int, Files], tmp_path: Path, nothing_left: Callable[[], None]
) -> None:
    attribute = b'guid="' if fmi == 2 else b'instantiationToken="'
    change = _edited(DESCRIPTION, attribute, attribute + b"x")
    assert "start failed" in refusal(written(tmp_path / "a.fmu", change(sensors[fmi])))
    nothing_left()


def test_what_would_unpack_to_much_is_refused(
    sensors: dict[int, Files],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    nothing_left: Callable[[], None],
) -> None:
    path = written(tmp_path / "a.fmu", sensors[2] | {"resources/zeros": bytes(1 << 24)})
    monkeypatch.setattr(fmu_archive, "MOST_BYTES", 1 << 24)
    assert "more than the" in refusal(path)
    monkeypatch.undo()
    many = sensors[2] | {f"resources/{i}": b"" for i in range(fmu_archive.MOST_FILES)}
    assert "files of" in refusal(written(tmp_path / "b.fmu", many))
    nothing_left()


def test_damaged_archives_are_opened_or_refused(
    sensors: dict[int, Files], tmp_path: Path, nothing_left: Callable[[], None]
) -> None:
    """Their checksums keep what is damaged within a file from being loaded."""
    whole = written(tmp_path / "whole.fmu", sensors[2]).read_bytes()
    path = tmp_path / "a.fmu"
    chance = random.Random(1)
    for _ in range(60):
        path.write_bytes(mutated([whole], chance))
        try:
            with Player(path, {}):
                pass
        except UserError as error:
            assert str(path) in str(error)
        nothing_left()
    path.write_bytes(io.BytesIO(whole).getvalue())
    with Player(path, {}):
        pass
    nothing_left()
