# SPDX-License-Identifier: Apache-2.0
"""``node.json`` is of its type in every place, or refused in one line that names the place."""

from __future__ import annotations

import copy
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from attack.folder_edits import VALUES, nodes
from support.replay_fakes import ANSWER, SERVICE, STAMPED
from wirecost.replay.process.state import state_of
from wirecost.replay.recording.snapshot import JoinedTopic, Snapshot, read_snapshot, write_snapshot
from wirecost.system.errors import UserError


@pytest.fixture
def document(tmp_path: Path) -> dict[str, Any]:
    snapshot = Snapshot("ros1", "ros1", "/node", 1, "given", state_of(os.getpid()), 17)
    snapshot.parameters = {"/node/gain": 2, "/node/list": [1.5, True, "x"]}
    snapshot.parameter_files = {"a.yaml": "a: 1\n"}
    snapshot.inputs, snapshot.outputs = [JoinedTopic(STAMPED, 0.5)], [JoinedTopic(ANSWER, 0.0)]
    snapshot.provides, snapshot.calls = [SERVICE], [SERVICE]
    snapshot.notes = ["a note"]
    write_snapshot(tmp_path, snapshot)
    fields: dict[str, Any] = json.loads((tmp_path / "node.json").read_text())
    return fields


def read(folder: Path, text: str) -> str | None:
    """Return the refusal, if it is one."""
    (folder / "node.json").write_text(text)
    try:
        read_snapshot(folder)
    except UserError as error:
        assert str(error).isprintable()
        assert len(str(error)) < 1000
        assert "node.json" in str(error)
        assert "; " in str(error)
        return str(error)
    return None


def test_every_node_is_missing_or_of_another_type(document: dict[str, Any], tmp_path: Path) -> None:
    assert read(tmp_path, json.dumps(document)) is None
    places = list(nodes(document))
    refused = 0
    for number in range(len(places)):
        for value in (None, True, -1, 2**70, 1e300, "x", [], {}, [[7]], DELETED):
            changed = copy.deepcopy(document)
            holder, key = list(nodes(changed))[number]
            if value is DELETED:
                del holder[key]
            else:
                holder[key] = value
            refused += read(tmp_path, json.dumps(changed)) is not None
    assert refused > 5 * len(places)


DELETED = object()


def test_places_are_named(document: dict[str, Any], tmp_path: Path) -> None:
    def changed(old: str, new: str) -> str:
        text = json.dumps(document)
        assert text.count(old) == 1, old
        return read(tmp_path, text.replace(old, new)) or ""

    size = '"executable_size": 17'
    for odd, reason in (
        ("Infinity", r"\$\.executable_size: Expected `int`, got `float`"),
        ("NaN", r"\$\.executable_size: Expected `int`, got `float`"),
        ("1e999", r"\$\.executable_size: Expected `int`, got `float`"),
        ("9" * 5000, "9999.* is out of range"),
        ("-1", r"\$\.executable_size: Expected `int` >= 0"),
        ("17.5", r"\$\.executable_size: Expected `int`, got `float`"),
        ('"17"', r"\$\.executable_size: Expected `int`, got `str`"),
    ):
        error = changed(size, f'"executable_size": {odd}')
        assert re.search(rf"node\.json: {reason}.*; record again$", error), error
    assert "$.inputs[0].after_s: " in changed('"after_s": 0.5', '"after_s": "soon"')
    assert "$.inputs[0].after_s: " in changed('"after_s": 0.5', '"after_s": NaN')
    assert "$.process.nice" in changed('"nice": ', '"nice": 99, "before": ')
    assert "nested too deeply" in changed('"/node/gain": 2', '"/node/gain": ' + "[" * 100_000)


def test_bytes_that_are_no_text_are_kept(document: dict[str, Any], tmp_path: Path) -> None:
    """Arguments of a program are bytes."""
    document["process"]["arguments"].append("\udcff")
    assert read(tmp_path, json.dumps(document)) is None
    process = read_snapshot(tmp_path).process
    assert process is not None
    assert process.arguments[-1] == "\udcff"


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_parameters_may_be_anything(value: Any, document: dict[str, Any], tmp_path: Path) -> None:
    """Also what JSON does not have: a parameter may be NaN."""
    document["parameters"] = {"/node/any": value, "/node/unknown": float("nan")}
    reason = read(tmp_path, json.dumps(document))
    assert reason is None or "out of range" in reason
