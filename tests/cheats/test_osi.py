# SPDX-License-Identifier: Apache-2.0
"""Cheats of ``bench osi``: codecs in real FMUs, refused by the race or shown by what it records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.race import run
from wirecost.measure.bench.osi.schema import OsiMeta
from wirecost.measure.bench.osi.settings import Settings
from wirecost.results.records.finished import finish
from wirecost.results.records.journal import Journal
from wirecost.results.records.reading import read_results

BUILT = Path(__file__).parents[2] / "build" / "cmake" / "tests" / "cheats" / "osi" / "release"

REFUSED = {
    "drops-reflection": "reflection (length): 35 against 36",
    "rounds-values": "reflection[0].signal_strength",
    "swaps-fields": "reflection[0].signal_strength",
    "drops-detection": "its sensor data is not protobuf's",
    "keeps-reflections": "reflection[0]",
    "resends-buffer": "its sensor view is not protobuf's",
    "never-looks": "its sensor data is not protobuf's",
    "smaller-size": "",
    "sends-pointer": "",
    "leaves-padding": "its sensor view holds bytes that nobody writes",
    "honest-when-watched": "while it was timed, its sensor view is not protobuf's",
    "works-beside": "its other threads used",
}


def registry_with(cheat: str, folder: Path) -> Registry:
    """All contenders, and the FMU with the cheats under the name of one of them."""
    manifest = json.loads((INSTALLED / "fmus" / "manifest.json").read_text())
    manifest["contenders"].append(
        {
            "name": cheat,
            "wire": "flatbuffers",
            "schema": "osi_table.bfbs",
            "library": "cheat",
            "default": False,
            "compared": "exact",
            "models": "cheat",
        }
    )
    (folder / "release").mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for archive in [*(INSTALLED / "fmus" / "release").glob("*.fmu"), *BUILT.glob("*_cheat_*.fmu")]:
        (folder / "release" / archive.name).symlink_to(archive)
    return Registry(folder)


@pytest.fixture
def race(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """``race(cheat, …)``: the results of a cheat beside Protobuf."""

    def race(
        cheat: str, reflections: int, steps: int, reads: tuple[str, ...] = ("sampled",)
    ) -> Any:
        monkeypatch.setenv("WIRECOST_CHEAT", cheat)
        settings = Settings(
            contenders=("protobuf", "flatbuffers-table", cheat),
            reflections=(reflections,),
            read=reads,
            steps=steps,
            processes=1,
        )
        out = tmp_path / "out"
        out.mkdir()
        registry = registry_with(cheat, tmp_path / "fmus")
        run(settings, Measurement("osi", Journal(out), lambda *_: None), registry)
        finish(out, False)
        return read_results(out)

    return race


@pytest.mark.parametrize("cheat, reason", REFUSED.items())
def test_a_cheat_is_refused_and_its_reason_given(race: Any, cheat: str, reason: str) -> None:
    # On a busy machine a thread may get no processor for a few steps.
    results = race(cheat, 36, 100 if cheat == "works-beside" else 4)
    failures = {run.contender: run.failure for run in results.meta_as(OsiMeta).runs}
    assert failures["protobuf"] is None
    assert failures["flatbuffers-table"] is None
    assert failures[cheat] is not None
    assert reason in failures[cheat]
    assert cheat not in results.samples["contender"]


def test_a_reader_that_does_not_read_all_is_refused(race: Any) -> None:
    results = race("reads-sample", 36, 4, ("sampled", "all"))
    found = [
        run.failure for run in results.meta_as(OsiMeta).runs if run.contender == "reads-sample"
    ]
    assert found == [None, "what its sensor read is not what protobuf's did"]


def test_memory_that_is_never_freed_is_recorded(race: Any) -> None:
    """A leaking contender does the same work: what it spares itself, its peak memory shows."""
    steps, reflections = 40, 20_000
    results = race("leaks", reflections, steps)
    peaks = {run.contender: run.peak_memory_bytes for run in results.meta_as(OsiMeta).runs}
    least = steps * reflections * 20  # bytes that its messages have at least
    assert peaks["leaks"] > peaks["flatbuffers-table"] + least
