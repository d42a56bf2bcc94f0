# SPDX-License-Identifier: Apache-2.0
"""Broken promises are named with a command line that shows them.

Nothing is said of what was not promised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.transport import plan as planning
from wirecost.measure.bench.transport import turn
from wirecost.measure.bench.transport.cases import check_for, quiet_for, rate_for
from wirecost.measure.bench.transport.choices import FLOORS, PYTHON
from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.ground import Ground, Spot, WireBytes
from wirecost.measure.bench.transport.joining import Arrivals, TransportCounts
from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.measure.bench.transport.plan import plan
from wirecost.measure.bench.transport.price import Price, PricedPart
from wirecost.measure.bench.transport.session import TransportBlock, TransportOrder
from wirecost.measure.bench.transport.setting_groups import AskedQuality, groups, settings_of
from wirecost.measure.bench.transport.settings import Settings
from wirecost.measure.network.profiles import BUILT_IN
from wirecost.messaging.api.available import transports
from wirecost.messaging.transport.shared import broker_based
from wirecost.results.records.schemas.transport import Peak
from wirecost.system.errors import UserError

CLIENT = ClientProgram("python", ("client",), ("zeromq", "iceoryx2", "websocket"))


def request_for(**changed: Any) -> Settings:
    usual: dict[str, Any] = {
        "middlewares": ("zeromq",), "sizes": (100,), "rate": 100.0, "subscribers": (2,),
        "seconds": 1.0,
    }  # fmt: skip
    return Settings(**usual | changed)


@pytest.fixture
def outcomes(tmp_path: Any) -> dict[str, TransportOutcome]:
    """By the group of settings."""
    planned = plan(request_for(), tmp_path, CLIENT)
    return {outcome.contender.setting.name: outcome for outcome in planned.outcomes}


def block(**counts: int) -> TransportBlock:
    ns = np.arange(10, dtype=np.int64)
    arrivals = Arrivals(ns, dict.fromkeys(("lateness", "publish", "total"), ns), ns, ns)
    price = Price({"publisher": PricedPart(1, 1000, 500, 10, 1, 2, 4096, "clocks")}, 50)
    return TransportBlock(
        TransportOrder(100, 100.0),
        TransportCounts(sent=10, received=10, **counts),
        [arrivals],
        price,
        WireBytes(2000, None),
        0.1,
    )


def test_a_loss_breaks_a_promise_and_only_that(
    outcomes: dict[str, TransportOutcome], snapshot: SnapshotAssertion
) -> None:
    for name, broken in (("matched", "3 of 20 messages were lost"), ("default", "")):
        outcomes[name].add(block(lost=3))
        facts = outcomes[name].entry.facts
        assert (facts["lost"], facts["broken"]) == (3, broken)
    outcomes["matched"].counts.lost = 0
    outcomes["matched"].add(block(duplicates=2))
    assert outcomes["matched"].entry.facts["broken"] == ""
    assert outcomes["matched"].entry.facts["reproduce"] == snapshot


def test_a_loss_in_the_search_of_the_peak_breaks_it_as_well(
    outcomes: dict[str, TransportOutcome], snapshot: SnapshotAssertion
) -> None:
    outcome = outcomes["matched"]
    outcome.add(block())
    outcome.peak = Peak(tried=[[50.0, True, "", 1, 2], [4000.0, False, "7 messages lost", 1, 2]])
    outcome.state()
    assert outcome.entry.facts["broken"] == snapshot
    assert outcome.entry.facts["reproduce"].endswith("--rate 4000")


def test_prices_are_per_message_that_was_sent(outcomes: dict[str, TransportOutcome]) -> None:
    outcome = outcomes["default"]
    outcome.add(block())
    outcome.add(block())
    facts = outcome.entry.facts
    usage = facts["usage"]["publisher"]
    assert (usage["cpu_ns"], usage["kernel_ns"], usage["switches"]) == (100, 50, 0.2)
    assert usage["memory_bytes"] == 4096  # the most, not the sum
    assert (facts["wire_bytes"], facts["wire_bytes_back"]) == (200, None)
    assert facts["machine_cpu_ns"] == 5


def test_rates_follow_from_sizes_subscribers_and_networks() -> None:
    assert rate_for(100, 1, None) == 500
    assert rate_for(1_000_000, 1, None) == 60
    assert rate_for(100, 20, None) == 50
    assert rate_for(1_000_000, 1, BUILT_IN["narrow"]) == 0.5
    assert quiet_for(100, BUILT_IN["cut"]) > BUILT_IN["cut"].cut_s
    assert quiet_for(100, None) < quiet_for(100, BUILT_IN["wan"])
    assert check_for(100) > 1


def test_what_cannot_be_measured_is_said(tmp_path: Any, snapshot: SnapshotAssertion) -> None:
    slow = request_for(middlewares=("mqtt",), network=("narrow",), sizes=(8_000_000,), rate=None)
    with pytest.raises(UserError, match="fewer than 5 messages in 1 s; give more --seconds"):
        plan(slow, tmp_path, ClientProgram("python", ("client",), ("mqtt",)))
    away = request_for(network=("loopback", "lan"))
    assert plan(away, tmp_path, CLIENT).not_run == snapshot


def test_requests_have_one_row_of_a_transport(tmp_path: Any) -> None:
    planned = plan(request_for(pattern="reqrep", subscribers=(1,)), tmp_path, CLIENT)
    assert [contender.setting.name for contender in planned.contenders] == ["default"]


@pytest.mark.parametrize("reliable", [True, False])
def test_only_reliable_settings_promise_and_matched_ones_have_the_queue(reliable: bool) -> None:
    for mware in ("zeromq", "zenoh", "iceoryx2", "mqtt", "nats", "grpc", "dds", "ros1", "ecal"):
        by_name = {
            setting.name: setting for setting in settings_of(mware, AskedQuality(reliable, 7))
        }
        assert by_name["default"].reliable is None
        assert by_name["default"].queue is None
        if "matched" in by_name:
            assert (by_name["matched"].reliable, by_name["matched"].queue) == (reliable, 7)
            assert not (by_name["matched"].promise and not reliable), mware
            # A reader who is advised to take them is told what to set.
            assert bool(by_name["matched"].in_program) == by_name["matched"].promise, mware


def test_a_native_client_has_its_own_words() -> None:
    quality = AskedQuality()
    rospy = {setting.name: setting for setting in settings_of("ros1", quality)}
    roscpp = {setting.name: setting for setting in settings_of("ros1", quality, "native")}
    assert rospy["matched"].promise and "waits" in rospy["matched"].full
    for setting in roscpp.values():
        assert not setting.promise and "oldest" in setting.full and setting.client == "native"
    assert rospy["matched"].client == ""
    # nats.c's own limit stands where nothing is asked for.
    (default, *_) = settings_of("nats", quality, "native")
    assert "depth" not in default.options
    # What both can have is one group.
    assert settings_of("zeromq", quality, "native") == settings_of("zeromq", quality)


def test_who_says_that_messages_are_dropped_promises_at_most_until_then() -> None:
    for mware in groups(PYTHON):
        for client in ("python", "native"):
            for setting in settings_of(mware, AskedQuality(), client):
                words = setting.full
                if "drops" in words or "lost" in words:
                    assert not setting.promise, (mware, client, setting.name)
                bounded = " s at most" in words or "cuts off" in words
                if setting.promise and bounded and "100 ms" not in words:
                    assert f"waits for {setting.longest_wait_s:g} s" in setting.promised
                elif setting.promise:
                    assert setting.promised == "no loss"


def test_losses_before_anything_was_timed_break_a_promise(
    outcomes: dict[str, TransportOutcome], snapshot: SnapshotAssertion
) -> None:
    outcome = outcomes["matched"]
    outcome.compared(TransportCounts(sent=20, received=38, lost=2))
    outcome.add(block())
    assert outcome.entry.facts["broken"] == snapshot
    assert outcome.entry.facts["lost_before"] == 2


def test_a_bounded_promise_holds_until_a_call_waited_for_so_long(tmp_path: Any) -> None:
    client = ClientProgram("python", ("client",), ("zenoh",))
    planned = plan(request_for(middlewares=("zenoh",), settings=("matched",)), tmp_path, client)
    (outcome,) = planned.outcomes
    for longest_ns, broken in ((2_000_000_000, ""), (5_000_000, "3 of 20 messages were lost")):
        outcome.counts = TransportCounts()
        outcome.add(block(lost=3, longest_ns=longest_ns))
        assert outcome.entry.facts["broken"] == broken
    assert quiet_for(100, None, outcome.contender.setting.longest_wait_s) == 2.0


class Dead:
    """A session of which no message arrives."""

    def __init__(self, first: TransportCounts, timed: TransportCounts) -> None:
        self._blocks = iter((first, timed))

    def __enter__(self) -> Dead:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def run(self, order: TransportOrder) -> TransportBlock:
        return TransportBlock(order, next(self._blocks), [], Price(), WireBytes(0, 0), 0.1)


@pytest.mark.parametrize("when", ["before", "timed"])
def test_a_total_loss_breaks_a_promise(
    when: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    planned = plan(request_for(settings=("matched",)), tmp_path, CLIENT)
    good, dead = TransportCounts(sent=20, received=40), TransportCounts(sent=20, lost=40)
    session = Dead(*((dead, good) if when == "before" else (good, dead)))
    monkeypatch.setattr(turn, "TransportSession", lambda *_: session)
    ground = Ground("loopback", Spot(), (Spot(),))
    (first,) = planned.turns
    first.run(ground, 1.0, lambda *_: None, lambda: None)
    (outcome,) = planned.outcomes
    assert [outcome.entry.failure, outcome.entry.facts["broken"]] == snapshot


def test_sizes_that_do_not_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Free:
        available = 5_000_000

    monkeypatch.setattr("psutil.virtual_memory", Free)
    request_for(sizes=(100, 1_250_000)).check()
    with pytest.raises(UserError, match=r"--sizes 1250001: 2 subscribers need .*; give smaller"):
        request_for(sizes=(100, 1_250_001)).check()


def test_a_sum_of_other_sources_says_so() -> None:
    total = PricedPart()
    total.add(PricedPart(source="cgroup"))
    total.add(PricedPart(source="cgroup"))
    assert total.source == "cgroup"
    total.add(PricedPart(source="clocks"))
    total.add(PricedPart(source="clocks"))
    assert total.source == "mixed"


NATIVE_CLIENT = ClientProgram("native", ("program",), ("zeromq",))


@pytest.mark.parametrize(
    ("kinds", "middlewares", "not_run"),
    [
        (
            ("python", "native"),
            ("zeromq", "websocket"),
            {"websocket native": "wirecost has no native client for it"},
        ),
        (
            ("python", "native"),
            ("zeromq", "tcp"),
            {"tcp native": "its native client is not installed"},
        ),
        (
            ("native",),
            ("zeromq", "websocket"),
            {"websocket native": "wirecost has no native client for it"},
        ),
        (
            ("native",),
            ("zeromq", "iceoryx2"),
            {"iceoryx2 native": "its native client is not installed: install Rust"},
        ),
        (("python",), ("zeromq", "tcp"), {"tcp python": "has a native client only"}),
    ],
)
def test_what_a_kind_of_client_does_not_have_is_said(
    kinds: tuple[str, ...], middlewares: tuple[str, ...], not_run: dict[str, str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(planning, "native", lambda: [NATIVE_CLIENT])
    reasons = plan(request_for(client=kinds, middlewares=middlewares), tmp_path, CLIENT).not_run
    assert reasons.keys() == not_run.keys()
    assert all(reasons[what].startswith(why) for what, why in not_run.items())
    assert "zeromq, zeromq-tcp, nats" in reasons.get("websocket native", "zeromq, zeromq-tcp, nats")


def test_requests_are_for_clients_that_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    able = ClientProgram("native", ("program",), ("iceoryx2", "tcp"))
    unable = replace(NATIVE_CLIENT, roles=("publisher", "subscriber"))
    monkeypatch.setattr(planning, "native", lambda: [able, unable])
    asked = request_for(client=("native",), middlewares=("iceoryx2", "zeromq"), pattern="reqrep")
    planned = plan(asked, tmp_path)
    assert [contender.mware for contender in planned.contenders] == ["iceoryx2"]
    assert planned.not_run == {"zeromq, native": "its native client publishes and subscribes only"}


def test_what_lacks_a_server_is_not_run_and_transports_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker_based, "program", lambda _: None)
    monkeypatch.setattr(planning, "native", list)
    client = ClientProgram("python", ("client",), ("nats", "zeromq"))
    planned = plan(request_for(middlewares=("nats", "zeromq")), tmp_path, client)
    assert {turn.contender.mware for turn in planned.turns} == {"zeromq"}
    assert planned.not_run["nats"].startswith("no server: apt install nats-server")
    by_name = {transport.name: transport for transport in transports()}
    if by_name["nats"].missing is None:
        assert by_name["nats"].no_server == planned.not_run["nats"]
    assert by_name["zeromq"].no_server is None


@pytest.mark.parametrize(("asked", "there", "said"), [
    (("iceoryx2", "zeromq"), ("zeromq",), "iceoryx2: "),
    (("zenoh-shm", "zeromq"), ("zeromq",), "zenoh-shm: "),
    (("iceoryx2", "zeromq"), ("iceoryx2", "zeromq"), ""),
    (("zeromq",), ("zeromq",), ""),
])  # fmt: skip
def test_it_is_known_that_none_with_shared_memory_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: tuple[str, ...],
    there: tuple[str, ...], said: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(planning, "native", list)
    planned = plan(request_for(middlewares=asked), tmp_path, replace(CLIENT, transports=there))
    assert planned.no_shared_memory.startswith(said)
    assert bool(planned.no_shared_memory) == bool(said)


FLOOR_CLIENT = ClientProgram("native", ("program",), FLOORS)


@pytest.fixture
def with_floors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "floors", lambda: [FLOOR_CLIENT])


@pytest.mark.usefixtures("with_floors")
def test_floors_are_measured_beside_python_clients(tmp_path: Path) -> None:
    asked = request_for(
        middlewares=(), settings=("matched",), network=("loopback", "lan"), subscribers=(1, 3)
    )
    planned = plan(asked, tmp_path, CLIENT)
    floors = [case for case in planned.outcomes if case.contender.mware in FLOORS]
    assert [case.contender.mware for case in floors] == list(FLOORS)
    assert {(case.case.network, case.case.subscribers) for case in floors} == {("loopback", 1)}
    assert {name: why for name, why in planned.not_run.items() if name.startswith("floor")} == {
        "floors, lan": "stays on one machine", "floors, 3 subscribers": "have one subscriber",
    }  # fmt: skip


@pytest.mark.usefixtures("with_floors")
def test_floors_alone_answer_nothing_that_was_asked(tmp_path: Path) -> None:
    able = replace(CLIENT, transports=())
    assert plan(request_for(middlewares=FLOORS, subscribers=(1,)), tmp_path, able).outcomes
    with pytest.raises(UserError, match="nothing can be measured"):
        plan(request_for(middlewares=("zeromq", *FLOORS), subscribers=(1,)), tmp_path, able)


def test_why_there_are_no_floors_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "floors", list)
    planned = plan(request_for(middlewares=("zeromq", *FLOORS)), tmp_path, CLIENT)
    assert planned.not_run == {"floors": planning.NO_FLOORS}


def test_where_nothing_is_left_other_choices_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "native", lambda: [NATIVE_CLIENT])
    with pytest.raises(
        UserError, match=r"wirecost has no native client for it; zeromq.*another --middlewares or"
    ):
        plan(request_for(client=("native",), middlewares=("websocket",)), tmp_path)
