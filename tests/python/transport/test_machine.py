# SPDX-License-Identifier: Apache-2.0
"""Effects of every transport on a machine that others use too.

It leaves nothing, is open to nobody, knows other users, and gets along with little room in
shared memory."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import secrets
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from support import needs
from support.programs import execute
from support.second_user import SECOND_USER, needs_root, open_folder, python_as_second_user
from support.transport_peer import PATIENCE, Peer, runtime_folder
from wirecost.messaging.transport import find, names, open_transport
from wirecost.system.errors import UserError

IN_SHARED_MEMORY = {"iceoryx2", "zenoh", "zenoh-shm", "ecal", "ros2"}
ELSE_BY_SOCKETS = {"zenoh"}
"""They send large messages by sockets where shared memory is full."""
READ_BY_OTHERS = {"ros2"}
IN_PRIVATE_FOLDERS = [
    "iceoryx2",
    "zeromq",
    "zeromq-tcp",
    "zenoh",
    "zenoh-shm",
    "websocket",
    "grpc",
]
OPEN_BEYOND_LOOPBACK: dict[str, str] = {}
"""Why, by transport; ``wirecost transports`` must say it too."""
TOPIC = f"machine/run_{secrets.token_hex(4)}"


@pytest.fixture(params=names())
def place(request: pytest.FixtureRequest, run_folder: Path) -> Iterator[tuple[str, str | None]]:  # noqa: ARG001
    """Return a transport's name and where it is."""
    with needs.server(request.param) as address:
        yield request.param, address


@pytest.fixture
def run_folder() -> Iterator[Path]:
    with runtime_folder() as folder:
        yield folder


@contextmanager
def peers(*places: tuple[Any, ...], **options: Any) -> Iterator[list[Peer]]:
    """Return processes, which end with the test."""
    started: list[Peer] = []
    try:
        for place in places:
            started.append(Peer(*place, **options))
        yield started
    finally:
        for peer in started:
            peer.end()


def exchange(name: str, sender: Peer, receiver: Peer, topic: str, size: int = 1_000_000) -> None:
    """Messages, and where there are requests one with its reply; the ends stay open."""
    receiver.call("subscriber", topic=topic)
    sender.call("publisher", topic=topic)
    assert sender.call("wait", topic=topic)
    sender.begin("send", topic=topic, sizes=[size] * 3)
    assert [length for length, _ in receiver.call("receive", topic=topic, count=3)] == [size] * 3
    sender.answer()
    if not find(name).capabilities.request_reply:
        return
    sender.call("replier", service=topic + "/service")
    receiver.call("requester", service=topic + "/service")
    sender.begin("reply", service=topic + "/service", count=1)
    assert receiver.call("ask", service=topic + "/service", size=size) == size
    sender.answer()


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def left(paths: set[str]) -> list[str]:
    return sorted(path for path in paths if Path(path).exists())


def test_processes_that_end_leave_nothing(place: tuple[str, str | None], run_folder: Path) -> None:
    shared: set[str] = set()
    with peers(place, place) as (sender, receiver):
        exchange(place[0], sender, receiver, TOPIC)
        for peer in sender, receiver:
            shared.update(peer.call("shared_files"))
        assert bool(shared) == (place[0] in IN_SHARED_MEMORY)
        for path in shared if place[0] not in READ_BY_OTHERS else ():
            assert Path(path).stat().st_mode & 0o077 == 0, path
    assert left(shared) == []
    assert files(run_folder) == []
    assert [path for path in run_folder.glob("wirecost/*/*") if "iceoryx2" not in str(path)] == []


