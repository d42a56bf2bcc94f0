# SPDX-License-Identifier: Apache-2.0
"""Contenders that cheat are caught, named and not timed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from wirecost.bench.osi.cases import cases_for
from wirecost.bench.osi.contenders import Registry
from wirecost.bench.osi.scenario import Settings, run
from wirecost.bench.program import INSTALLED
from wirecost.errors import UserError
from wirecost.records.finished import finish
from wirecost.records.journal import Journal
from wirecost.records.reading import read_results

BUILT = Path(__file__).parents[2] / "build" / "cmake" / "tests" / "cpp" / "release"

FAULTS = {
    "drops-reflection": "reflection (length): 35 against 36",
    "alters-signal": "reflection[5].signal_strength",
    "drops-detection": "its sensor data is not protobuf's",
    "keeps-stale-reflections": "reflection[0]",
}


def registry_with(name: str, folder: Path) -> Registry:
    manifest = json.loads((INSTALLED / "fmus" / "manifest.json").read_text())
    manifest["contenders"].append(
        {
            "name": name,
            "wire": "flatbuffers",
            "schema": "osi_table.bfbs",
            "library": "faulty",
            "default": False,
            "compared": "exact",
        }
    )
    (folder / "release").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for archive in [*(INSTALLED / "fmus" / "release").glob("*.fmu"), *BUILT.glob(f"*{name}*.fmu")]:
        (folder / "release" / archive.name).symlink_to(archive)
    return Registry(folder)


def test_a_reader_that_does_not_read_all_is_found(tmp_path: Path) -> None:
    name = "reads-sample"
    reads = ("sampled", "all")
    cases = cases_for(["protobuf", name], [36], [10], ["same-work"], ["release"], None, reads=reads)
    out = tmp_path / "out"
    out.mkdir()
    run(Settings(cases, 2), registry_with(name, tmp_path / "fmus"), Journal(out), lambda *_: None)
    finish(out, False)
    failures = [r["failure"] for r in read_results(out).meta["runs"] if r["contender"] == name]
    assert failures == [None, "what its sensor read is not what protobuf's did"]


@pytest.mark.parametrize("fault, reported", FAULTS.items())
def test_a_faulty_codec_is_reported_and_not_timed(
    tmp_path: Path, fault: str, reported: str
) -> None:
    cases = cases_for(["protobuf", fault], [36], [10], ["same-work"], ["release"], None)
    registry = registry_with(fault, tmp_path / "fmus")
    out = tmp_path / "out"
    out.mkdir()
    run(Settings(cases, steps=2), registry, Journal(out), lambda *_: None)
    finish(out, False)
    results = read_results(out)
    failures = {r["contender"]: r["failure"] for r in results.meta["runs"]}
    assert failures["protobuf"] is None
    assert reported in failures[fault]
    assert results.samples["contender"].unique().to_list() == ["protobuf"]


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
    registry = registry_with("alters-signal", tmp_path / "fmus")
    archive = registry.archive("protobuf", "source", 2, "release")
    spoil(archive)  # type: ignore[operator]
    cases = cases_for(["protobuf"], [36], [10], ["same-work"], ["release"], None)
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(UserError, match=reported) as caught:
        run(Settings(cases, steps=1), registry, Journal(out), lambda *_: None)
        finish(out, False)
    assert archive.name in str(caught.value)
