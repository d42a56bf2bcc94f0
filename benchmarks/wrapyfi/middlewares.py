# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi's middlewares: servers between their peers, and variables with their addresses."""

from __future__ import annotations

import importlib.util
import json
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import program, running
from wirecost.system import scratch

from .environment import interpreter

Variables = dict[str, str]
RELAY = Path(__file__).with_name("relay.py")
PREFIX = "wrapyfi-"
"""Start of the names of Wrapyfi's contenders."""
IN_PROCESS = "in-process"
ZENOH_CONFIG = {"scouting": {"multicast": {"enabled": False}}}
ZEROMQ_PORTS = ("SOCKET_PUB", "SOCKET_SUB", "PARAM_PUB", "PARAM_SUB", "PARAM_REQREP")


@dataclass(frozen=True)
class Middleware:
    """Middleware of Wrapyfi.

    ``server``: runs what has to be there first, and yields the environment of both ends.
    """

    name: str
    """Wrapyfi's name for it."""
    server: Callable[[], AbstractContextManager[Variables]]
    listens: Callable[[Variables], Variables] = lambda _: {}
    """Function that returns the listener's further environment."""
    program: str = ""
    """Program that has to be installed, and the Debian package that has it."""
    modules: tuple[str, ...] = ()
    """Python modules that only Debian has, each in ``python3-`` and its name."""

    transport: str = ""
    """Transport of ours with the library that Wrapyfi uses."""

    def missing(self) -> str | None:
        """Return why it cannot be used here."""
        if self.transport:
            return find(self.transport).missing() or find(self.transport).no_server()
        if self.program and program(self.program) is None:
            return f"no {self.program}: apt install {self.program}"
        lacking = [name for name in self.modules if importlib.util.find_spec(name) is None]
        if lacking:
            packages = " ".join(f"python3-{name}" for name in lacking)
            return f"no {', '.join(lacking)}: apt install {packages}"
        return None


def _free_ports(count: int) -> list[str]:
    with ExitStack() as stack:
        opened = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [str(server.getsockname()[1]) for server in opened]


@contextmanager
def _zeromq() -> Iterator[Variables]:
    """Choose ports; Wrapyfi starts its broker itself."""
    ports = _free_ports(len(ZEROMQ_PORTS))
    yield {
        f"WRAPYFI_ZEROMQ_{name}_PORT": port for name, port in zip(ZEROMQ_PORTS, ports, strict=True)
    }


@contextmanager
def _zenoh() -> Iterator[Variables]:
    (port,) = _free_ports(1)
    with scratch.folder("wrapyfi") as folder:
        config = folder / "zenoh.json"
        config.write_text(json.dumps(ZENOH_CONFIG))
        yield {"WRAPYFI_ZENOH_PORT": port, "WRAPYFI_ZENOH_CONFIG_FILEPATH": str(config)}


def _zenoh_listens(variables: Variables) -> Variables:
    port = variables["WRAPYFI_ZENOH_PORT"]
    return {"WRAPYFI_ZENOH_LISTEN": json.dumps([f"tcp/127.0.0.1:{port}"])}


@contextmanager
def _mqtt() -> Iterator[Variables]:
    with find("mqtt").server() as address:
        host, _, port = (address or "").rpartition(":")
        yield {"WRAPYFI_MQTT_BROKER_ADDRESS": host, "WRAPYFI_MQTT_BROKER_PORT": port}


@contextmanager
def _ros1() -> Iterator[Variables]:
    with find("ros1").server() as address:
        yield {"ROS_MASTER_URI": address or "", "ROS_IP": "127.0.0.1"}


@contextmanager
def _websocket() -> Iterator[Variables]:
    with scratch.folder("wrapyfi") as folder:

        def command(port: int) -> list[str]:
            return [str(interpreter()), "-P", str(RELAY), str(port)]

        with running(command, folder / "log") as port:
            yield {"WRAPYFI_WEBSOCKET_SOCKET_PORT": str(port)}


@contextmanager
def _yarp() -> Iterator[Variables]:
    with find("yarp").server() as address, scratch.folder("wrapyfi") as folder:
        host, _, port = (address or "").rpartition(":")
        (folder / "yarp.conf").write_text(f"{host} {port} yarp\n")
        yield {"YARP_CONFIG_HOME": str(folder), "YARP_IP": host, "YARP_QUIET": "1"}


@contextmanager
def _ros2() -> Iterator[Variables]:
    with find("ros2").server() as domain:
        yield {"ROS_DOMAIN_ID": domain or "", "ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


MIDDLEWARES = {
    "zeromq": Middleware("zeromq", _zeromq),
    "zenoh": Middleware("zenoh", _zenoh, _zenoh_listens),
    "websocket": Middleware("websocket", _websocket),
    "mqtt": Middleware("mqtt", _mqtt, program="mosquitto"),
    "ros1": Middleware("ros", _ros1, modules=("rosmaster", "rospy", "rostopic")),
    "yarp": Middleware("yarp", _yarp, transport="yarp"),
    "ros2": Middleware("ros2", _ros2, transport="ros2"),
}
"""Middlewares by the names of our transports."""