def test_what_killed_processes_leave_goes_with_the_next(
    place: tuple[str, str | None], run_folder: Path
) -> None:
    shared: set[str] = set()
    with peers(place, place) as (sender, receiver):
        exchange(place[0], sender, receiver, TOPIC)
        for peer in sender, receiver:
            shared.update(peer.call("shared_files"))
        for peer in sender, receiver:
            peer.signal(signal.SIGKILL)
    end = time.monotonic() + PATIENCE
    while True:
        with peers(place, place) as (sender, receiver):
            exchange(place[0], sender, receiver, TOPIC, 100)
        # What was made just before may be somebody's who is just beginning.
        if not (left(shared) or files(run_folder)) or time.monotonic() > end:
            break
        time.sleep(0.5)
    assert left(shared) == []
    assert files(run_folder) == []


def test_nothing_is_open_beyond_loopback(place: tuple[str, str | None]) -> None:
    with peers(place, place) as (sender, receiver):
        exchange(place[0], sender, receiver, TOPIC)
        open_ports = sender.call("open_to_all") + receiver.call("open_to_all")
        servers = [
            child
            for child in psutil.Process().children(recursive=True)
            if child.pid not in {sender.pid, receiver.pid}
        ]
        for server in servers:
            open_ports += [
                f"{server.name()} at {connection.laddr}"
                for connection in server.net_connections("inet")
                if connection.laddr
                and connection.laddr.ip in {"0.0.0.0", "::"}
                and (connection.status == psutil.CONN_LISTEN or connection.type == 2)
            ]
    assert bool(open_ports) == (place[0] in OPEN_BEYOND_LOOPBACK), open_ports


@contextmanager
def second_users() -> Iterator[dict[str, Any]]:
    """Options of a process of another user, who has nothing yet."""
    python_as_second_user("")
    try:
        yield {
            "user": SECOND_USER,
            "group": SECOND_USER,
            "extra_groups": [],
            "cwd": "/",
            "env": {"PATH": os.environ.get("PATH", "/usr/bin:/bin")},
        }
    finally:
        shutil.rmtree(f"/tmp/wirecost-{SECOND_USER}", ignore_errors=True)


def find_missing(name: str) -> str:
    """Why the second user cannot use a transport."""
    program = f"from wirecost.transport import find; print(find({name!r}).missing() or '')"
    return python_as_second_user(program).stdout.removeprefix("\n")


@needs_root
@pytest.mark.parametrize("name", IN_PRIVATE_FOLDERS)
def test_two_users_have_topics_of_the_same_name(name: str, run_folder: Path) -> None:  # noqa: ARG001
    needs.transport(name)
    ours = name, None
    if name == "zenoh-shm" and find_missing(name):
        # An ordinary user may lock less memory than zenoh locks, and is told.
        assert re.fullmatch(r"zenoh locks.+ulimit -l.+\n", find_missing(name))
        return
    with (
        second_users() as other_user,
        peers(ours, ours) as (sender, receiver),
        peers(ours, ours, **other_user) as (their_sender, their_receiver),
    ):
        exchange(name, sender, receiver, TOPIC, 1000)
        exchange(name, their_sender, their_receiver, TOPIC, 2000)
        sender.call("send", topic=TOPIC, sizes=[3000])
        their_sender.call("send", topic=TOPIC, sizes=[4000])
        for peer, size in (receiver, 3000), (their_receiver, 4000):
            assert [length for length, _ in peer.call("receive", topic=TOPIC, count=1)] == [size]


@needs_root
@pytest.mark.parametrize("name", ["ecal", "dds"])
def test_a_second_user_on_the_same_loopback_does_no_harm(name: str) -> None:
    needs.transport(name)
    with needs.server(name) as address:
        place = name, address
        with (
            second_users() as other_user,
            peers(place, place) as (sender, receiver),
            peers(place, **other_user) as (their_receiver,),
        ):
            their_receiver.call("subscriber", topic=TOPIC)
            exchange(name, sender, receiver, TOPIC, 1000)
            for _ in range(20):
                sender.call("send", topic=TOPIC, sizes=[1000])
                assert receiver.call("receive", topic=TOPIC, count=1)


