# SPDX-License-Identifier: Apache-2.0
"""Peers that lie, hang, trickle or flood: they are refused, and others are served on."""

from __future__ import annotations

import socket
import struct
import threading
import time
import xmlrpc.client
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.waiting import until
from wirecost._middleware import Queue
from wirecost.replay import ros1
from wirecost.replay.middleware import Service, Topic
from wirecost.replay.ros1 import rpc, tcpros
from wirecost.replay.ros1.definitions import Definitions
from wirecost.replay.ros1.parameter_tree import ParameterTree
from wirecost.replay.ros1.server import TcprosServer
from wirecost.replay.ros1.service import exchange, shake_hands_with_provider
from wirecost.replay.ros1.slave import ApiServer, SlaveApi
from wirecost.replay.ros1.sockets import PeerError, deadline
from wirecost.replay.ros1.subscriptions import Subscriptions

HOST = "127.0.0.1"


@contextmanager
def peer(behave: Callable[[socket.socket], None]) -> Iterator[int]:
    """Start a server that does to each connection what it likes; return its port."""
    with socket.create_server((HOST, 0)) as listener:

        def serve() -> None:
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    try:
                        behave(connection)
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()


@given(st.dictionaries(st.text(min_size=1).filter(lambda t: "=" not in t), st.text(), max_size=8))
def test_headers_come_back_as_they_were(fields: dict[str, str]) -> None:
    encoded = tcpros.encode(fields)
    assert struct.unpack_from("<I", encoded)[0] == len(encoded) - 4
    assert tcpros.decode(encoded[4:]) == fields


@given(st.binary(max_size=200))
def test_any_bytes_are_a_header_or_refused(body: bytes) -> None:
    try:
        fields = tcpros.decode(body)
    except PeerError:
        return
    assert all(isinstance(value, str) for value in fields.values())


@pytest.mark.parametrize(
    "sent",
    [
        struct.pack("<I", 0xFFFFFFFF),
        struct.pack("<I", 2 << 20) + b"x" * 1000,
        struct.pack("<II", 8, 0x7FFFFFFF) + b"a=b!",
        struct.pack("<II", 8, 4) + b"text",
        struct.pack("<I", 3) + b"abc",
        struct.pack("<I", 100) + b"cut",
        b"",
    ],
)
def test_a_lying_header_ends_the_handshake(sent: bytes) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(sent)

    with peer(behave) as port, pytest.raises(PeerError):
        shake_hands_with_provider(f"rosrpc://{HOST}:{port}", "/s", "/me", {})


def trickle(connection: socket.socket) -> None:
    for byte in b"HTTP/1.0 200 OK\r\n" + b"X: y\r\n" * 1000:
        connection.sendall(bytes([byte]))
        time.sleep(0.01)


