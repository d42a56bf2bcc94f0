# SPDX-License-Identifier: Apache-2.0
"""Chains of known parts are found with their times, their misses and why they missed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.chains.hops import Hops, hops_of
from wirecost.results.analysis.chains.latency import Latency, Reasons, busy_threads, latency_of
from wirecost.results.analysis.chains.walk import Found, chains_between, chains_of_loops
from wirecost.results.records.probe_log import EVENTS
from wirecost.results.report.chains import perfetto
from wirecost.results.report.chains.tables import chain_tables, document

MS = 1_000_000
Event = dict[str, Any]


class Node:
    """One process with one thread; times in milliseconds."""

    def __init__(self, name: str, process: int) -> None:
        self.name = name
        self.process = process
        self.events: list[Event] = []

    def span(self, section: str, begin: float, end: float, message: int | None) -> None:
        self._add("span", section, begin, end, message=message)

    def section(self, section: str, begin: float, end: float, **counters: int) -> None:
        self._add("section", section, begin, end, **counters)

    def publish(self, topic: str, begin: float, end: float, message: int) -> None:
        self.span(f"{self.name} publish {topic}", begin, end, message)

    def take(self, topic: str, at: float, begin: float, end: float, message: int, **c: int) -> None:
        """Received, and processed from ``begin`` to ``end``."""
        self.section(f"{self.name} {topic} deserialize", begin - 0.01, begin)
        self.span(f"{self.name} {topic} queue wait", at, begin, message)
        self.section(f"{self.name} {topic} pkg/Type callback()", begin, end, **c)

    def _add(self, kind: str, section: str, begin: float, end: float, **rest: Any) -> None:
        message = rest.pop("message", None)
        self.events.append(
            {
                "process": self.process,
                "thread": self.process,
                "kind": kind,
                "section": section,
                "parent": None,
                "depth": 0,
                "part": 0,
                "loop": 0,
                "value": 0,
                "begin_ns": round(begin * MS),
                "end_ns": round(end * MS),
                "wall_ns": round(begin * MS) + 10**18,
                "scaled": False,
                "message": message,
            }
            | {f"counter:{name.replace('_', '-')}": value for name, value in rest.items()}
        )


def table(*nodes: Node) -> pl.DataFrame:
    events = [event for node in nodes for event in node.events]
    counters = dict.fromkeys(k for event in events for k in event if k.startswith("counter:"))
    schema = pl.Schema({**EVENTS, **dict.fromkeys(counters, pl.UInt64())})
    return pl.DataFrame(events, schema)


def relay(cycles: int = 20, slow: Any = ()) -> tuple[Node, Node, Node]:
    """Return sensor, filter and planner: 1 ms transport, 1 ms queue, 5 ms callback, twice."""
    sensor, filtering, planner = Node("/sensor", 1), Node("/filter", 2), Node("/planner", 3)
    for i in range(cycles):
        t = 100.0 * i
        late = 40 if i in slow else 0
        sensor.publish("/points", t, t + 0.5, 1000 + i)
        filtering.take("/points", t + 1, t + 2, t + 7.5, 1000 + i)
        filtering.publish("/filtered", t + 7, t + 7.2, 2000 + i)
        planner.take(
            "/filtered", t + 8, t + 9, t + 14.5 + late, 2000 + i,
            run_queue_wait_ns=late * MS * 3 // 4, minor_faults=3,
        )  # fmt: skip
        planner.publish("/plan", t + 14 + late, t + 14.25 + late, 3000 + i)
    return sensor, filtering, planner


def followed(events: pl.DataFrame) -> tuple[Hops, Found]:
    hops = hops_of(events)
    return hops, chains_between(hops, "/points", "/plan")


def latency(events: pl.DataFrame, deadline_ms: float | None = None) -> Latency:
    hops, chains = followed(events)
    deadline = None if deadline_ms is None else deadline_ms * MS
    return latency_of(chains, hops, events, deadline, {"minor-fault": 1000.0})


def test_a_chain_over_three_nodes_is_the_sum_of_its_parts(snapshot: SnapshotAssertion) -> None:
    _, chains = followed(table(*relay()))
    assert (len(chains.chains), chains.inputs, chains.without_output) == (20, 20, 0)
    chain = chains.chains[3]
    parts = [f"{part.ns / MS} ms {part.kind}: {part.name}" for part in chain.parts]
    assert parts == snapshot
    assert chain.ns == sum(part.ns for part in chain.parts) == 14.25 * MS


def test_an_input_whose_publisher_was_not_recorded_begins_when_it_was_received() -> None:
    _, filtering, planner = relay()
    _, chains = followed(table(filtering, planner))
    assert chains.chains[0].source is None
    assert chains.chains[0].ns == 13.25 * MS
    assert (chains.inputs, chains.without_output) == (20, 0)


def test_a_publisher_without_identities_begins_no_chain() -> None:
    """Messages of rospy's publishers are recognised when they are received."""
    sensor, filtering, planner = relay()
    for event in sensor.events:
        event["message"] = None
    _, chains = followed(table(sensor, filtering, planner))
    assert chains.chains[0].source is None
    assert (len(chains.chains), chains.inputs, chains.without_output) == (20, 20, 0)


