# SPDX-License-Identifier: Apache-2.0
"""Hosts that are joined as a profile says."""

from __future__ import annotations

import os
import socket
import struct
import time
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.second_user import needs_root, python_as_second_user
from support.waiting import until
from wirecost.measure.network import support, verified
from wirecost.measure.network.hosts import Host, network
from wirecost.measure.network.namespace import Namespace, NetworkError
from wirecost.measure.network.profiles import BUILT_IN, Profile
from wirecost.measure.network.wire import emulated
from wirecost.system import children
from wirecost.system.errors import UserError


def _udp(host: Host) -> socket.socket:
    opened = host.namespace.call(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    opened.settimeout(2)
    return opened


@pytest.mark.usefixtures("lan")
def test_a_host_sends_and_receives_what_its_counters_say() -> None:
    with network(BUILT_IN["lan"], 2) as net:
        first, second = net.subscribers
        with _udp(net.publisher) as outbox, _udp(first) as inbox:
            inbox.bind((first.address, 0))
            before = [host.traffic() for host in net.hosts]
            outbox.sendto(bytes(1000), inbox.getsockname())
            assert len(inbox.recv(2000)) == 1000
            sent, got, other = (
                host.traffic() - past for host, past in zip(net.hosts, before, strict=True)
            )
        arp = 2 * 42
        assert 1042 <= sent.sent_bytes <= 1042 + arp
        assert 1042 <= got.received_bytes <= 1042 + arp
        assert second.address != first.address and other.received_bytes <= arp
        assert net.record()["made_by"] == "kernel"


@pytest.mark.parametrize(("fixture", "profile"), [("lan", "lan"), ("wan", "lossy")])
def test_multicast_reaches_every_host(
    fixture: str, profile: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(fixture)
    group = "239.255.0.1"
    with network(BUILT_IN[profile], 2) as net, _udp(net.publisher) as outbox:
        inboxes = [_udp(subscriber) for subscriber in net.subscribers]
        for host, inbox in zip(net.subscribers, inboxes, strict=True):
            inbox.bind(("", 7400))
            member = socket.inet_aton(group) + socket.inet_aton(host.address)
            inbox.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
        for _ in range(50):  # of which some are lost
            outbox.sendto(b"all", (group, 7400))
        for inbox in inboxes:
            assert inbox.recv(100) == b"all"
            inbox.close()


@pytest.mark.usefixtures("wan")
def test_ping_finds_delay_and_loss() -> None:
    """A busy machine makes round trips longer, never shorter."""
    profile = Profile("own", delay_ms=8, jitter_ms=4, loss_percent=20)
    with network(profile, 1) as net:
        (reading,) = verified.verify(net, pings=200)
    # 36 % of 200 round trips are lost: 72, with a deviation of 7.
    assert reading.sent == 200 and 72 - 35 < 200 - reading.received < 72 + 35
    assert 8 <= reading.rtt_min_ms < reading.rtt_max_ms


@pytest.mark.usefixtures("lan")
def test_a_link_is_limited_to_its_rate() -> None:
    with network(BUILT_IN["narrow"], 1) as net:
        (reading,) = verified.verify(net, pings=10)
    assert reading.rate_mbit is not None and 0 < reading.rate_mbit < 11


@pytest.mark.parametrize(("fixture", "delay_ms"), [("lan", 0), ("wan", 1)])
def test_a_link_is_cut_and_mended(
    fixture: str, delay_ms: float, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(fixture)
    profile = Profile("own", delay_ms=delay_ms, cut_after_s=0.1, cut_s=0.3)
    with network(profile, 1) as net:
        host = net.subscribers[0]
        with _udp(net.publisher) as outbox, _udp(host) as inbox:
            inbox.bind((host.address, 0))
            outbox.sendto(struct.pack("<q", time.monotonic_ns()), inbox.getsockname())
            inbox.recv(8)
            end = time.monotonic() + 1.0
            with net.disturbed():
                while time.monotonic() < end:
                    outbox.sendto(struct.pack("<q", time.monotonic_ns()), inbox.getsockname())
                    time.sleep(0.002)
            inbox.settimeout(0.2)
            arrived: list[int] = []
            with pytest.raises(TimeoutError):
                while True:
                    arrived += struct.unpack("<q", inbox.recv(8))
        (cut,) = net.cuts
        assert cut.end_ns - cut.begin_ns > 0.25e9
        under_way = delay_ms * 1e6
        assert not [
            moment_ns for moment_ns in arrived if cut.begin_ns < moment_ns < cut.end_ns - under_way
        ]
        assert min(arrived) < cut.begin_ns and max(arrived) > cut.end_ns


@pytest.mark.usefixtures("lan")
def test_what_runs_on_a_host_ends_with_it() -> None:
    with network(BUILT_IN["lan"], 1) as net:
        started = children.start([*net.publisher.prefix, "sleep", "1000"])
        inside = os.fstat(net.publisher.namespace.descriptor).st_ino
        until(lambda: Path(f"/proc/{started.pid}/ns/net").stat().st_ino == inside)
    assert started.wait(5) == -9


@pytest.mark.usefixtures("lan")
def test_tc_takes_what_netem_is_asked_for() -> None:
    """If the kernel has no netem, tc itself reads the words before it asks the kernel."""
    for profile in BUILT_IN.values():
        with Namespace() as namespace:
            try:
                namespace.run(*emulated("lo", profile))
            except NetworkError as error:
                assert "qdisc kind" in str(error)
                assert not support.has_netem()


def test_one_line_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(support, "program", lambda name: None if name == "tc" else name)
    with pytest.raises(UserError) as raised, network(BUILT_IN["wan"], 1):
        pass
    assert str(raised.value) == snapshot


MISSING = """
from wirecost.measure.network import profiles, support
print(support.missing(profiles.BUILT_IN["lan"]))
"""


@needs_root
def test_who_lacks_the_right_is_told_which() -> None:
    done = python_as_second_user(MISSING)
    assert done.returncode == 0, done.stderr
    (line,) = done.stdout.splitlines()
    assert line.startswith("no network namespace")
