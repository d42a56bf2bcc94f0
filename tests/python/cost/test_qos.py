# SPDX-License-Identifier: Apache-2.0
"""Quality of service that a recording says its publishers offered."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from rosbags.interfaces import (
    Qos,
    QosDurability,
    QosHistory,
    QosLiveliness,
    QosReliability,
    QosTime,
)
from typer.testing import CliRunner

from cost.drives import drive
from wirecost.cli import app
from wirecost.data.recordings.offered import KEY, LONGEST, limited, offered_words
from wirecost.data.recordings.recording import Recording
from wirecost.data.recordings.survey import survey
from wirecost.measure.cost.prices import PriceList
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost
from wirecost.results.records.cost import SystemCost
from wirecost.results.report.cost.answer import qos_hints, tables
from wirecost.results.report.cost.system_answer import cost_answer

FOREVER = QosTime(9223372036, 854775807)
KEPT = "reliable transient local keep all"


def profile(history: QosHistory, reliability: QosReliability, durability: QosDurability) -> Qos:
    automatic = QosLiveliness.AUTOMATIC
    return Qos(history, 7, reliability, durability, FOREVER, FOREVER, automatic, FOREVER, False)


ALL = profile(QosHistory.KEEP_ALL, QosReliability.RELIABLE, QosDurability.TRANSIENT_LOCAL)
LAST = profile(QosHistory.KEEP_LAST, QosReliability.BEST_EFFORT, QosDurability.VOLATILE)
# As a recorder writes what DDS does not say.
UNKNOWN = profile(QosHistory.UNKNOWN, QosReliability.RELIABLE, QosDurability.VOLATILE)
OFFERED = {"/points": [ALL, LAST], "/imu": [UNKNOWN], "/status": []}
WORDS = {
    "/points": f"best effort volatile keep last 7, {KEPT}",
    "/imu": "reliable volatile",
    "/status": "",
}


def cost_of(path: Path) -> SystemCost:
    read = survey([path], (), lambda _done, _total, _text: None)
    return system_cost([str(path)], read, Pricing(PriceList({}), "cpp"), {})


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("name", ["drive.mcap", "drive.db3"])
def test_topics_have_what_publishers_offered(
    name: str, version: Literal[8, 9], tmp_path: Path
) -> None:
    drive(tmp_path / name, OFFERED, version)
    cost = cost_of(tmp_path / "drive")
    assert {topic.topic: topic.qos for topic in cost.topics} == WORDS
    (part,) = (path for path in (tmp_path / "drive").iterdir() if path.suffix != ".yaml")
    assert {topic.topic: topic.qos for topic in cost_of(part).topics} == WORDS
    (hint,) = qos_hints(cost)
    assert hint.startswith(f"/points: {WORDS['/points']}: at 3.2")
    assert cost_answer(cost).hints == [hint]
    (ends,) = (table for table in tables(cost) if table.title == "Ends")
    assert ends.headings == ["topic", "QoS"]


def test_a_small_topic_needs_no_advice(tmp_path: Path) -> None:
    drive(tmp_path / "drive.mcap", OFFERED | {"/points": [LAST], "/status": [ALL]})
    cost = cost_of(tmp_path / "drive")
    assert {topic.topic: topic.qos for topic in cost.topics}["/status"] == KEPT
    assert not qos_hints(cost)


@pytest.mark.parametrize(
    "offered",
    [
        "", "- history: [2]", "history: 2", "- {", "- 7", "- history: 99\n  reliability: -1",
        None, 5, {"reliability": 1}, [{"reliability": ["reliable"]}], "- " * 5000, "- &a [*a]",
        " " * (LONGEST + 1),
    ],
)  # fmt: skip
def test_what_is_damaged_says_nothing(offered: object) -> None:
    assert offered_words(limited(offered)) == ""


def test_a_list_that_aliases_make_huge_is_cut() -> None:
    large: object = "x" * 1000
    for _ in range(40):
        large = dict.fromkeys(map(str, range(40)), large)
    assert limited([{"reliability": "reliable", "more": large}] * 9) == (
        "[" + ", ".join(['{"reliability": "reliable", "more": {}}'] * 9) + "]"
    )


@pytest.mark.parametrize("version", [8, 9])
@pytest.mark.parametrize("name", ["drive.mcap", "drive.db3"])
def test_a_copy_of_a_recording_keeps_what_publishers_offered(
    name: str, version: Literal[8, 9], tmp_path: Path
) -> None:
    drive(tmp_path / name, OFFERED, version)
    packed, back = tmp_path / "packed.mcap", tmp_path / "back.mcap"
    for source, out in ((tmp_path / "drive", packed), (packed, back)):
        done = CliRunner().invoke(app, ["convert-cloud", str(source), str(out)])
        assert done.exit_code == 0, done.output
    assert {topic.topic: topic.qos for topic in cost_of(back).topics} == WORDS
    with Recording(back) as recording, Recording(tmp_path / "drive") as source_recording:
        before, after = (
            {connection.topic: each.about(connection) for connection in each.connections}
            for each in (source_recording, recording)
        )
    for about in before.values():
        about.pop("topic_type_hash", None)
    for about in after.values():
        about.pop("topic_type_hash", None)
    assert after == before
    assert KEY in after["/points"]
