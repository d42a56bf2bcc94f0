# SPDX-License-Identifier: Apache-2.0
"""Old and new performance logs read alike."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirecost.results.records.setlevel import read_logs
from wirecost.results.records.stages import step_stages
from wirecost.system.errors import UserError

LOGS = Path(__file__).parents[2] / "data" / "logs"


def stages_of(path: Path) -> list[tuple[int, str, int]]:
    (log,) = read_logs(path)
    return [(step, stage, ns) for step, stage, ns, _ in step_stages(log.events).rows()]


def test_seconds_of_2022() -> None:
    stages = stages_of(LOGS / "seconds_2022.json")
    assert [(step, stage, round(ns / 1e6)) for step, stage, ns in stages] == [
        (0, "source_generation", 40),
        (0, "source_serialization", 3),
        (1, "source_generation", 42),
        (1, "source_serialization", 3),
    ]


def test_event_ids_index_the_list_of_their_own_file() -> None:
    stages = stages_of(LOGS / "sensor_without_source_event.json")
    assert [(stage, round(ns / 1e6)) for _, stage, ns in stages] == [
        ("model_deserialization", 24),
        ("model_calculation", 26),
        ("model_serialization", 10),
    ]


def test_microseconds_and_a_killed_run() -> None:
    path = LOGS / "microseconds_unclosed.json"
    (log,) = read_logs(path)
    assert not log.complete
    assert log.model == "OSMPDummySource Protobuf"
    assert stages_of(path) == [
        (0, "source_generation", 15_000_000),
        (0, "source_serialization", 9_000_000),
    ]


def test_a_log_cut_anywhere_is_read_or_refused(tmp_path: Path) -> None:
    whole = (LOGS / "seconds_2022.json").read_text()
    steps = []
    for cut in range(0, len(whole), 7):
        path = tmp_path / "cut.json"
        path.write_text(whole[:cut])
        try:
            steps.append(sum(log.events.height for log in read_logs(path)))
        except UserError as error:
            assert str(path) in str(error)
    assert steps == sorted(steps)
    assert max(steps) == 6


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
)


@given(header=JSON, data=JSON.filter(lambda data: data not in ([], {}, "")))
def test_foreign_json_is_refused_in_one_line(header: object, data: object) -> None:
    with NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"Header": header, "Data": data}, file)
        file.flush()
        with pytest.raises(UserError) as caught:
            read_logs(Path(file.name))
    assert "\n" not in str(caught.value)
    assert file.name in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing-here"):
        read_logs(tmp_path / "nothing-here.json")
