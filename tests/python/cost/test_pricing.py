# SPDX-License-Identifier: Apache-2.0
"""Costs have the parts of the path, each end as the process that it is, and remedies that apply."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from cost.drives import drive
from wirecost.data.recordings.survey import RecordingSurvey, survey
from wirecost.measure.cost.changes import CHANGES, GENERATED, HALF, PACKED, SEGMENT, SHARED
from wirecost.measure.cost.nodes import read_nodes
from wirecost.measure.cost.path_calibration import paths_of
from wirecost.measure.cost.path_fit import PathObservation, fitted_path
from wirecost.measure.cost.paths import PLAIN, PathPrice, PathTable, terms
from wirecost.measure.cost.prices import PriceList, keep, known_prices, shipped_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.proving import APPLIED, path_for, pricing_of_bytes, repriced
from wirecost.measure.cost.system_cost import system_cost
from wirecost.measure.standins import programs
from wirecost.results.records.cost import SystemCost
from wirecost.results.report.cost.answer import doubts, share_range
from wirecost.system.errors import UserError

SHIPPED = shipped_prices()


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("drive") / "drive.mcap"
    drive(path)
    return path.with_suffix("")


def read(path: Path) -> RecordingSurvey:
    return survey([path], (), lambda _done, _total, _text: None)


def cost_of(path: Path, lang: str = "python", over: str = "") -> SystemCost:
    return system_cost([str(path)], read(path), Pricing(SHIPPED, lang, over), {})


def test_a_ros_2_recording_pays_for_the_whole_path(recording: Path) -> None:
    for lang, client in (("python", "rclpy"), ("cpp", "rclcpp")):
        cost = cost_of(recording, lang)
        assert cost.includes == f"publishing, sending and taking over Fast DDS in {client}"
        for topic in cost.topics:
            assert topic.publish_share is not None and topic.encode_share is not None
            assert topic.publish_share > topic.encode_share
            assert topic.take_share is not None and topic.decode_share is not None
            assert topic.take_share > topic.decode_share
    assert {topic.library for topic in cost_of(recording).topics} == {"rclpy"}


def test_remedies_are_offered_where_they_apply(recording: Path) -> None:
    python = {one.kind for one in cost_of(recording).remedies}
    assert {PACKED, HALF} <= python
    assert not {SHARED, SEGMENT, GENERATED} & python  # 320 kB fit into the segment
    by_udp = {one.kind for one in cost_of(recording, over="fastdds-udp").remedies}
    assert SHARED in by_udp


def test_every_remedy_can_be_proved_and_saves_something(recording: Path) -> None:
    assert {change.kind for change in CHANGES} == {*APPLIED, GENERATED}
    for over in ("", "fastdds-udp"):
        for one in cost_of(recording, over=over).remedies:
            assert one.share > 0 or one.bytes_per_s > 0 or one.latency
            assert "--prove" in one.command


def test_a_gain_that_is_the_difference_of_two_paths_exceeds_their_errors(recording: Path) -> None:
    def shared(udp_ns: float, *, is_own: bool) -> float:
        paths = [
            replace(
                path("rclpy", "fastdds", 1e5), is_own=True,
                spread={"publish": 0.1, "take": 0.1},
            ),
            replace(
                path("rclpy", "fastdds-udp", udp_ns), is_own=is_own,
                spread={"publish": 0.1, "take": 0.1},
            ),
        ]  # fmt: skip
        codecs = {name: replace(one, is_own=True) for name, one in SHIPPED.prices.items()}
        prices = PriceList({}, codecs, PathTable({one.name: one for one in paths}))
        cost = system_cost(["a"], read(recording), Pricing(prices, "python", "fastdds-udp"), {})
        return next(one.share for one in cost.remedies if one.kind == SHARED)

    assert shared(2e5, is_own=True) > 0
    assert shared(1.05e5, is_own=True) == 0
    assert shared(2e5, is_own=False) == 0  # another machine's


def path(client: str, middleware: str, ns: float) -> PathPrice:
    """Return a path whose messages all take as long."""
    return PathPrice(client, middleware, {"message": ns}, {"message": ns}, {"publish": 0.1})


def test_a_process_that_wakes_up_often_pays_less_for_a_message() -> None:
    true = PathPrice(
        PLAIN, "zenoh", {"message": 4e4, "byte": 0.5, "cold": 6e4}, {"message": 5e4, "byte": 0.1}
    )
    cases = [*((size, None) for size in (64, 4096, 131_072, 1_000_000)), (64, 200.0), (64, 400.0)]
    seen = [
        PathObservation(size, 1, true.send_ns(size, 1, hz), true.receive_ns(size, hz), hz)
        for size, hz in cases
    ]
    learnt = fitted_path(PLAIN, "zenoh", seen, {})
    for hz, cold in ((10.0, 1.0), (100.0, 1.0), (200.0, 0.5), (400.0, 0.0), (2000.0, 0.0)):
        assert learnt.send_ns(64, 1, hz) == pytest.approx(true.send_ns(64, 1, hz), rel=0.01)
        assert learnt.send_ns(64, 1) - learnt.send_ns(64, 1, hz) == pytest.approx(6e4 * (1 - cold))
        assert learnt.receive_ns(64, hz) == pytest.approx(learnt.receive_ns(64))
    assert learnt.send_ns(1_000_000, 1, 400.0) < learnt.send_ns(1_000_000, 1)


def test_half_of_a_high_rate_saves_less_than_half() -> None:
    way = PathPrice("rclpy", "fastdds", {"message": 1e5, "cold": 1e5}, {"message": 1e5})
    assert 200 * way.send_ns(64, 1, 200.0) == pytest.approx(0.75 * 400 * way.send_ns(64, 1, 400.0))
    assert 50 * way.send_ns(64, 1, 50.0) == pytest.approx(0.5 * 100 * way.send_ns(64, 1, 100.0))


def test_a_node_with_more_topics_wakes_up_more_often() -> None:
    pricing = Pricing(SHIPPED, "cpp", wakes_hz={"base": 90.0})
    assert pricing.ends(["base"], ["planner"], 1, 20.0).publish_hz == 90
    assert pricing.ends(["base"], ["planner"], 1, 20.0).take_hz == 20
    assert pricing.ends(["base"], None, 1, 20.0, 10.0).publish_hz == 80


def test_half_the_rate_saves_half_of_what_is_paid(recording: Path) -> None:
    cost = cost_of(recording)
    points = next(topic for topic in cost.topics if topic.topic == "/points")
    half = next(one for one in cost.remedies if (one.topic, one.kind) == ("/points", HALF))
    assert half.publish_share == pytest.approx((points.publish_share or 0) / 2)
    assert half.take_share == pytest.approx((points.take_share or 0) / 2)


def test_a_stand_in_of_bytes_promises_what_its_own_path_saves(recording: Path) -> None:
    survey_of, pricing = read(recording), Pricing(SHIPPED, "cpp")
    cost = system_cost(["a"], survey_of, pricing, {})
    remedy = next(one for one in cost.remedies if (one.topic, one.kind) == ("/points", HALF))
    topic = next(one for one in cost.topics if one.topic == "/points")
    survey = next(one for one in survey_of.topics if one.connection.topic == "/points")
    own = repriced(remedy, survey, topic, pricing_of_bytes(pricing, PLAIN))
    plain = SHIPPED.paths.of(PLAIN, "fastdds")
    assert plain is not None
    sent_ns = plain.send_ns(topic.mean_bytes, topic.subscribers)
    taken_ns = topic.subscribers * plain.receive_ns(topic.mean_bytes)
    assert own.publish_share == pytest.approx(sent_ns / 2 * topic.rate_hz / 1e9)
    assert own.take_share == pytest.approx(taken_ns / 2 * topic.rate_hz / 1e9)
    assert own.share < remedy.share
    assert own.bytes_per_s == remedy.bytes_per_s


def test_rclpy_stands_in_where_no_native_client_is(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the printed command works in an installation of a wheel."""
    topic, pricing = cost_of(recording, "cpp").topics[0], Pricing(SHIPPED, "cpp")
    absent = ["dds"]
    monkeypatch.setattr(
        programs, "missing", lambda library: "get it" if library.name in absent else None
    )
    path, client, why = path_for(topic, "cpp", pricing, None)
    assert (path.client, client) == ("rclpy", "rclpy over Fast DDS")
    assert why == "because rclcpp cannot be run here"
    absent.append("rclpy")
    with pytest.raises(UserError, match="nothing here publishes over Fast DDS; get it"):
        path_for(topic, "cpp", pricing, None)


