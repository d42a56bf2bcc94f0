# SPDX-License-Identifier: Apache-2.0
"""Native clients whose library is in Rust: what is lost, what is refused, and who is replaced."""

from __future__ import annotations

import os
import re
import secrets
import signal
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.transport_ends import LIMIT_S, client_of, go, opened, prime, run
from wirecost.measure.bench.transport.choices import LEAST_RUST, NATIVE, PYTHON, RUST_PROGRAMS
from wirecost.measure.bench.transport.protocol import RECEIVED, read_rows
from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import LOOPBACK
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

ROOT = Path(__file__).resolve().parents[3]
CRATE = ROOT / "cpp" / "bench" / "transport" / "rust"
MWARES = ("iceoryx2", "zenoh", "zenoh-shm")
SIZE, COUNT, DEPTH = 1000, 60, 4


@pytest.fixture(autouse=True)
def folder() -> Iterator[None]:
    with scratch.run():
        yield


@pytest.fixture
def topic() -> str:
    return f"test_{secrets.token_hex(6)}"


def usable(mware: str) -> None:
    if why := find(mware).missing():
        pytest.skip(why)


def test_both_kinds_of_client_have_the_same_library() -> None:
    manifest = tomllib.loads((CRATE / "Cargo.toml").read_text())
    list_of_python = (ROOT / "setup" / "python-transports.txt").read_text()
    python = dict(re.findall(r"^(\S+)==(\S+)$", list_of_python, re.M))
    dependencies = manifest["dependencies"]
    assert dependencies["iceoryx2"] == f"={python['iceoryx2']}"
    assert dependencies["zenoh"]["version"] == f"={python['eclipse-zenoh']}"
    assert manifest["package"]["rust-version"] == LEAST_RUST


@pytest.mark.parametrize("mware", RUST_PROGRAMS)
def test_a_client_reports_the_version_of_its_library(mware: str) -> None:
    lock = tomllib.loads((CRATE / "Cargo.lock").read_text())
    (version,) = (one["version"] for one in lock["package"] if one["name"] == mware)
    assert client_of(NATIVE, mware).versions == {mware: version}


@pytest.mark.parametrize("mware", MWARES)
@pytest.mark.parametrize("lossless", [False, True])
def test_a_slow_subscriber_loses_the_oldest_or_is_waited_for(
    mware: str, lossless: bool, topic: str, tmp_path: Path
) -> None:
    usable(mware)
    native = client_of(NATIVE, mware)
    asked = (DEPTH, True) if lossless else (None, None)
    options = {} if lossless else {"depth": DEPTH}
    with (
        opened(native, "publisher", mware, "", tmp_path, SIZE, *asked, topic=topic) as publisher,
        opened(
            native, "subscriber", mware, "", tmp_path, SIZE, *asked, topic=topic, **options
        ) as subscriber,
    ):
        prime(publisher, subscriber)
        run(subscriber, tmp_path / "received", SIZE, hold_ns=5_000_000)
        run(publisher, tmp_path / "sent", SIZE, count=COUNT)
        assert (go(publisher, tmp_path / "sent")[:, 3] > 0).all()
        subscriber.ask("finish", LIMIT_S, count=COUNT, quiet=0.5)
        received = read_rows(tmp_path / "received", RECEIVED)
    assert (received[:, 2] == 1).all()
    numbers = received[:, 0].tolist()
    assert numbers == sorted(set(numbers))
    assert numbers[-1] == COUNT - 1
    assert (len(numbers) == COUNT) == lossless