def test_inputs_without_an_output_are_counted() -> None:
    sensor, filtering, planner = relay()
    sensor.publish("/points", 5000, 5001, 77)
    filtering.take("/points", 5001, 5002, 5003, 77)
    _, chains = followed(table(sensor, filtering, planner))
    assert (len(chains.chains), chains.inputs, chains.without_output) == (20, 21, 1)


def test_an_output_of_a_timer_is_not_linked() -> None:
    sensor, filtering, planner = relay()
    planner.publish("/plan", 5000, 5001, 99)
    _, chains = followed(table(sensor, filtering, planner))
    assert (len(chains.chains), chains.unlinked) == (20, 1)


def test_equal_messages_belong_to_the_last_one_before() -> None:
    """A message that is sent again and again has one identity."""
    nodes = relay()
    for node in nodes:
        for event in node.events:
            if event["message"] is not None:
                event["message"] = event["message"] // 1000
    _, chains = followed(table(*nodes))
    assert {chain.ns for chain in chains.chains} == {14.25 * MS}
    assert len({chain.source for chain in chains.chains}) == 20


def test_a_circle_of_nodes_ends() -> None:
    node = Node("/echo", 1)
    for i in range(200):
        node.take("/a", i, i + 0.1, i + 0.9, 5 + i)
        node.publish("/a", i + 0.5, i + 0.6, 6 + i)
    hops = hops_of(table(node))
    assert chains_between(hops, "/b", "/a").chains == []


def test_misses_are_listed_with_the_part_and_what_it_waited_for(
    snapshot: SnapshotAssertion,
) -> None:
    answer = latency(table(*relay(slow={7, 13})), deadline_ms=20)
    assert (answer.count, answer.maximum_ns) == (20, 54.25 * MS)
    assert answer.percentiles_ns[50.0] == pytest.approx(14.25 * MS)
    assert len(answer.misses) == 2
    miss = answer.misses[0]
    assert miss.excess_ns == 40 * MS
    assert miss.reason_ns == 30 * MS
    assert f"{miss.part.name}: {miss.reason}" == snapshot
    of_callback = next(part for part in answer.parts if part.name == miss.part.name)
    assert (of_callback.median_ns, of_callback.missed_ns) == (5 * MS, 45 * MS)
    assert [count for _, count in answer.paths] == [20]


