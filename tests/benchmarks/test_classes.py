# SPDX-License-Identifier: Apache-2.0
"""The study of classes without its programs: stages, contents, kept objects."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.data.messages.subject import subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.backend import Carried, Timed
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp import sources
from wirecost.measure.serializers.cpp.backend import Cpp
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile import frontends
from wirecost.system.children import ProgramFailedError
from wirecost_scenarios.classes.race import ClassesBackend, ground_truth
from wirecost_scenarios.shared.stages import combined

PROTOBUF = Contender("cpp", "protobuf", "new", "protobuf", "protobuf 1")


def test_stages_are_sums_of_those_that_were_measured() -> None:
    looked_at = Timed(b"sent", b"expected")
    items = [
        StageSample("one", 0, "fill", 1.0), StageSample("one", 0, "encode", 2.0), looked_at,
        StageSample("one", 0, "destroy", 8.0), StageSample("one", 1, "fill", 3.0),
        StageSample("one", 1, "encode", 4.0), StageSample("one", 1, "destroy", 6.0),
    ]  # fmt: skip
    stages = {"build": {"fill": 1, "destroy": 0.5}, "encode": {"encode": 1}}
    assert list(combined(items, stages)) == [
        looked_at,
        StageSample("one", 0, "build", 5.0), StageSample("one", 0, "encode", 2.0),
        StageSample("one", 1, "build", 6.0), StageSample("one", 1, "encode", 4.0),
    ]  # fmt: skip
    assert list(combined([], stages)) == []


def test_a_ground_truth_has_the_vectors_of_its_content() -> None:
    about = subject(frontends.descriptors(["osi3"]), "osi3", "GroundTruth")
    sparse, full = (about.read(ground_truth(about, 3, is_full)) for is_full in (False, True))
    for message, vectors in ((sparse, 4), (full, 7)):
        assert len(message.moving_object) == 3
        assert {len(moving.base.ListFields()) for moving in message.moving_object} == {vectors}
    assert full.moving_object[2].model_reference
    assert not sparse.moving_object[2].HasField("model_reference")


def test_kept_objects_that_make_another_message_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(Cpp, "__init__", lambda _: None)
    carried = {"new": Carried([b"message"], None), "reused": Carried([b"message"], None)}
    monkeypatch.setattr(Cpp, "carried", lambda *_: carried)
    backend = ClassesBackend()  # type: ignore[call-arg]
    assert backend.carried(PROTOBUF, tmp_path, tmp_path) == carried
    carried["reused"] = Carried([b"mess"], None)
    with pytest.raises(ProgramFailedError, match="another message"):
        backend.carried(PROTOBUF, tmp_path, tmp_path)


def test_current_protobuf_is_named_where_it_is_not_built(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(sources, "CURRENT_PROTOBUF", tmp_path / "absent")
    about = subject(frontends.descriptors(["osi3"]), "osi3", "MountingPosition")
    selected = ContenderSelection(frozenset({"protobuf-current"}))
    _, missing = sources.generate(about, selected, tmp_path)
    assert missing == snapshot