@pytest.mark.parametrize("publisher", [PYTHON, NATIVE])
@pytest.mark.parametrize("peer", [False, True])
def test_zenoh_meets_at_a_router(publisher: str, peer: bool, topic: str, tmp_path: Path) -> None:
    usable("zenoh")
    ends = client_of(publisher, "zenoh"), client_of(NATIVE, "zenoh")
    options = {"overwrites": True, "peer": True} if peer else {}
    with find("zenoh").server_at(LOOPBACK) as router:
        asked = ("zenoh", str(router), tmp_path, SIZE, COUNT, True)
        with (
            opened(ends[0], "publisher", *asked, topic=topic, **options) as publishing,
            opened(ends[1], "subscriber", *asked, topic=topic, **options) as subscriber,
        ):
            prime(publishing, subscriber)
            run(subscriber, tmp_path / "received", SIZE)
            run(publishing, tmp_path / "sent", SIZE, count=COUNT)
            go(publishing, tmp_path / "sent")
            subscriber.ask("finish", LIMIT_S, count=COUNT, quiet=0.5)
            received = read_rows(tmp_path / "received", RECEIVED)
    assert received[:, 0].tolist() == list(range(COUNT))
    assert (received[:, 2] == 1).all()


def shared_files(process: int) -> set[str]:
    """Return the files in shared memory that a process has mapped, but the counter of nodes."""
    maps = Path(f"/proc/{process}/maps").read_text()
    files = set(re.findall(r"(/dev/shm/\S+)$", maps, re.M))
    return {file for file in files if not file.endswith(".global_mgmt")}


@pytest.mark.parametrize("mware", MWARES)
def test_ends_that_were_closed_leave_nothing_in_shared_memory(
    mware: str, topic: str, tmp_path: Path
) -> None:
    usable(mware)
    native = client_of(NATIVE, mware)
    with (
        opened(native, "publisher", mware, "", tmp_path, SIZE, topic=topic) as publisher,
        opened(native, "subscriber", mware, "", tmp_path, SIZE, topic=topic) as subscriber,
    ):
        prime(publisher, subscriber)
        files = shared_files(publisher.pid) | shared_files(subscriber.pid)
    assert files
    assert [file for file in files if Path(file).exists()] == []


@pytest.mark.parametrize("mware", MWARES)
def test_another_publisher_takes_the_place_of_a_killed_one(
    mware: str, topic: str, tmp_path: Path
) -> None:
    usable(mware)
    native = client_of(NATIVE, mware)
    with (
        find(mware).server(),  # it clears away what killed processes leave
        opened(native, "subscriber", mware, "", tmp_path, SIZE, topic=topic) as subscriber,
    ):
        for _ in range(2):
            with opened(native, "publisher", mware, "", tmp_path, SIZE, topic=topic) as publisher:
                prime(publisher, subscriber)
                os.kill(publisher.pid, signal.SIGKILL)


@pytest.mark.parametrize(
    ("mware", "address", "depth", "why"),
    [
        ("iceoryx2", "../elsewhere", 2, r"must be 1 to 24 letters, digits, _ or -$"),
        ("iceoryx2", "", 65, r"depth 65 must be 1 to 64$"),
        ("zenoh", "tcp/127.0.0.1:1", 2, r"start a router at tcp/127\.0\.0\.1:1$"),
        ("zenoh", "nonsense", 2, r"start a router at nonsense$"),
    ],
)
def test_what_cannot_be_opened_is_one_line_with_a_remedy(
    mware: str, address: str, depth: int, why: str, tmp_path: Path
) -> None:
    native = client_of(NATIVE, mware)
    with (
        pytest.raises(ProgramFailedError, match=why) as error,
        opened(native, "subscriber", mware, address, tmp_path, SIZE, depth=depth),
    ):
        pass
    assert len(str(error.value).splitlines()) == 1


def test_a_folder_that_others_can_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as runtime:  # paths of sockets are short
        folder = Path(runtime, "wirecost")
        folder.mkdir()
        folder.chmod(0o777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        for mware in RUST_PROGRAMS:
            native = client_of(NATIVE, mware)
            with (
                pytest.raises(ProgramFailedError, match="can be written by others"),
                opened(native, "publisher", mware, "", tmp_path, SIZE),
            ):
                pass