def test_a_wait_in_the_queue_is_explained_by_what_the_thread_ran(
    snapshot: SnapshotAssertion,
) -> None:
    sensor, filtering, planner = relay(5)
    planner.section("/planner timer 100 ms replan()", 2 * 100 + 8.5, 2 * 100 + 38.5)
    for event in planner.events:
        if event["begin_ns"] >= 2 * 100 * MS and event["begin_ns"] < 300 * MS:
            if "queue wait" in event["section"]:
                event["end_ns"] += 30 * MS
            elif "timer" not in event["section"]:
                event["begin_ns"] += 30 * MS
                event["end_ns"] += 30 * MS
    answer = latency(table(sensor, filtering, planner), deadline_ms=20)
    (miss,) = answer.misses
    assert miss.part.kind == "queue wait"
    assert miss.reason == snapshot
    assert miss.reason_ns == pytest.approx(30 * MS, rel=0.02)


def test_a_topic_of_two_nodes_has_parts_of_each(snapshot: SnapshotAssertion) -> None:
    """The input arrives after 1 ms at one node and after 21 ms at the other; both publish."""
    sensor, near, far = Node("/sensor", 1), Node("/near", 2), Node("/far", 3)
    for i in range(10):
        t = 100.0 * i
        sensor.publish("/points", t, t + 0.5, 1000 + i)
        for node, at, message in ((near, t + 1, 2000 + i), (far, t + 21, 3000 + i)):
            node.take("/points", at, at + 1, at + 5, 1000 + i)
            node.publish("/plan", at + 4, at + 4.5, message)
    answer = latency(table(sensor, near, far))
    times = {
        (part.name, part.node): (part.count, part.median_ns / MS)
        for part in answer.parts
        if part.kind in ("transport", "publish")
    }
    assert times == {
        ("transport of /points", "/near"): (10, 1),
        ("transport of /points", "/far"): (10, 21),
        ("publish /plan", "/near"): (10, 0.5),
        ("publish /plan", "/far"): (10, 0.5),
    }
    named = [row[0] for row in chain_tables(answer, "/points", "/plan")[1].rows]
    assert named == snapshot
    assert len(set(named)) == len(named)


@settings(max_examples=200, deadline=None)
@given(
    sections=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 30), st.integers(0, 30))),
    begin=st.integers(0, 30),
    end=st.integers(0, 30),
)
def test_what_a_thread_ran_is_what_overlaps(
    sections: list[tuple[str, int, int]], begin: int, end: int
) -> None:
    node = Node("/n", 1)
    for name, start, stop in sections:
        node.section(name, start, stop)
    expected: dict[str, int] = {}
    for name, start, stop in sections:
        if start < end and stop > begin:
            expected[name] = expected.get(name, 0) + (min(stop, end) - max(start, begin)) * MS
    threads = busy_threads(table(node))
    ran = threads[1, 1].during(begin * MS, end * MS) if threads else {}
    assert ran == expected


def test_no_part_filters_all_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """There may be a hundred thousand misses."""
    events = table(*relay())
    hops, chains = followed(events)
    reasons = Reasons(hops, events, {})
    monkeypatch.delattr(pl.DataFrame, "filter")
    for part in (part for chain in chains.chains for part in chain.parts):
        reasons.of(part)


def test_a_slow_transport_has_no_reason_of_its_own() -> None:
    nodes = relay(5)
    for event in nodes[2].events:
        if event["begin_ns"] >= 400 * MS:
            event["begin_ns"] += 30 * MS
            event["end_ns"] += 30 * MS
    answer = latency(table(*nodes), deadline_ms=20)
    (miss,) = answer.misses
    assert (miss.part.name, miss.reason) == ("transport of /filtered", None)


def test_nothing_recorded_is_no_chain() -> None:
    answer = latency(pl.DataFrame(schema=EVENTS), deadline_ms=1)
    assert (answer.count, answer.misses, answer.maximum_ns, answer.parts) == (0, [], None, [])


def _ros2() -> Iterator[Node]:
    talker, listener = Node("/talker", 1), Node("/listener", 2)
    talker.publish("/points", 0, 0.1, 42)
    listener.span("/listener /points publish→take", 0, 1, 42)
    listener.span("/listener /points take→callback", 1, 1.5, 42)
    listener.section("/listener /points callback()", 1.5, 4)
    listener.publish("/plan", 3, 3.5, 43)
    yield from (talker, listener)