def test_a_peer_that_trickles_costs_no_more_than_the_time_given() -> None:
    with peer(trickle) as port:
        with pytest.raises(PeerError, match=r"too slowly|timed out"):
            rpc.call(f"http://{HOST}:{port}", "getPid", "/me", timeout_s=0.3)
        with (
            socket.create_connection((HOST, port)) as connection,
            pytest.raises(PeerError, match="too slowly"),
        ):
            tcpros.read_header(connection, deadline(0.02))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no xml",
        b"<methodResponse></methodResponse>",
        b"<methodResponse><params><param><value><int>x</int></value></param></params>",
        xmlrpc.client.dumps((1,), methodresponse=True).encode(),
        xmlrpc.client.dumps(([1, "two"],), methodresponse=True).encode(),
        xmlrpc.client.dumps(([0, "says no", 0],), methodresponse=True).encode(),
        xmlrpc.client.dumps(xmlrpc.client.Fault(1, "faulty")).encode(),
        b"<!DOCTYPE x [<!ENTITY a '"
        + b"z" * 1000
        + b"'>"
        + b"".join(b"<!ENTITY %c '%s'>" % (98 + i, b"&%c;" % (97 + i) * 50) for i in range(8))
        + b"]><x>&i;</x>",
    ],
)
def test_what_is_no_good_answer_is_refused(body: bytes) -> None:
    def behave(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n" + body)

    with peer(behave) as port, pytest.raises(PeerError):
        rpc.call(f"http://{HOST}:{port}", "getPid", "/me")


@given(st.binary(max_size=300))
def test_any_answer_is_refused_or_read(body: bytes) -> None:
    try:
        rpc.value_of(b"<methodResponse><params>" + body, "test")
    except PeerError:
        return


def test_an_answer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rpc, "MAX_RESPONSE_BYTES", 1 << 20)

    def behave(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n")
        while True:
            connection.sendall(b"x" * 65536)

    with peer(behave) as port, pytest.raises(PeerError, match="more than 1048576 bytes"):
        rpc.call(f"http://{HOST}:{port}", "getPid", "/me")


@pytest.mark.parametrize(
    "uri", ["", "http://", "ftp://a:1", "http://h:99999", "http://h", "rosrpc"]
)
def test_what_is_no_address_is_refused(uri: str) -> None:
    with pytest.raises(PeerError, match="is not http://host:port"):
        rpc.call(uri, "getPid", "/me")


def test_an_api_serves_on_beside_silent_and_lying_clients() -> None:
    with ApiServer(HOST, SlaveApi("http://master")) as server:
        port = int(server.uri.rstrip("/").rpartition(":")[2])
        clients = [socket.create_connection((HOST, port)) for _ in range(20)]
        clients[0].sendall(b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n")
        clients[1].sendall(b"POST / HTTP/1.0\r\nContent-Length: -1\r\n\r\n")
        clients[2].sendall(b"\xff\xfe" * 1000 + b"\r\n\r\n")
        clients[3].sendall(b"POST / HTTP/1.0\r\nContent-Length: 10\r\n\r\n12")
        for client in clients[:2]:
            client.settimeout(5)
            assert b"413" in client.recv(4096)
        assert rpc.call(server.uri, "getMasterUri", "/me") == "http://master"
        with pytest.raises(PeerError, match=r"not supported|no such"):
            rpc.call(server.uri, "_tcpros", "/me")
        with pytest.raises(PeerError):
            rpc.call(server.uri, "getPid")
        for client in clients:
            client.close()


def test_a_server_serves_on_beside_silent_clients_and_ends_with_them() -> None:
    served = threading.Event()
    with TcprosServer(HOST, lambda _connection, _header: served.set()) as server:
        silent = [socket.create_connection((HOST, server.port)) for _ in range(300)]
        until(lambda: server.connections() == 256)
        for client in silent[:50]:
            client.close()
        until(lambda: server.connections() < 256)
        with socket.create_connection((HOST, server.port)) as good:
            good.sendall(tcpros.encode({"topic": "/x"}))
            assert served.wait(10)
    until(lambda: server.connections() == 0)
    for client in silent:
        client.close()


def test_a_lying_publisher_is_noted_and_others_are_recorded() -> None:
    header = {"type": "a/B", "md5sum": "0", "callerid": "/liar"}

    def lie(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(tcpros.encode(header) + b"\xff\xff\xff\xff")
        connection.recv(1)

    def send(connection: socket.socket) -> None:
        connection.recv(4096)
        connection.sendall(tcpros.encode(header) + struct.pack("<I", 4) + b"true")
        connection.recv(1)

    with peer(lie) as lying, peer(send) as honest:
        apis = [SlaveApi("", tcpros=lambda _, at=(HOST, port): at) for port in (lying, honest)]
        definitions = Definitions("/me")
        with ApiServer(HOST, apis[0]) as first, ApiServer(HOST, apis[1]) as second:
            links = Subscriptions("/me", definitions.learn)
            queue = Queue(1 << 20)
            links.add("/x", 3, queue)
            links.set_publishers("/x", [first.uri, second.uri, "nonsense"])
            (message,) = until(lambda: queue.take(10, 0.1))
            assert (message[0], message[-1]) == (3, b"true")
            notes: list[str] = []

            def all_noted() -> bool:
                notes.extend(links.notes())
                return len({note.split(": ")[1] for note in notes}) == 2

            until(all_noted)
            assert any("of 4294967295 bytes" in note for note in notes)
            assert any("'nonsense' is not" in note for note in notes)
            assert definitions.topic("/x", "*").type == "a/B"
            links.close()


def test_an_isolated_system_refuses_what_it_does_not_offer() -> None:
    with ros1.new_isolated_system() as isolated:
        isolated.publish(Topic("/in", "a/B", "0"))
        isolated.answer(Service("/s", "a/B", "0"), [])
        master = isolated.environment()["ROS_MASTER_URI"]
        uri = rpc.call(master, "lookupService", "/me", "/s")
        for fields in ({"topic": "/none"}, {}, {"service": "/none"}):
            port = int(uri.rpartition(":")[2])
            with (
                closing(socket.create_connection((HOST, port))) as client,
                pytest.raises(PeerError, match=r"not (published|answered) here"),
            ):
                tcpros.shake_hands(client, fields, deadline(5))
        connection, _ = shake_hands_with_provider(uri, "/s", "/me", {"persistent": "1"})
        with connection:
            assert not exchange(connection, b"any").ok
            connection.sendall(b"\xff\xff\xff\xff")
            connection.settimeout(5)
            assert connection.recv(1) == b""


@given(st.lists(st.tuples(st.text("ab/", max_size=6), st.integers(0, 9)), max_size=12))
def test_parameters_are_found_where_they_were_put(pairs: list[tuple[str, int]]) -> None:
    tree = ParameterTree()
    for name, value in pairs:
        tree.set(name, value)
        if name.strip("/"):
            assert tree.get(name) == value
            assert tree.search(name, "/" + name.strip("/")) is not None
    for name in tree.names():
        if name:
            tree.delete(name)
            assert not tree.has(name)
