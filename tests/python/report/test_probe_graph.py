# SPDX-License-Identifier: Apache-2.0
"""The graph of nodes and topics."""

from __future__ import annotations

from wirecost.results.analysis.probe_sections import SectionSummary
from wirecost.results.analysis.ros_names import places_of
from wirecost.results.report.probe.graph import graph_of, topic_graph
from wirecost.results.report.shared.graph import BESIDE, MOST, NODE, TOPIC, Graph, arranged


def _section(name: str, total_ns: int = 1000, median_ns: float | None = None) -> SectionSummary:
    return SectionSummary(
        name, 10, {50.0: median_ns}, total_ns, None, 0, {}, total_ns=total_ns, rate_hz=10.0
    )


def _graph(*names: str) -> Graph:
    sections = [_section(name) for name in names]
    return graph_of(sections, places_of(names))


PIPELINE = (
    "/camera publish /image",
    "/detect /image Detect::on_image(int)",
    "/detect publish /objects",
    "/plan /objects Plan::on_objects(int)",
)


def test_each_is_below_what_it_is_reached_from() -> None:
    assert arranged(_graph(*PIPELINE)) == [
        [(NODE, "/camera")],
        [(TOPIC, "/image")],
        [(NODE, "/detect")],
        [(TOPIC, "/objects")],
        [(NODE, "/plan")],
    ]


def test_what_only_begins_stands_right_above_its_topic() -> None:
    rows = arranged(_graph(*PIPELINE, "/lidar publish /objects"))
    assert sorted(rows[2]) == [(NODE, "/detect"), (NODE, "/lidar")]


def test_a_cycle_has_one_way_back_and_everything_once() -> None:
    graph = _graph(*PIPELINE, "/plan publish /image")
    rows = arranged(graph)
    assert sorted(item for row in rows for item in row) == sorted(graph.details)
    at = {item: number for number, row in enumerate(rows) for item in row}
    assert sum(at[end] <= at[begin] for begin, end in graph.edges) == 1


def test_rows_have_room_on_a_phone() -> None:
    names = [f"/node{i} publish /out{i}" for i in range(2 * BESIDE + 1)]
    rows = arranged(_graph(*names))
    assert max(map(len, rows)) == BESIDE
    assert sum(map(len, rows)) == 2 * len(names)


def test_a_topic_has_its_rate_and_its_way_and_a_node_its_time() -> None:
    sections = [
        _section("/camera publish /image"),
        _section("/detect /image publish→take", median_ns=2000.0),
        _section("/detect /image Detect::on_image(int)", total_ns=5000),
    ]
    details = graph_of(sections, places_of(section.section for section in sections)).details
    assert details == {
        (NODE, "/camera"): "",
        (TOPIC, "/image"): "10.0 Hz, 2.00 µs",
        (NODE, "/detect"): "busy 5.00 µs",
    }


def test_what_every_node_has_and_unknown_publishers_are_left_out() -> None:
    names = ["/camera publish /rosout", "? publish /image", "/camera timer 100 ms tick"]
    sections = [_section(name) for name in names]
    assert topic_graph(sections, places_of(names)) is None


def test_of_a_large_system_a_part_is_drawn_and_the_caption_says_so() -> None:
    names = [f"/node{i} publish /out" for i in range(2 * MOST)]
    figure = topic_graph([_section(name) for name in names], places_of(names))
    assert figure is not None
    assert f"{MOST} of {2 * MOST + 1} nodes and topics" in figure.caption
