# SPDX-License-Identifier: Apache-2.0
"""Native clients, driven end by end: what they do before they are ready, and what they lose."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bench.transport_ends import LIMIT_S, client_of, go, opened, prime, run
from wirecost.measure.bench.transport.choices import NATIVE, PYTHON
from wirecost.measure.bench.transport.protocol import RECEIVED, read_rows
from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import LOOPBACK, program, running
from wirecost.system import scratch
from wirecost.system.waiting import wait_until

PAGE = 4096
BROKER = "mosquitto"
CONFIGURATION = "listener {port} {host}\nallow_anonymous true\n"


@pytest.fixture(autouse=True)
def folder() -> Iterator[None]:
    with scratch.run():
        yield


def minor_faults(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[7])


def resident(process: int) -> int:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE


def test_a_payload_is_made_before_a_publisher_is_ready(tmp_path: Path) -> None:
    size = 64 << 20
    native = client_of(NATIVE, "zeromq")
    with opened(native, "publisher", "zeromq", str(tmp_path), tmp_path, size) as publisher:
        before = resident(publisher.pid)
        run(publisher, tmp_path / "sent", size, count=1)
        assert resident(publisher.pid) - before > 0.9 * size
        assert len(go(publisher, tmp_path / "sent")) == 1


def test_rows_have_memory_where_messages_are_sent_as_fast_as_possible(tmp_path: Path) -> None:
    native = client_of(NATIVE, "zeromq")
    with opened(native, "publisher", "zeromq", str(tmp_path), tmp_path, 100) as publisher:
        run(publisher, tmp_path / "sent", 100, seconds=0.005)
        before = minor_faults(publisher.pid)
        rows = go(publisher, tmp_path / "sent")
        faults = minor_faults(publisher.pid) - before
    # There is room for 100,000; nobody listens, so that ZeroMQ needs no memory either.
    assert len(rows) < 100_000
    assert faults <= 50, f"{len(rows)} rows"


def test_only_a_subscriber_keeps_the_newest_alone(tmp_path: Path) -> None:
    native, python = client_of(NATIVE, "zeromq"), client_of(PYTHON, "zeromq")
    size, count = 1000, 500
    with (
        opened(
            native, "publisher", "zeromq", str(tmp_path), tmp_path, size, conflate=True
        ) as publisher,
        opened(
            python, "subscriber", "zeromq", str(tmp_path), tmp_path, size, depth=1000
        ) as subscriber,
    ):
        prime(publisher, subscriber)
        run(subscriber, tmp_path / "received", size)
        run(publisher, tmp_path / "sent", size, count=count)
        go(publisher, tmp_path / "sent")
        subscriber.ask("finish", LIMIT_S, count=count, quiet=0.3)
        received = read_rows(tmp_path / "received", RECEIVED)
    assert len(set(received[:, 0].tolist())) == count


def test_nats_drops_nothing_where_no_loss_is_asked_for(tmp_path: Path) -> None:
    """A subscriber is slow, with room for a few."""
    native, size, count = client_of(NATIVE, "nats"), 1000, 300
    if why := find("nats").missing() or (not program("nats-server") and "there is no nats-server"):
        pytest.skip(why)
    with (
        find("nats").server() as address,
        opened(native, "publisher", "nats", str(address), tmp_path, size, 16, True) as publisher,
        opened(native, "subscriber", "nats", str(address), tmp_path, size, 16, True) as subscriber,
    ):
        prime(publisher, subscriber)
        run(subscriber, tmp_path / "received", size, hold_ns=2_000_000)
        run(publisher, tmp_path / "sent", size, count=count)
        go(publisher, tmp_path / "sent")
        subscriber.ask("finish", LIMIT_S, count=count, quiet=0.3)
        received = read_rows(tmp_path / "received", RECEIVED)
    assert len(set(received[:, 0].tolist())) == count


def test_mqtt_goes_on_when_messages_were_lost_with_a_connection(tmp_path: Path) -> None:
    """With QoS 0 nobody says so. A broker that stands still fills the publisher's queue."""
    native, size, queue = client_of(NATIVE, "mqtt"), 4_000_000, 4
    broker = program(BROKER)
    if broker is None:
        pytest.skip("there is no mosquitto")
    file = tmp_path / "configuration"

    def command(port: int) -> list[str]:
        file.write_text(CONFIGURATION.format(port=port, host=LOOPBACK))
        return [broker, "-c", str(file)]

    with running(command, tmp_path / "log") as port:
        address = f"{LOOPBACK}:{port}"
        with opened(
            native, "publisher", "mqtt", address, tmp_path, size, queue, False, qos=0
        ) as publisher:

            def accepts_again() -> bool:
                run(publisher, tmp_path / "sent", size, count=1)
                return bool((go(publisher, tmp_path / "sent")[:, 3] > 0).all())

            time.sleep(0.5)
            (server,) = (
                process
                for process in psutil.Process().children(recursive=True)
                if process.name() == BROKER
            )
            server.suspend()
            run(publisher, tmp_path / "sent", size, count=10)
            stuck = go(publisher, tmp_path / "sent")
            assert (stuck[:, 3] < 0).any() and (stuck[:, 3] > 0).any()
            server.kill()
            server.wait()
            with subprocess.Popen(command(port), stderr=subprocess.DEVNULL) as again:
                reconnected = wait_until(accepts_again, 10, 0.3)
                again.terminate()
            assert reconnected