def test_each_end_is_priced_as_the_process_that_it_is(recording: Path, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(
        "nodes:\n"
        "- {node: /lidar, lang: cpp, publishes: [/points]}\n"
        "- {node: /filter, lang: python, subscribes: [/points]}\n"
    )
    nodes, found = read_nodes(path), read(recording)
    nodes.place(found)
    mixed = system_cost(["a"], found, Pricing(SHIPPED, "python", langs=nodes.langs), {})
    ends = {
        name: next(one for one in cost.topics if one.topic == "/points")
        for name, cost in (
            ("mixed", mixed), ("cpp", cost_of(recording, "cpp")), ("python", cost_of(recording)),
        )
    }  # fmt: skip
    assert ends["mixed"].publish_share == pytest.approx(ends["cpp"].publish_share)
    assert ends["mixed"].take_share == pytest.approx(ends["python"].take_share)
    assert ends["mixed"].publishers == ["/lidar"] and ends["mixed"].takers == ["/filter"]


def test_rospy_beside_roscpp_pays_as_itself() -> None:
    paths = path("roscpp", "tcpros", 10), path("rospy", "tcpros", 90)
    table = PathTable({one.name: one for one in paths})
    for client, ns in (("roscpp", 10), ("rospy", 90)):
        own = table.of(client, "tcpros")
        assert own is not None and own.send_ns(1, 1) == ns
        assert [one.client for one in paths_of(client, "tcpros")] == [client]


@pytest.mark.parametrize(
    "text",
    ["", "- 7", "nodes: 5", "nodes:\n- {node: /a, lang: java}", "nodes:\n- {other: 1}", "{" * 99],
)
def test_a_damaged_file_of_nodes_is_refused_in_a_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "nodes.yaml"
    path.write_text(text)
    with pytest.raises(UserError, match=r"nodes\.yaml: "):
        read_nodes(path)


def test_a_fit_gives_back_the_prices_that_made_the_times() -> None:
    publish = {"message": 9e4, "byte": 0.5, "subscriber": 8e3}
    take = {"message": 8e4, "byte": 0.4}
    true = PathPrice("rclpy", "zenoh", publish, take)
    seen = [
        PathObservation(size, count, true.send_ns(size, count), true.receive_ns(size))
        for size in (64, 4096, 100_000, 2_000_000)
        for count in (1, 3)
    ]
    learnt = fitted_path("rclpy", "zenoh", seen, {})
    assert learnt.publish == pytest.approx(publish) and learnt.take == pytest.approx(take)
    assert learnt.spread["publish"] == pytest.approx(0, abs=1e-6)


def test_a_path_is_what_was_measured_at_each_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = {64: 1e5, 4096: 1e5, 60_000: 3e5, 500_000: 2e6, 1_000_000: 1.9e6, 2_000_000: 2.1e6}
    seen = [PathObservation(size, 1, ns, ns) for size, ns in measured.items()]
    learnt = fitted_path("rclpy", "zenoh", seen, {})
    keep(PriceList({}, {}, PathTable({learnt.name: learnt})), tmp_path / "prices.json")
    monkeypatch.setattr("wirecost.measure.cost.prices.SHIPPED", tmp_path / "prices.json")
    path = shipped_prices().paths.of("rclpy", "zenoh")
    assert path is not None
    sizes = [2**power for power in range(4, 24)]
    for ns in (path.receive_ns, lambda size: path.send_ns(size, 1)):
        assert ns(60_000) == pytest.approx(3e5) and ns(2_000_000) == pytest.approx(2.1e6)
        for size in (500_000, 1_000_000):  # a larger one takes no less
            assert ns(size) == pytest.approx(1.95e6)
        assert ns(8_000_000) > 1.5 * ns(2_000_000)  # beyond what was measured
        assert [ns(size) for size in sizes] == sorted(ns(size) for size in sizes)
    assert path.spread["take"] < 0.05


def test_a_large_message_goes_in_pieces() -> None:
    assert terms(130_001, 3, "fastdds")["fragment"] == 2
    assert terms(130_001, 3, "tcpros")["fragment"] == 0
    assert terms(100, 3, "tcpros")["subscriber"] == 2


def test_a_client_library_adds_to_another_middleware_what_it_adds_where_both_were_measured() -> (
    None
):
    paths = [path(PLAIN, "fastdds", 10), path(PLAIN, "zenoh", 20), path("rclpy", "fastdds", 70)]
    table = PathTable({one.name: one for one in paths})
    rclpy, rclcpp = table.of("rclpy", "zenoh"), table.of("rclcpp", "zenoh")
    assert rclpy is not None and rclpy.send_ns(1, 1) == 80
    # Not measured: something between nothing and what Python's adds.
    assert rclcpp is not None and rclcpp.send_ns(1, 1) == 50 and rclcpp.slack["publish"] == 30
    assert table.of("rclpy", "iceoryx2") is None


def test_a_path_of_this_machine_asks_for_no_calibration(recording: Path) -> None:
    assert any("--calibrate" in text for text, _ in doubts(cost_of(recording)))
    path = SHIPPED.paths.of("rclpy", "fastdds")
    assert path is not None
    own = PriceList({}, {}, PathTable({path.name: replace(path, is_own=True)}), is_own=True)
    cost = system_cost(["a"], read(recording), Pricing(own.over(SHIPPED), "python"), {})
    assert cost.is_partly_own and not cost.is_own
    assert not any("--calibrate" in text for text, _ in doubts(cost))


def test_kept_prices_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prices.json"
    keep(SHIPPED, path)
    monkeypatch.setattr("wirecost.measure.cost.prices.SHIPPED", path)
    monkeypatch.setattr("wirecost.measure.cost.prices.own_path", lambda: tmp_path / "none")
    assert known_prices() == SHIPPED
    assert PriceList({}).over(SHIPPED).prices == SHIPPED.prices


@pytest.mark.parametrize(
    ("value", "spread", "shown"),
    [
        (0.02, 0.25, "1.5–2.5 %"), (0.011, None, "≈ 1.1 %"), (0.011, 1.5, "≈ 1.1 %"),
        (0.02, 0.0, "2 %"),
    ],
)  # fmt: skip
def test_an_interval_is_printed_where_it_says_something(
    value: float, spread: float | None, shown: str
) -> None:
    assert share_range(value, spread) == shown
