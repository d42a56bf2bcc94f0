# SPDX-License-Identifier: Apache-2.0
"""FMUs that cannot be used are named."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.race import run
from wirecost.measure.bench.osi.settings import Settings
from wirecost.results.records.finished import finish
from wirecost.results.records.journal import Journal
from wirecost.system.errors import UserError


def registry_in(folder: Path) -> Registry:
    """Return the installed FMUs in a folder of one's own."""
    (folder / "release").mkdir(parents=True)
    (folder / "manifest.json").symlink_to(INSTALLED / "fmus" / "manifest.json")
    for archive in (INSTALLED / "fmus" / "release").glob("*.fmu"):
        (folder / "release" / archive.name).symlink_to(archive)
    return Registry(folder)


def foreign(archive: Path) -> None:
    archive.unlink()
    archive.write_bytes(b"this is no zip archive")


def other_platform(archive: Path) -> None:
    unpacked = archive.with_suffix(".d")
    shutil.unpack_archive(archive.resolve(), unpacked, "zip")
    (unpacked / "binaries" / "linux64").rename(unpacked / "binaries" / "win64")
    archive.unlink()
    shutil.make_archive(str(archive), "zip", unpacked)
    archive.with_name(archive.name + ".zip").rename(archive)


@pytest.mark.parametrize(
    "spoil, reported", [(foreign, "not a readable FMU"), (other_platform, "win64")]
)
def test_an_unusable_fmu_is_named(tmp_path: Path, spoil: object, reported: str) -> None:
    registry = registry_in(tmp_path / "fmus")
    archive = registry.archive("protobuf", "source", 2, "release")
    spoil(archive)  # type: ignore[operator]
    settings = Settings(contenders=("protobuf",), reflections=(36,), steps=1)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(UserError, match=reported) as caught:
        run(settings, Measurement("osi", Journal(out), lambda *_: None), registry)
        finish(out, False)
    assert archive.name in str(caught.value)
