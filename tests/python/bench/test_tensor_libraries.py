# SPDX-License-Identifier: Apache-2.0
"""Result folders record the library behind each contender, and the version that is installed."""

from __future__ import annotations

import importlib.metadata
import subprocess

import pytest

from wirecost.measure.bench.tensor.contenders import contender_names, find_contender
from wirecost.messaging.transport import find, names

OWN = {"memcpy", "in-process", "shm", "shm-in-place"}
LIBRARIES = {
    "dds": "libfastrtps-dev",
    "ecal": "eclipse-ecal",
    "grpc": "grpcio",
    "iceoryx2": "iceoryx2",
    "mqtt": "paho-mqtt",
    "nats": "nats-py",
    "rclpy": "rclpy",
    "ros1": "python3-rospy",
    "ros2": "rclpy",
    "websocket": "websockets",
    "yarp": "yarp-middleware",
    "zenoh": "eclipse-zenoh",
    "zenoh-shm": "eclipse-zenoh",
    "zeromq": "pyzmq",
    "zeromq-tcp": "pyzmq",
}


def installed(package: str) -> str | None:
    """Return the version that pip or dpkg has."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        listed = subprocess.run(
            ["dpkg", "-s", package], capture_output=True, text=True, check=False
        )
        lines = listed.stdout.splitlines()
        return next((line.split()[1] for line in lines if line.startswith("Version:")), None)


@pytest.mark.parametrize("name", names())
def test_a_transport_names_its_package_and_how_to_install_it(name: str) -> None:
    kind = find(name)
    assert kind.package.name == LIBRARIES[name]
    if (why := kind.package.missing()) is not None:
        assert why.startswith("not installed: ")
        assert kind.package.version() is None
    else:
        assert kind.package.version() == installed(kind.package.name)


@pytest.mark.parametrize("name", contender_names())
def test_a_contender_records_the_version_of_its_library(name: str) -> None:
    contender = find_contender(name, 64)
    package = "wirecost" if name in OWN else LIBRARIES[name.removeprefix("raw-")]
    assert contender.about()["library"] == f"{package} {installed(package) or 'unknown version'}"
    assert ("send_copies" in contender.about()) == (name in names())
