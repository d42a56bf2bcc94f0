# SPDX-License-Identifier: Apache-2.0
"""Traces of eCAL in shared memory, and messages at its own subscribers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support import needs
from support.transport_peer import PATIENCE, Bytes, Peer
from wirecost.messaging.transport import open_transport
from wirecost.messaging.transport.ecal.adapter import current_umask
from wirecost.messaging.transport.ecal.leftovers import sweep


@pytest.fixture
def system(tmp_path: Path) -> tuple[Path, Path]:
    """Shared memory with a publisher's files, and a process that maps one of them."""
    memory, processes = tmp_path / "shm", tmp_path / "proc"
    memory.mkdir()
    (processes / "12").mkdir(parents=True)
    for name in (
        "ecal_0a1b2c3d",
        "ecal_0a1b2c3d_mtx",
        "ecal_0a1b2c3d_77_evt",
        "ecal_ffffffff",
        "ecal_ffffffff_77_ack_evt",
        "ecal_mon",
        "other",
    ):
        (memory / name).touch()
        os.utime(memory / name, (1, 1))
    line = f"7f00-7f01 rw-s 00000000 00:17 9 {memory}/ecal_ffffffff_77_ack_evt"
    (processes / "12" / "maps").write_text(f"7f00-7f01 r-xp 0 0 1 /bin/x\n{line}\n")
    return memory, processes


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()}


def test_what_nobody_maps_is_removed(
    system: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirecost.messaging.transport.ecal.leftovers._OLD_S", -1)
    assert sweep(*system) == 3
    assert names(system[0]) == {"ecal_ffffffff", "ecal_ffffffff_77_ack_evt", "ecal_mon", "other"}


def test_what_is_young_is_left_alone(system: tuple[Path, Path]) -> None:
    (system[0] / "ecal_0a1b2c3d_mtx").touch()
    before = names(system[0])
    assert sweep(*system) == 0
    assert names(system[0]) == before


BUSY = """
import sys
from wirecost.transport import open_transport
with open_transport("ecal", sys.argv[1]) as transport:
    for _ in range(600):
        with transport.subscriber("a") as subscriber:
            for _ in range(3):
                assert subscriber.receive(60)
    last = transport.subscriber("a")
    assert last.receive(60)
"""


THREADS = """
from concurrent.futures import ThreadPoolExecutor
from wirecost.transport import open_transport
with open_transport("ecal") as transport, ThreadPoolExecutor(4) as threads:
    for publisher in list(threads.map(transport.publisher, "abcd")):
        publisher.close()
"""


def test_subscribers_end_while_messages_come() -> None:
    with needs.transport("ecal").server() as address:
        peer = Peer("ecal", address)
        peer.call("publisher", topic="a")
        peer.call("send_forever", topic="a", size=100)
        try:
            # A deadlock would hold up its process with all its threads.
            command = [sys.executable, "-c", BUSY, str(address)]
            subprocess.run(command, check=True, timeout=4 * PATIENCE)
        finally:
            peer.signal(signal.SIGKILL)
            peer.end()


def test_the_umask_that_ecal_leaves_at_0_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        needs.transport("ecal").server() as address,
        open_transport("ecal", address) as transport,
        transport.publisher("a") as publisher,
    ):
        os.umask(0)
        subscriber = transport.subscriber("a")
        assert current_umask() == 0o022
        assert publisher.wait_for_subscriber(PATIENCE)
        os.umask(0)
        publisher.send(Bytes(bytes(100_000)))
        assert current_umask() == 0o022
        os.umask(0)
        subscriber.close()
        assert current_umask() == 0o022
        # Nothing else was seen: the user's own.
        monkeypatch.setattr("wirecost.messaging.transport.ecal.adapter._REMEMBERED", [0])
        os.umask(0)
        transport.subscriber("a").close()
        assert current_umask() == 0


def test_the_first_endpoints_may_be_opened_by_several_threads() -> None:
    needs.transport("ecal")
    subprocess.run([sys.executable, "-c", THREADS], check=True, timeout=PATIENCE)


def test_a_transport_has_names_of_its_own() -> None:
    kind = needs.transport("ecal")
    with kind.server() as first, kind.server() as other:
        assert first
        assert first != other
