# SPDX-License-Identifier: Apache-2.0
"""Strangers at ZeroMQ's port that are no peers are cut off, and end nothing."""

from __future__ import annotations

import socket
import sys
from contextlib import suppress

import pytest

import wirecost
from support import needs
from support.programs import execute

needs.package("zmq")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


CLOSING = """
import os, socket, sys, threading, time
import wirecost

port = int(sys.argv[1])
sent = [b"\\x01\\x00", b"G", b"GET / HTTP/1.1\\r\\n\\r\\n", os.urandom(64)]


def strange(data):
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), 1) as one:
                one.sendall(data)
                one.settimeout(0.02)
                one.recv(100)
        except OSError:
            time.sleep(0.001)


for data in sent * 3:
    threading.Thread(target=strange, args=(data,), daemon=True).start()
for _ in range(30):
    with wirecost.publish("zeromq-tcp", "camera", address=f"tcp://127.0.0.1:{port}") as camera:
        for _ in range(10):
            camera.send({"a": 1})
            time.sleep(0.005)
print("lived")
"""


@pytest.mark.parametrize(
    "greeting", [b"\x01\x00", b"\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x01\x02"]
)
def test_peers_before_zmtp_3_are_cut_off(greeting: bytes) -> None:
    port = free_port()
    with (
        wirecost.publish("zeromq-tcp", "camera", address=f"tcp://127.0.0.1:{port}") as camera,
        socket.create_connection(("127.0.0.1", port), 10) as stranger,
    ):
        stranger.settimeout(30)
        stranger.sendall(greeting)
        received = b""
        with suppress(ConnectionResetError):
            while data := stranger.recv(4096):
                camera.send({"a": 1})
                received += data
        assert len(received) < 64  # no more than a greeting


def test_strangers_do_not_end_a_publisher_that_closes() -> None:
    done = execute([sys.executable, "-c", CLOSING, str(free_port())], timeout=120)
    assert (done.returncode, done.stdout) == (0, "lived\n"), done.stderr