@pytest.mark.parametrize("name", IN_PRIVATE_FOLDERS)
@pytest.mark.parametrize("length", [20, 60, 150])
def test_the_private_folder_may_have_a_long_path(
    name: str, length: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs.transport(name)
    runtime = tmp_path / ("f" * length)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    with peers((name, None), (name, None)) as (sender, receiver):
        exchange(name, sender, receiver, TOPIC, 100)
    # Other tests of this user have folders of their own there.
    digest = hashlib.sha256(os.fsencode(runtime / "wirecost")).hexdigest()[:8]
    for folder in Path(f"/tmp/wirecost-{os.getuid()}").glob(f"*-{digest}"):
        shutil.rmtree(folder)


@needs_root
@pytest.mark.parametrize("name", IN_PRIVATE_FOLDERS)
@pytest.mark.parametrize("harm", ["foreign", "linked"])
def test_a_folder_that_is_not_ones_own_is_refused(
    name: str, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs.transport(name)
    with open_folder(0o1777) as common:
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(common))
        (common / "theirs").mkdir(mode=0o777)
        os.chown(common / "theirs", SECOND_USER, SECOND_USER)
        if harm == "linked":
            (common / "wirecost").symlink_to("theirs")
        else:
            (common / "theirs").rename(common / "wirecost")
        with pytest.raises(UserError, match=r"^[^\n]*wirecost[^\n]*; [^\n]*XDG_RUNTIME_DIR[^\n]*$"):
            open_transport(name).publisher("a")


SMALL = """
import sys
from wirecost.system.errors import UserError
from wirecost.transport import open_transport
sys.path.insert(0, sys.argv[1])
from support.transport_peer import content

try:
    with open_transport(sys.argv[2]) as transport:
        subscriber, publisher = transport.subscriber("a"), transport.publisher("a")
        assert publisher.wait_for_subscriber(10)
        held = []
        for size in (100, 5000, 200_000, 1_000_000):
            for _ in range(8):
                publisher.send(content(size, 1))
                held.append(subscriber.receive(10))
                assert held[-1] is not None and len(held[-1].buffer) == size
                del held[:-8]
                for one in held[:-4]:
                    one.release()
except UserError as error:
    assert "\\n" not in str(error) and "/dev/shm" in str(error), error
    print(error)
    sys.exit(4)
"""


@pytest.mark.parametrize("name", sorted(IN_SHARED_MEMORY - {"ros2"}))  # it goes on by UDP
def test_little_room_in_shared_memory_is_an_error_not_a_crash(
    name: str,
    run_folder: Path,  # noqa: ARG001
) -> None:
    needs.transport(name)
    script = 'mount -t tmpfs -o size="$1" none /dev/shm && shift && exec "$@"'
    program = [sys.executable, "-c", SMALL, str(Path(__file__).parents[1]), name]
    ends = {}
    for room in ("16k", "256k", "1m", "3m", "6m", "20m", "120m"):
        done = execute(
            ["unshare", "--mount", "sh", "-c", script, "sh", room, *program], timeout=4 * PATIENCE
        )
        if "unshare" in done.stderr or "mount:" in done.stderr:
            pytest.skip("no file system can be mounted here")
        assert done.returncode in {0, 4}, f"{room}: {done.returncode} {done.stdout}{done.stderr}"
        ends[room] = done.returncode
    assert (ends["16k"], ends["120m"]) == (0 if name in ELSE_BY_SOCKETS else 4, 0)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others keep other memory")
@pytest.mark.parametrize("name", ["ecal", "zenoh"])
def test_messages_that_grow_cost_no_page_faults(name: str) -> None:
    with needs.server(name) as address:
        sender, receiver = Peer(name, address), Peer(name, address)
        receiver.call("subscriber", topic="t")
        sender.call("publisher", topic="t")
        assert sender.call("wait", topic="t")
        receiver.begin("drain", topic="t", silence=2.0)
        faults = sender.call("faults", topic="t", sizes=[300_000, 500_000, 700_000], count=30)
        assert receiver.answer()
        assert max(faults) < 20, faults
        sender.end()
        receiver.end()
