# SPDX-License-Identifier: Apache-2.0
"""YARP: what its users meet beyond the contract of all transports."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import needs, networks
from support.transport_peer import PATIENCE, Bytes, Peer
from wirecost.messaging.transport import find, open_transport
from wirecost.messaging.transport.base import Transport
from wirecost.messaging.transport.shared.loopback import own_sockets
from wirecost.messaging.transport.yarp import publisher as sending
from wirecost.messaging.transport.yarp.library import yarp
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

SOAK = [sys.executable, "-m", "support.yarp_soak"]
SUPPORT = Path(networks.__file__).parents[1]


def test_it_is_installed() -> None:
    assert find("yarp").missing() is None, "run setup/yarp"


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with needs.server("yarp") as address:
        assert address
        yield address


@pytest.fixture
def here(server: str) -> Iterator[Transport]:
    with open_transport("yarp", server) as transport:
        yield transport


@pytest.mark.parametrize("network", networks.NETWORKS)
def test_an_ordinary_user_loses_nothing_and_stays_on_loopback(network: str) -> None:
    command = ["env", f"PYTHONPATH={SUPPORT}", *SOAK, "10000", "500"]
    done = networks.run_inside(network, command, ordinary=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"in_order": True, "lost": 0, "listening": ["127.0.0.1"]}
    assert done.stderr == ""


def test_ports_are_at_the_address_from_which_the_name_server_is_reached() -> None:
    address = networks.SECOND_ADDRESS
    command = ["env", f"PYTHONPATH={SUPPORT}", *SOAK, "50", "50", address]
    done = networks.run_inside("second", command)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"in_order": True, "lost": 0, "listening": [address]}


def test_a_subscriber_that_stops_is_left_behind(
    here: Transport, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sending, "_STALLED_S", 0.3)
    peer = Peer("yarp", server)
    peer.call("subscriber", topic="stops")
    with here.publisher("stops") as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        os.kill(peer.pid, signal.SIGSTOP)
        large = Bytes(bytes(8_000_000))
        # More than fits into the sockets.
        while publisher.wait_for_subscriber(0):
            publisher.send(large)
        os.kill(peer.pid, signal.SIGCONT)
        assert publisher.wait_for_subscriber(PATIENCE)
        publisher.send(Bytes(b"again"))
        peer.begin("drain", topic="stops", silence=0.5)
        numbers = peer.answer()
        assert numbers[-1] == publisher.sent + publisher.dropped - 1
        counted = peer.call("count", topic="stops")
        assert counted["received"] + counted["lost"] == numbers[-1] - numbers[0] + 1
    assert peer.end() == 0


def test_a_subscriber_closes_beside_a_publisher_that_stops(here: Transport, server: str) -> None:
    peer = Peer("yarp", server)
    peer.call("publisher", topic="stopped")
    subscriber = here.subscriber("stopped")
    assert peer.call("wait", topic="stopped")
    os.kill(peer.pid, signal.SIGSTOP)
    subscriber.close()
    peer.signal(signal.SIGKILL)


def test_children_keep_their_exit_status(here: Transport) -> None:
    before = signal.getsignal(signal.SIGCHLD)
    with here.publisher("children"), here.subscriber("children"):
        assert subprocess.run(["sh", "-c", "exit 3"], check=False).returncode == 3
    assert signal.getsignal(signal.SIGCHLD) == before


def test_the_server_ends_with_its_user() -> None:
    code = (
        "from wirecost.transport import find\n"
        "import sys\n"
        "with find('yarp').server() as address:\n"
        "    print(address, flush=True)\n"
        "    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as user:
        assert user.stdout
        address = user.stdout.readline().strip()
        assert _servers(address)
        user.kill()
    assert wait_until(lambda: not _servers(address), PATIENCE)


def _servers(address: str) -> list[Path]:
    """Return processes that are name servers at an address."""
    port = address.rpartition(":")[2]
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"yarpserver") and port.encode() in words:
            processes.append(path)
    return processes


def test_a_server_that_is_killed_takes_no_connection_along() -> None:
    code = (
        "import sys\n"
        "from support.transport_peer import Bytes\n"
        "from wirecost.system.errors import UserError\n"
        "from wirecost.transport import open_transport\n"
        "with open_transport('yarp', sys.argv[1]) as here:\n"
        "    publisher, subscriber = here.publisher('x'), here.subscriber('x')\n"
        "    assert publisher.wait_for_subscriber(30)\n"
        "    print('connected', flush=True)\n"
        "    sys.stdin.readline()\n"
        "    publisher.send(Bytes(b'arrives'))\n"
        "    assert bytes(subscriber.receive(30).buffer) == b'arrives'\n"
        "    try:\n"
        "        here.publisher('y')\n"
        "    except UserError as error:\n"
        "        print(error)\n"
    )
    with find("yarp").server() as address:
        assert address
        with subprocess.Popen(
            [sys.executable, "-c", code, address],
            env={**os.environ, "PYTHONPATH": str(SUPPORT)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as user:  # fmt: skip
            assert user.stdout
            assert user.stdout.readline() == "connected\n"
            (server,) = _servers(address)
            os.kill(int(server.parent.name), signal.SIGKILL)
            printed, _ = user.communicate("\n", timeout=PATIENCE)
    assert f"at {address} any more" in printed
    assert user.returncode == 0


def test_a_second_publisher_of_a_topic_is_refused(here: Transport) -> None:
    with here.publisher("one"), pytest.raises(UserError, match="another publisher has YARP's port"):
        here.publisher("one")
    here.publisher("one").close()


def test_ports_end_before_yarp_crashes(here: Transport) -> None:
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(520)]
    try:
        with pytest.raises(UserError, match="open fewer topics"):
            here.publisher("many")
    finally:
        for endpoint in opened:
            os.close(endpoint)


@pytest.mark.parametrize("topic", ["", "/", "x y", "a=b", "a@b", "ä", "a:b", "#"])
def test_names_that_yarp_cannot_have(here: Transport, topic: str) -> None:
    for make in here.publisher, here.subscriber:
        with pytest.raises(UserError, match=r"letters, digits and _ \. / -"):
            make(topic)


def test_the_name_servers_own_name(here: Transport) -> None:
    for make in here.publisher, here.subscriber:
        with pytest.raises(UserError, match="name server has that name"):
            make("root")


def test_a_strangers_image_is_refused(here: Transport) -> None:
    image = yarp().ImageMono()
    pixels = bytearray(b"\xc8" * 56)
    image.setExternal(pixels, 8, 7)
    with here.publisher("strange") as publisher, here.subscriber("strange") as subscriber:
        assert publisher.wait_for_subscriber(PATIENCE)
        publisher._port.port.write(image)
        with pytest.raises(UserError, match="is none of wirecost's"):
            subscriber.receive(PATIENCE)


@pytest.mark.usefixtures("here")
def test_a_process_uses_one_name_server(server: str) -> None:
    reason = f"uses the name server at {server} already"
    with find("yarp").server() as another, pytest.raises(UserError, match=reason):
        open_transport("yarp", another)


def test_a_name_server_that_is_away_is_named() -> None:
    with find("yarp").server() as address:
        assert address
    with pytest.raises(UserError, match=f"no YARP name server at {address}: start yarpserver"):
        open_transport("yarp", address)
    with pytest.raises(UserError, match="host:port is needed"):
        open_transport("yarp", "/root:x")


USER = """
import sys
from wirecost.system.errors import UserError
from wirecost.transport import open_transport
try:
    with open_transport("yarp", *sys.argv[1:]) as transport:
        print(transport._server)
