# SPDX-License-Identifier: Apache-2.0
"""The graph of a running system as a picture in a file."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from wirecost.cli.ending import Output
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.report.cost.system_answer import cost_answer
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError


def chain(nodes: int, ends: bool = True) -> SystemCost:
    """Return a system in which each node takes a topic of two others."""
    topics = [
        TopicCost(
            topic=f"/out{number}", type="a/msg/B", wire="cdr", count=100, bytes=1000 * number,
            median_bytes=10, largest_bytes=20, rate_hz=10.0, encode_ns=1e6, decode_ns=1e6,
            publishers=[f"/node{number}"] if ends else None,
            takers=[f"/node{(number + step) % nodes}" for step in (1, 2)] if ends else None,
        )
        for number in range(nodes)
    ]  # fmt: skip
    return SystemCost(files=[], lang="cpp", duration_s=10, prices={}, is_own=True, topics=topics)


def texts(path: Path) -> list[str]:
    return [text.strip() for text in ElementTree.parse(path).getroot().itertext() if text.strip()]


@pytest.mark.parametrize("nodes", [6, 120])
def test_every_node_and_topic_is_in_the_picture(nodes: int, tmp_path: Path) -> None:
    path = tmp_path / "graph.svg"
    Output(report=path).write(cost_answer(chain(nodes)))
    shown = texts(path)
    for number in range(nodes):
        assert shown.count(f"/node{number}") == shown.count(f"/out{number}") == 1
    picture = ElementTree.parse(path).getroot()
    assert 600 < float(picture.attrib["width"]) < 1400
    lines = picture.iter("{http://www.w3.org/2000/svg}line")
    widths = [float(line.attrib.get("stroke-width", 0)) for line in lines]
    assert max(widths) > 5 * min(width for width in widths if width)
    assert any(each.attrib.get("fill") == "white" for each in picture.iter())


def test_without_ends_there_are_bars_and_without_times_a_reason(tmp_path: Path) -> None:
    Output(report=tmp_path / "bars.png").write(cost_answer(chain(6, ends=False)))
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UserError, match="can be drawn"):
        Output(report=tmp_path / "nothing.svg").write(Answer("nothing"))
