# SPDX-License-Identifier: Apache-2.0
"""Verification of a network by ping and a short stream of packets."""

from __future__ import annotations

import math
import re
import socket
import subprocess
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass

from wirecost.measure.network.hosts import Host, Network
from wirecost.measure.network.namespace import NetworkError, program
from wirecost.measure.network.profiles import Profile
from wirecost.system import children
from wirecost.system.waiting import Deadline

PINGS = 400
INTERVAL_S = 0.0025
WAIT_S = 1
TIMEOUT_S = 60.0
SLACK_MS = 1.0
"""Slack of a round trip's mean: two schedulers have their part in it."""
SIGMAS = 4.0
STREAM_S = 0.3
PAYLOAD = 1472
"""A full packet's, behind the headers of IP and UDP."""
PACKET = 1514
SO_RCVBUFFORCE = 33
"""socket(7); Python has no name for it."""
MOST_MBIT = 100
"""Above that, Python is slower than the link."""


@dataclass(frozen=True)
class Reading:
    """Between the publisher's host and a subscriber's."""

    host: int
    sent: int
    received: int
    rtt_min_ms: float
    rtt_mean_ms: float
    rtt_max_ms: float
    rtt_deviation_ms: float
    rate_mbit: float | None
    """Rate that arrives of a full link, Ethernet's header included; None if not measured."""

    @property
    def loss_percent(self) -> float:
        """Lost round trips, in per cent."""
        return 100 * (1 - self.received / self.sent)

    def record(self) -> dict[str, object]:
        numbers = {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }
        return {**numbers, "round_trips_lost_percent": round(self.loss_percent, 3)}


def verify(network: Network, pings: int = PINGS) -> list[Reading]:
    """Measure each subscriber's host. Raises NetworkError where ping does not work."""
    here = network.publisher
    # The first one waits for the other's address, longer where a question for it is lost.
    _pinged(here, network.subscribers, "-c", "1", "-i", "0.1", "-w", "10")
    pinged = _pinged(
        here, network.subscribers, "-c", str(pings), "-i", str(INTERVAL_S), "-W", str(WAIT_S)
    )
    first = network.subscribers[0]
    rate = _rate(here, first) if network.profile.rate_mbit <= MOST_MBIT else None
    return [
        Reading(there.number, *numbers, rate if there is first else None)
        for there, numbers in zip(network.subscribers, pinged, strict=True)
    ]


def differences(profile: Profile, readings: list[Reading]) -> list[str]:
    """Return where a network is not as its profile says, a line each."""
    faults = []
    for reading in readings:
        there = f"network {profile.name}: to host {reading.host}:"
        lost = 1 - (1 - profile.loss_percent / 100) ** 2
        spread = SIGMAS * math.sqrt(lost * (1 - lost) / reading.sent)
        if abs(reading.loss_percent / 100 - lost) > spread + 1 / reading.sent:
            faults.append(
                f"{there} {reading.loss_percent:.1f} % of round trips lost, not {100 * lost:.1f} %"
            )
        expected = 2 * profile.delay_ms
        if reading.received and abs(reading.rtt_mean_ms - expected) > SLACK_MS + 0.1 * expected:
            faults.append(
                f"{there} round trips take {reading.rtt_mean_ms:.2f} ms, not {expected:g} ms"
            )
        arriving = profile.rate_mbit * (1 - profile.loss_percent / 100)
        if reading.rate_mbit is not None and not 0.85 < reading.rate_mbit / arriving < 1.15:
            faults.append(f"{there} {reading.rate_mbit:.1f} Mbit/s arrive, not {arriving:g} Mbit/s")
    return faults


def _pinged(
    here: Host, hosts: tuple[Host, ...], *options: str
) -> list[tuple[int, int, float, float, float, float]]:
    """Ping all hosts at once; return what ``parse`` reads of each."""
    command = [*here.prefix, program("ping") or "ping", "-n", "-q", *options]
    started = [
        children.start(
            [*command, there.address],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for there in hosts
    ]  # fmt: skip
    try:
        return [parse(*process.communicate(timeout=TIMEOUT_S)) for process in started]
    except subprocess.TimeoutExpired:
        raise NetworkError(f"ping does not end within {TIMEOUT_S:g} s") from None
    finally:
        for process in started:
            children.end(process)


def parse(output: str, errors: str) -> tuple[int, int, float, float, float, float]:
    """Parse the summary of iputils' ping. Raises NetworkError.

    Returns sent, received, and round trips' minimum, mean, maximum and deviation in milliseconds.
    """
    counted = re.search(r"(\d+) packets transmitted, (\d+) received", output)
    if counted is None:
        raise NetworkError(f"ping: {' '.join(errors.split()) or 'prints no summary'}")
    timed = re.search(r"= ([\d.]+)/([\d.]+)/([\d.]+)/([\d.]+) ms", output)
    low, mean, high, deviation = map(float, timed.groups()) if timed else (math.nan,) * 4
    return int(counted[1]), int(counted[2]), low, mean, high, deviation


def _rate(here: Host, there: Host) -> float:
    """Return the rate of a stream that fills the link, in the middle of its time, in Mbit/s."""
    inbox = there.namespace.call(_socket)
    outbox = here.namespace.call(_socket)
    with inbox, outbox:
        inbox.bind((there.address, 0))
        target = inbox.getsockname()
        inbox.settimeout(1.0)
        with suppress(OSError):
            inbox.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
        sender = threading.Thread(target=_stream, args=(outbox, target), daemon=True)
        sender.start()
        arrived = []
        try:
            while True:
                inbox.recv(PACKET)
                arrived.append(time.monotonic_ns())
        except TimeoutError:
            pass
        sender.join()
    middle = arrived[len(arrived) // 4 :]
    if len(middle) < 2:
        return 0.0
    return (len(middle) - 1) * PACKET * 8e3 / (middle[-1] - middle[0])


def _socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)


def _stream(outbox: socket.socket, target: tuple[str, int]) -> None:
    end = Deadline(STREAM_S)
    while not end.passed:
        outbox.sendto(bytes(PAYLOAD), target)
