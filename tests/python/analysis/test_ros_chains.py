# SPDX-License-Identifier: Apache-2.0
"""All chains of systems whose chains are known, and of real traces whose nodes are described."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from syrupy.assertion import SnapshotAssertion

from support.traced_systems import Handle, Message, TracedSystem
from wirecost.results.analysis.chains.hops import hops_of
from wirecost.results.analysis.chains.listed import Join, Listed, ListedChain, listed
from wirecost.results.analysis.chains.walk import MOST_PATHS, chains_between
from wirecost.results.analysis.ros_names import place_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.report.chains.tables import list_table

MS = 1_000_000
CYCLES = 20
ROOT = Path(__file__).parents[3]
DATA = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "ros2"
DESCRIBED = sorted([*DATA.glob("*.architecture.yaml"), *DATA.glob("*/architecture.yaml")])


def events_in(folder: Path) -> pl.DataFrame:
    return pl.concat(event_tables(read_recorded([folder])), how="diagonal")


def chains_in(folder: Path) -> Listed:
    return listed(hops_of(events_in(folder)))


def by_name(found: Listed) -> dict[str, ListedChain]:
    return {chain.name: chain for chain in found.chains}


def relayed(system: TracedSystem, tmp_path: Path, period: float = 100) -> Listed:
    """Return the chains of a sensor every 50 ms, and a node that publishes by a timer.

    The node keeps its messages; an actuator takes the first that it publishes. The timer begins
    60 ms behind the cycle, 57 ms after the last message."""
    sensor, planner, actuator = map(system.node, ("sensor", "planner", "actuator"))
    tick = system.timer(sensor, 50)
    points = system.publisher(sensor, "/points")
    keep = system.subscription(planner, "/points")
    plan, timer = system.publisher(planner, "/plan"), system.timer(planner, period)
    act = system.subscription(actuator, "/plan")
    for i in range(CYCLES):
        t = 10 + 100 * i
        for at in (t, t + 50):
            message = system.message(at + 1)
            system.run(tick, at, at + 2, gave=[(points, message)])
            system.run(keep, at + 3, at + 5, took=message)
        planned = system.message(t + 61)
        system.run(timer, t + 60, t + 65, gave=[(plan, planned)])
        system.run(act, t + 63, t + 70, took=planned)
    system.write(tmp_path)
    return chains_in(tmp_path)


@pytest.mark.parametrize("has_identity", [True, False])
def test_a_chain_goes_through_a_timer(
    has_identity: bool, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (chain,) = relayed(TracedSystem(has_identity=has_identity), tmp_path).chains
    assert chain.name == snapshot
    # From the second message of a cycle, published 51 ms behind its begin, to 70 ms.
    assert (chain.count, chain.median_ns, chain.maximum_ns) == (CYCLES, 19 * MS, 19 * MS)
    join = Join("/planner", "timer 100 ms", "last input")
    by_time = [] if has_identity else [Join("/planner", "/points", "source time stamp")]
    after = [] if has_identity else [Join("/actuator", "/plan", "source time stamp")]
    assert chain.joins == [*by_time, join, *after]


def test_its_parts_say_how_long_the_message_was_kept(tmp_path: Path) -> None:
    relayed(TracedSystem(), tmp_path)
    chains = chains_between(hops_of(events_in(tmp_path)), "/points", "/actuator")
    assert (len(chains.chains), chains.inputs, chains.without_output) == (
        CYCLES,
        2 * CYCLES,
        CYCLES,
    )
    assert [(part.kind, part.ns / MS, part.rule) for part in chains.chains[3].parts] == [
        ("transport", 1.5, None),
        ("queue wait", 0.5, None),
        ("callback", 2, None),
        ("kept", 5, "last input"),
        ("callback", 1, None),
        ("transport", 1.5, None),
        ("queue wait", 0.5, None),
        ("callback", 7, None),
    ]


def fan_in(system: TracedSystem, names: tuple[str, ...] = ("/left", "/right")) -> list[Handle]:
    """Return sources of two topics, a node that takes both, and its publisher of /both."""
    sources = [system.node(name.strip("/")) for name in names]
    node = system.node("fusion")
    publishers = [
        system.publisher(source, name) for source, name in zip(sources, names, strict=True)
    ]
    subscriptions = [system.subscription(node, name, f"Fusion::take{name}()") for name in names]
    return [*publishers, *subscriptions, system.publisher(node, "/both")]


def test_what_a_message_filter_kept_belongs_to_what_it_publishes(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """Now the left one comes last, now the right one."""
    system = TracedSystem()
    left_points, right, take_left, take_right, both = fan_in(system)
    for i in range(CYCLES):
        t = 10 + 100 * i
        early, late = (left_points, right) if i % 2 else (right, left_points)
        of = {left_points.number: take_left, right.number: take_right}
        first, second = system.message(t), system.message(t + 10)
        system.publish(early, first)
        system.publish(late, second)
        system.run(of[early.number], t + 1, t + 2, took=first)
        system.run(
            of[late.number], t + 11, t + 14, took=second, gave=[(both, system.message(t + 13))]
        )
    system.write(tmp_path)
    chains = by_name(chains_in(tmp_path))
    assert sorted(chains) == snapshot
    joined = chains["/left ⇢ /right → /both"]
    assert joined.joins == [Join("/fusion", "/right", "message filter")]
    assert (joined.count, joined.median_ns) == (CYCLES // 2, 13.1 * MS)
    assert (chains["/right → /both"].count, chains["/right → /both"].median_ns) == (10, 3.1 * MS)


def test_relays_of_one_node_are_chains_apart(tmp_path: Path) -> None:
    system = TracedSystem()
    left_points, right, take_left, take_right, both = fan_in(system)
    node = Handle(take_left.process, take_left.process)
    other = system.publisher(node, "/other")
    for i in range(CYCLES):
        for at, source, take, out in (
            (10 + 100 * i, left_points, take_left, both),
            (40 + 100 * i, right, take_right, other),
        ):
            message = system.message(at)
            system.publish(source, message)
            # The first of each is dropped.
            gave = [(out, system.message(at + 3))] if i else []
            system.run(take, at + 1, at + 5, took=message, gave=gave)
    system.write(tmp_path)
    assert set(by_name(chains_in(tmp_path))) == {"/left → /both", "/right → /other"}


@pytest.mark.parametrize("kind", ["periodic_async", "partial_sync"])
def test_what_a_program_says_of_itself_comes_before_rules(
    kind: str, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    """A node keeps two inputs, and says that its output depends on one of them."""
    system = TracedSystem()
    left_points, right, take_left, take_right, both = fan_in(system)
    timer = system.timer(Handle(take_left.process, take_left.process), 100)
    system.link(kind, [take_left], [both])
    for i in range(CYCLES):
        t = 10 + 100 * i
        for at, source, take in ((t, left_points, take_left), (t + 10, right, take_right)):
            message = system.message(at)
            system.publish(source, message)
            system.run(take, at + 1, at + 2, took=message)
        system.run(timer, t + 20, t + 30, gave=[(both, system.message(t + 25))])
    system.write(tmp_path)
    chains = by_name(chains_in(tmp_path))
    assert sorted(chains) == snapshot
    joins = chains["/left ⇢ timer 100 ms → /both"].joins
    assert joins == [Join("/fusion", "timer 100 ms", f"message_link_{kind}")]


def test_a_thread_that_publishes_is_joined_by_the_header_stamp(tmp_path: Path) -> None:
    """It takes 30 ms, so that the next message was taken meanwhile."""
    system = TracedSystem(is_caret=True)
    sensor, detector = system.node("sensor"), system.node("detector")
    images, keep = system.publisher(sensor, "/images"), system.subscription(detector, "/images")
    boxes = system.publisher(detector, "/boxes")
    for i in range(CYCLES):
        t = 10 + 20 * i
        image = system.message(t, header=10**18 + i)
        system.publish(images, image)
        system.run(keep, t + 1, t + 2, took=image)
        system.publish(boxes, Message(7, t + 33, header=10**18 + i), thread=5)
    system.write(tmp_path)
    (chain,) = chains_in(tmp_path).chains
    assert (chain.name, chain.count, chain.median_ns) == ("/images → /boxes", CYCLES, 33.1 * MS)
    assert chain.joins == [Join("/detector", "/boxes", "header stamp")]


def test_messages_of_one_stamp_are_joined_in_the_order_of_time(tmp_path: Path) -> None:
    """A simulation that stands still gives messages one stamp."""
    system = TracedSystem(is_caret=True)
    sensor, detector = system.node("sensor"), system.node("detector")
    images, keep = system.publisher(sensor, "/images"), system.subscription(detector, "/images")
    boxes, timer = system.publisher(detector, "/boxes"), system.timer(detector, 20)
    for i in range(CYCLES):
        t = 10 + 20 * i
        image = system.message(t, header=10**18)
        system.publish(images, image)
        system.run(keep, t + 1, t + 2, took=image)
        system.run(timer, t + 4, t + 6, gave=[(boxes, Message(7, t + 5, header=10**18))])
    system.write(tmp_path)
    (chain,) = chains_in(tmp_path).chains
    assert (chain.count, chain.median_ns) == (CYCLES, 5.1 * MS)
    assert chain.joins == [Join("/detector", "timer 20 ms", "header stamp")]


CIRCLE = "/a → /b → /a"


def test_a_circle_is_gone_once(tmp_path: Path) -> None:
    system = TracedSystem()
    nodes = [system.node("ping"), system.node("pong")]
    publishers = [system.publisher(nodes[0], "/a"), system.publisher(nodes[1], "/b")]
    subscriptions = [system.subscription(nodes[0], "/b"), system.subscription(nodes[1], "/a")]
    message = system.message(10)
    system.publish(publishers[0], message)
    for i in range(CYCLES):
        at, side = 11 + 10 * i, (i + 1) % 2
        answer = system.message(at + 9)
        system.run(
            subscriptions[side], at, at + 9.3, took=message, gave=[(publishers[side], answer)]
        )
        message = answer
    system.write(tmp_path)
    chains = by_name(chains_in(tmp_path))
    assert [(name, chain.median_ns) for name, chain in chains.items()] == [(CIRCLE, 21 * MS)]


def test_paths_that_are_too_many_are_counted(tmp_path: Path) -> None:
    """Each node publishes two topics of two that it took, which doubles the paths."""
    system = TracedSystem()
    sensor = system.node("sensor")
    messages = []
    for side in "ab":
        messages.append(system.message(10))
        system.publish(system.publisher(sensor, f"/{side}0"), messages[-1])
    for layer in range(7):
        at = 12 + 10 * layer
        node = system.node(f"node{layer}")
        keep, work = (system.subscription(node, f"/{side}{layer}", f"{side}()") for side in "ab")
        publishers = [system.publisher(node, f"/{side}{layer + 1}") for side in "ab"]
        after = [system.message(at + 3), system.message(at + 4)]
        system.run(keep, at, at + 1, took=messages[0])
        gave = list(zip(publishers, after, strict=True))
        system.run(work, at + 2, at + 5, took=messages[1], gave=gave)
        messages = after
    system.write(tmp_path)
    chains = chains_in(tmp_path)
    assert chains.left_out > 0
    assert len(chains.chains) <= 2 * MOST_PATHS
    notes = list_table(chains, None).notes
    assert any("not followed" in note for note in notes)


def described_paths(description: dict[str, Any]) -> Iterator[list[str]]:
    """Topics, and the node that takes the last, of each path that the file has a name for."""
    for named in description.get("named_paths", ()):
        nodes = named["node_chain"]
        topics = [node["publish_topic_name"] for node in nodes[:-1]]
        yield [*topics, nodes[-1]["node_name"]]
    for named in description.get("path_name_aliases", description.get("path_name_alias", ())):
        callbacks = [name.rpartition("/") for name in named["callbacks"]]
        kinds = {
            (node["node_name"], callback["callback_name"]): callback.get("topic_name")
            for node in description["nodes"]
            for callback in node["callbacks"]
        }
        topics = [kinds.get((node, name)) for node, _, name in callbacks]
        yield [*filter(None, topics), callbacks[-1][0]]


def described_edges(description: dict[str, Any]) -> set[tuple[str, str]]:
    """Topics, each with a node that takes what another of the description publishes."""
    nodes = description["nodes"]
    publishers = {
        publisher["topic_name"]
        for node in nodes
        for publisher in node.get("publishes", node.get("publish", ()))
    }
    return {
        (callback["topic_name"], node["node_name"])
        for node in nodes
        for callback in node["callbacks"]
        if callback.get("topic_name") in publishers
    }


def taken_in(chain: ListedChain, found: pl.DataFrame) -> set[tuple[str, str]]:
    return {
        (topic, node)
        for topic, node in found.select("topic", "node").unique().iter_rows()
        if topic in {what for _, what in chain.path}
    }


@pytest.mark.skipif(not DESCRIBED, reason=f"no traces at {DATA}; set WIRECOST_DATA")
@pytest.mark.parametrize("file", DESCRIBED, ids=lambda one: f"{one.parent.name}/{one.name}")
def test_chains_of_a_real_trace_are_those_of_its_architecture(file: Path) -> None:
    description = yaml.safe_load(file.read_text())
    folder = (
        file.parent if file.name == "architecture.yaml" else file.parent / file.name.split(".")[0]
    )
    hops = hops_of(events_in(folder))
    chains = listed(hops)
    names = {
        (place.node, place.what, place.kind)
        for place in map(place_of, hops.callbacks["section"])
        if place
    }
    for node in description["nodes"]:
        for callback in node["callbacks"]:
            if callback["type"] == "timer_callback":
                expected = (node["node_name"], f"{callback['period_ns'] / 1e6:g} ms", "timer")
            else:
                expected = (node["node_name"], callback["topic_name"], "subscription")
            assert expected in names
    edges = described_edges(description)
    assert edges
    assert (
        edges == set().union(*(taken_in(chain, hops.callbacks) for chain in chains.chains)) & edges
    )
    listed_paths = [[what for _, what in chain.path] for chain in chains.chains]
    for path in described_paths(description):
        assert any(set(path) <= set(listed_path) for listed_path in listed_paths)


@pytest.mark.skipif(not DESCRIBED, reason=f"no traces at {DATA}; set WIRECOST_DATA")
def test_the_chain_of_the_sample_goes_through_fan_in_and_timer(snapshot: SnapshotAssertion) -> None:
    chains = by_name(chains_in(DATA / "end_to_end_sample"))
    assert {name: chain.count for name, chain in chains.items()} == snapshot