def test_the_names_of_ros_2_are_understood() -> None:
    _, chains = followed(table(*_ros2()))
    (chain,) = chains.chains
    assert [part.ns / MS for part in chain.parts] == [1, 0.5, 1.5, 0.5]


def test_sections_of_one_loop_belong_together(snapshot: SnapshotAssertion) -> None:
    camera, control = Node("camera", 1), Node("control", 2)
    for i in range(20):
        t, late = 100 * i, 30 if i == 4 else 0
        camera.section("grab", t, t + 3)
        control.section("act", t + 5 + late, t + 9 + late)
        if late:
            control.section("log", t + 4, t + 34)
    for node in (camera, control):
        for event in node.events:
            event["loop"] = event["begin_ns"] // (100 * MS)
    events = table(camera, control)
    hops, chains = chains_of_loops(events, "grab", "act")
    assert (chains.inputs, chains.without_output, chains.unlinked) == (20, 0, 0)
    assert [(part.kind, part.ns / MS) for part in chains.chains[0].parts] == [
        ("section", 3),
        ("between", 2),
        ("section", 4),
    ]
    (miss,) = latency_of(chains, hops, events, 20 * MS, {}).misses
    assert f"{miss.part.name}: {miss.reason}" == snapshot


def test_a_section_inside_the_other_overlaps_with_nothing() -> None:
    node = Node("n", 1)
    for i in range(3):
        node.section("outer", 10 * i, 10 * i + 9)
        node.section("inner", 10 * i + 2, 10 * i + 5)
    for event in node.events:
        event["loop"] = event["begin_ns"] // (10 * MS)
    node.section("inner", 95, 96)
    node.events[-1]["loop"] = 99
    _, chains = chains_of_loops(table(node), "outer", "inner")
    assert [[part.ns / MS for part in chain.parts] for chain in chains.chains] == [[2, 0, 3]] * 3
    assert chains.unlinked == 1


SECTIONS = ("/n publish /a", "/n publish /plan", "/n /a queue wait", "/n /a x", "publish ", "/a")
INSTANTS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 20))


def test_a_time_of_more_than_64_bits_is_a_long_one() -> None:
    node = Node("/n", 1)
    node.section("/n /a x", 0, 0)
    node.section("/a", 0, 0)
    for event, begin, end in zip(node.events, (-(2**63), 0), (0, 2**63 - 1), strict=True):
        event |= {"begin_ns": begin, "end_ns": end}
    events = table(node)
    hops, chains = chains_of_loops(events, "/n /a x", "/a")
    assert latency_of(chains, hops, events, 5.0, {}).maximum_ns == 2**63 - 1


@settings(max_examples=200, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(SECTIONS), st.sampled_from(["span", "section", "mark"]),
            INSTANTS, INSTANTS, st.one_of(st.none(), st.integers(1, 3)), st.integers(0, 2**64 - 1),
        ),
        max_size=12,
    )
)  # fmt: skip
def test_whatever_logs_hold_is_followed_or_left(rows: list[tuple[Any, ...]]) -> None:
    node = Node("/n", 1)
    for section, kind, begin, end, message, faults in rows:
        node.span(section, 0, 0, message)
        node.events[-1] |= {
            "kind": kind, "begin_ns": begin, "end_ns": end, "counter:minor-faults": faults
        }  # fmt: skip
    events = table(node)
    for first, last in (("/a", "/plan"), ("/a", "/a"), ("/a", "/n /a x")):
        found_of: list[tuple[Hops, Found]] = [chains_of_loops(events, first, last)]
        hops = hops_of(events)
        found_of.append((hops, chains_between(hops, first, last)))
        for hops, chains in found_of:
            latency = latency_of(chains, hops, events, 5.0, {"minor-fault": 10.0})
            assert all(
                cell
                for chain_table in chain_tables(latency, first, last)
                for cell in chain_table.headings
            )
            json.dumps(document(latency, first, last))
            json.dumps(perfetto.trace(chains.chains, first, last))
