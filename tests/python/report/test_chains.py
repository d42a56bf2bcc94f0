# SPDX-License-Identifier: Apache-2.0
"""Chains in a terminal, and as Perfetto reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.traced_systems import TracedSystem
from wirecost.cli.probe_chain import command
from wirecost.results.analysis.chains.walk import Chain, ChainPart
from wirecost.results.report.chains import perfetto
from wirecost.results.report.chains.figures import chain_graph
from wirecost.results.report.shared.graph import NODE, TOPIC
from wirecost.system.errors import UserError


def chain(begin: int) -> Chain:
    parts = [
        ChainPart("transport", "transport of /a", "/n", begin, begin + 1000),
        ChainPart("callback", "/n /a callback()", "/n", begin + 1000, begin + 5000, 0),
        ChainPart("publish", "publish /b", "/m", begin + 5000, begin + 5500, 0),
    ]
    return Chain(0, parts)


def test_chains_that_overlap_have_tracks_apart() -> None:
    events = perfetto.trace([chain(0), chain(2000), chain(6000)], "/a", "/b")["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert [(event["args"]["chain"], event["tid"]) for event in slices] == [
        (0, 1), (0, 1), (0, 2), (1, 3), (1, 3), (1, 4), (2, 1), (2, 1), (2, 2),
    ]  # fmt: skip
    names = {event["tid"]: event["args"]["name"] for event in events if event["ph"] == "M"}
    assert (names[1], names[4]) == ("/n", "/m (2)")
    arrows = [event["ph"] for event in events if event.get("cat") == "flow"]
    assert arrows == ["s", "t", "f"] * 3
    assert (slices[1]["ts"], slices[1]["dur"]) == (1.0, 4.0)


def test_misses_of_long_names_fit_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    system = TracedSystem()
    sensor, node = system.node("sensor"), system.node("filter_of_ground_points", "/perception")
    points, ground = system.publisher(sensor, "/points"), system.publisher(node, "/ground")
    subscription = system.subscription(node, "/points")
    for cycle in range(20):
        at = 10 + 100.0 * cycle
        message = system.message(at)
        system.publish(points, message)
        end = at + (60 if cycle == 10 else 20)
        system.run(
            subscription, at + 1, end, took=message, gave=[(ground, system.message(end - 1))]
        )
    system.write(tmp_path)
    command([tmp_path], "/points", "/ground", 0.05, show_all=True)
    lines = capsys.readouterr().out.splitlines()
    misses = lines[lines.index("Misses, the longest first") :]
    assert max(map(len, lines)) <= 80
    assert misses[1].split() == ["in", "at", "took", "excess", "because"]
    assert "/perception/filter_of_ground_points · /points" in " ".join(misses)
    assert "+40.0 ms" in " ".join(misses)


def path(number: int, node: str, waits: int, callback: int) -> Chain:
    """Return a chain from /a over a node to /b, with the times of its parts."""
    times = (waits, 100, callback, 50)
    kinds = ("transport", "queue wait", "callback", "publish")
    names = ("transport of /a", f"{node} /a queue wait", f"{node} /a callback()", "publish /b")
    parts, at = [], 10_000 * number
    for kind, name, ns in zip(kinds, names, times, strict=True):
        parts.append(ChainPart(kind, name, node, at, at + ns))
        at += ns
    return Chain(number, parts)


def test_edges_are_as_wide_as_their_share_of_the_latency_and_the_longest_path_is_marked() -> None:
    chains = [path(i, "/quick", 300, 550) for i in range(3)] + [path(4, "/slow", 900, 950)]
    graph = chain_graph(chains)
    a, b, quick, slow = (TOPIC, "/a"), (TOPIC, "/b"), (NODE, "/quick"), (NODE, "/slow")
    assert {edge: weight.widths["latency"] for edge, weight in graph.weights.items()} == {
        (a, quick): 1200 / 1800, (quick, b): 1.0, (a, slow): 1000 / 1800, (slow, b): 1000 / 1800,
    }  # fmt: skip
    assert graph.marked == {(a, slow), (slow, b)}
    assert graph.weights[quick, b].text == "36.0 % of the time, 600 ns in the median"
    assert graph.details[slow] == "1.00 µs in the median"


def test_a_page_and_a_picture_of_a_chain_through_a_timer(tmp_path: Path) -> None:
    system = TracedSystem()
    sensor, planner = system.node("sensor"), system.node("planner")
    points, plans = system.publisher(sensor, "/points"), system.publisher(planner, "/plan")
    keep, timer = system.subscription(planner, "/points"), system.timer(planner, 100)
    for cycle in range(5):
        at = 10 + 100.0 * cycle
        message = system.message(at)
        system.publish(points, message)
        system.run(keep, at + 1, at + 3, took=message)
        system.run(timer, at + 40, at + 50, gave=[(plans, system.message(at + 45))])
    system.write(tmp_path / "trace")
    page, picture = tmp_path / "chain.html", tmp_path / "chain.svg"
    command([tmp_path / "trace"], "/points", "/plan", report=page)
    command([tmp_path / "trace"], report=picture)
    command([tmp_path / "trace"], report=tmp_path / "all.html")
    assert "Parts of a chain, in order" in (tmp_path / "all.html").read_text()
    assert "/points → /plan" in page.read_text()
    shown = picture.read_text()
    assert all(f">{name}<" in shown for name in ("/points", "/planner", "/plan"))
    with pytest.raises(UserError, match="name a file that ends in"):
        command([tmp_path / "trace"], report=tmp_path / "chain.txt")