except UserError as error:
    print(error)
"""


def _as_user(home: Path, *address: str, **variables: str) -> str:
    """Return the output of a program whose user has set YARP up in a folder."""
    done = subprocess.run(
        [sys.executable, "-c", USER, *address],
        env={**os.environ, "YARP_CONFIG_HOME": str(home), **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_yarps_own_settings_are_used_and_kept(server: str, tmp_path: Path) -> None:
    assert re.fullmatch(r"YARP is set.*yarpserver.*", _as_user(tmp_path))
    (tmp_path / "yarp.conf").write_text("127.0.0.1 1 yarp\n")
    assert "at 127.0.0.1:1" in _as_user(tmp_path)
    host, _, port = server.partition(":")
    (tmp_path / "_icub.conf").write_text(f"{host} {port} yarp\n")
    assert _as_user(tmp_path, YARP_NAMESPACE="/icub") == server
    assert _as_user(tmp_path, server) == server
    assert sorted(path.name for path in tmp_path.iterdir()) == ["_icub.conf", "yarp.conf"]
    assert (tmp_path / "yarp.conf").read_text() == "127.0.0.1 1 yarp\n"


def test_another_library_of_that_name_is_no_middleware(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "yarp").mkdir()
    (tmp_path / "yarp" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "yarp", raising=False)
    why = find("yarp").missing()
    assert why is not None
    assert "pip uninstall yarp" in why
    assert "setup/yarp" in why


def test_sockets_that_are_looked_at_stay_as_they_are() -> None:
    """A default timeout of somebody else's library must not make them nonblocking."""
    default = socket.getdefaulttimeout()
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(True)
        socket.setdefaulttimeout(5)
        try:
            assert server.fileno() in {number for number, _ in own_sockets()}
        finally:
            socket.setdefaulttimeout(default)
        assert os.get_blocking(server.fileno())
