# SPDX-License-Identifier: Apache-2.0
"""Native clients carry messages to each other, and to and from the Python client."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.transport_ends import client_of
from wirecost.measure.bench.transport import clients
from wirecost.measure.bench.transport.choices import NATIVE, NATIVE_ONLY, PYTHON
from wirecost.measure.bench.transport.clients import ClientProgram
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import Ground, Spot
from wirecost.measure.bench.transport.session import TransportOrder, TransportSession
from wirecost.measure.bench.transport.setting_groups import AskedQuality, settings_of
from wirecost.messaging.transport import find
from wirecost.system import scratch
from wirecost.system.channel.process import Channel

SIZE = 100_000
ORDER = TransportOrder(SIZE, 200.0, count=100, check=1, quiet_s=0.5)
LOOPBACK = Ground("loopback", Spot(), (Spot(),))
BOTH = (
    "zeromq", "zeromq-tcp", "nats", "mqtt", "grpc", "ros1", "dds", "iceoryx2", "zenoh", "zenoh-shm",
)  # fmt: skip
"""Middlewares that have a Python client here, too."""
WITH_REQUESTS = ("iceoryx2", "zenoh", "zenoh-shm")


@dataclass(frozen=True)
class Mixed(ClientProgram):
    """Another client for each role."""

    sender: ClientProgram | None = None
    receiver: ClientProgram | None = None

    def start(
        self, name: str, spot: Spot, log: Path, environment: Mapping[str, str] | None = None
    ) -> Channel:
        sends = "publisher" in name or "requester" in name
        client = self.sender if sends else self.receiver
        assert client is not None
        return client.start(name, spot, log, environment)


@pytest.fixture(autouse=True)
def folder() -> Iterator[None]:
    with scratch.run():
        yield


@pytest.mark.parametrize(
    ("mware", "publisher", "subscriber"),
    [
        *((mware, *kinds) for mware in BOTH for kinds in ((NATIVE, PYTHON), (PYTHON, NATIVE))),
        *((mware, NATIVE, NATIVE) for mware in (*BOTH, *NATIVE_ONLY)),
    ],
)
def test_every_byte_arrives(mware: str, publisher: str, subscriber: str, tmp_path: Path) -> None:
    if PYTHON in (publisher, subscriber) and (why := find(mware).missing()):
        pytest.skip(why)
    # Nothing is lost for want of room, of which iceoryx2 has so much at most.
    queue = 64 if mware == "iceoryx2" else 200
    kind = NATIVE if publisher == subscriber == NATIVE else PYTHON
    groups = {
        setting.name: setting for setting in settings_of(mware, AskedQuality(queue=queue), kind)
    }
    setting = groups.get("matched", groups["default"])
    ends = client_of(publisher, mware), client_of(subscriber, mware)
    mixed = Mixed("mixed", (), sender=ends[0], receiver=ends[1])
    contender = TransportContender(mware, mixed, setting)
    with TransportSession(contender, "pubsub", LOOPBACK, 1, SIZE, tmp_path) as session:
        block = session.run(ORDER)
    counts = block.counts
    assert (counts.sent, counts.received, counts.checked) == (100, 100, 100)
    assert (counts.refused, counts.lost, counts.wrong, counts.duplicates) == (0, 0, 0, 0)


def test_a_subscriber_that_polls_gets_every_byte(tmp_path: Path) -> None:
    *_, polled = settings_of("iceoryx2", AskedQuality(queue=64), NATIVE)
    assert polled.name == "polled"
    contender = TransportContender("iceoryx2", client_of(NATIVE, "iceoryx2"), polled)
    with TransportSession(contender, "pubsub", LOOPBACK, 1, SIZE, tmp_path) as session:
        counts = session.run(ORDER).counts
    assert (counts.received, counts.checked, counts.lost, counts.wrong) == (100, 100, 0, 0)


@pytest.mark.parametrize("mware", WITH_REQUESTS)
@pytest.mark.parametrize(
    ("requester", "replier"), [(NATIVE, PYTHON), (PYTHON, NATIVE), (NATIVE, NATIVE)]
)
def test_every_request_comes_back(mware: str, requester: str, replier: str, tmp_path: Path) -> None:
    if PYTHON in (requester, replier) and (why := find(mware).missing()):
        pytest.skip(why)
    ends = client_of(requester, mware), client_of(replier, mware)
    mixed = Mixed("mixed", (), sender=ends[0], receiver=ends[1])
    contender = TransportContender(mware, mixed, settings_of(mware, AskedQuality())[0])
    with TransportSession(contender, "reqrep", LOOPBACK, 1, SIZE, tmp_path) as session:
        counts = session.run(ORDER).counts
    assert (counts.sent, counts.received, counts.checked) == (100, 100, 100)
    assert (counts.refused, counts.lost, counts.wrong, counts.duplicates) == (0, 0, 0, 0)


def test_a_native_client_without_requests_says_so() -> None:
    (command,) = client_of(NATIVE, "zeromq").command
    opening = {
        "do": "open", "role": "requester", "transport": "zeromq", "topic": "a", "address": None,
        "size": 100, "settings": {},
    }  # fmt: skip
    done = subprocess.run(
        [command], input=json.dumps(opening), capture_output=True, text=True, timeout=20, check=True
    )
    assert json.loads(done.stdout)["failure"].endswith("use --client python for requests")


def test_commands_that_are_none_are_answered() -> None:
    (command,) = client_of(NATIVE, "zeromq").command
    lines = ["[]", '{"do": 3}', '{"do": "run"}', "nonsense", '{"do": "close"}']
    done = subprocess.run(
        [command], input="\n".join(lines), capture_output=True, text=True, timeout=20, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == 4
    assert all(answer["failure"] for answer in answers)


def test_a_native_client_ends_with_its_standard_input() -> None:
    (command,) = client_of(NATIVE, "nats").command
    assert subprocess.run([command], input="", timeout=20, check=False, text=True).returncode == 0


def test_the_list_of_native_clients_is_what_their_programs_say() -> None:
    programs = clients.native()
    if not programs:
        pytest.skip("no native client is installed")
    there = {mware for mware, installed in clients.native_installed().items() if installed}
    assert there == {mware for program in programs for mware in program.transports}
