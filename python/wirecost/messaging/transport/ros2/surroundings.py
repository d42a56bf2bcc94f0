# SPDX-License-Identifier: Apache-2.0
"""Environment that ROS 2 and Fast DDS read when a node is made.

It says where the node may be found, and how much shared memory its messages have.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from wirecost.messaging.transport.shared.loopback import kept_on_loopback
from wirecost.messaging.transport.shared.shared_memory import room
from wirecost.system import scratch

_RANGE, _PEERS = "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS"
_WIDE = {"SUBNET", "SYSTEM_DEFAULT"}
_OLD_RANGE = "ROS_LOCALHOST_ONLY"
_PROFILES = {
    "libfastrtps.so": "FASTRTPS_DEFAULT_PROFILES_FILE",
    "libfastdds.so": "FASTDDS_DEFAULT_PROFILES_FILE",
}
"""Variables by the library that reads them: before Kilted, and since."""
_TRANSPORTS = "FASTDDS_BUILTIN_TRANSPORTS"
_SEGMENT_BYTES = 8 << 20
_FRAGMENT_BYTES = 1 << 18
_SOCKET_BYTES = 1 << 22
CHANGED_DEFAULTS = (
    f"Fast DDS: segment_size {_SEGMENT_BYTES}", f"maxMessageSize {_FRAGMENT_BYTES}",
    f"sendBufferSize and receiveBufferSize {_SOCKET_BYTES}",
)  # fmt: skip
_ROOM = 4
"""Times the memory of one node that must be left."""
_PROFILE = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<dds xmlns="http://www.eprosima.com"><profiles>
  <transport_descriptors>
    <transport_descriptor>
      <transport_id>shared memory</transport_id><type>SHM</type>
      <segment_size>{_SEGMENT_BYTES}</segment_size>
      <maxMessageSize>{_FRAGMENT_BYTES}</maxMessageSize>
    </transport_descriptor>
    <transport_descriptor>
      <transport_id>UDP</transport_id><type>UDPv4</type>
      <sendBufferSize>{_SOCKET_BYTES}</sendBufferSize>
      <receiveBufferSize>{_SOCKET_BYTES}</receiveBufferSize>
    </transport_descriptor>
  </transport_descriptors>
  <participant profile_name="wirecost" is_default_profile="true"><rtps>
    <useBuiltinTransports>false</useBuiltinTransports>
    <userTransports>
      <transport_id>shared memory</transport_id><transport_id>UDP</transport_id>
    </userTransports>
  </rtps></participant>
</profiles></dds>
"""
"""Fast DDS's own choice but for the sizes: of half a MiB, and of the kernel's default for sockets,
it loses parts of larger messages, which are asked for again."""
_SETTING = threading.Lock()


@contextmanager
def discovery(peers: str) -> Iterator[None]:
    """Make a context and its nodes as ``peers``, other machines, and the user's own variables say.

    Without any, what they open stays on loopback.
    """
    range_ = os.environ.get(_RANGE) or "LOCALHOST"
    variables: dict[str, str | None] = {_RANGE: range_, _OLD_RANGE: None}
    if peers:
        variables[_PEERS] = peers
    alone = range_ not in _WIDE and not (peers or os.environ.get(_PEERS))
    with _SETTING, _set(variables), kept_on_loopback() if alone else nullcontext():
        yield


@contextmanager
def shared_memory() -> Iterator[None]:
    """Make a node with more shared memory than Fast DDS's default.

    Unless the user has chosen how Fast DDS sends, or there is no room. Within ``discovery``, once
    its library is loaded.
    """
    bytes_left = room()
    small = bytes_left is not None and bytes_left < _ROOM * _SEGMENT_BYTES
    if small or any(map(os.environ.get, (*_PROFILES.values(), _TRANSPORTS))):
        yield
        return
    loaded = Path("/proc/self/maps").read_text()
    with scratch.folder("ros2") as folder:
        profile = folder / "profile.xml"
        profile.write_text(_PROFILE)
        with _set({name: str(profile) for library, name in _PROFILES.items() if library in loaded}):
            yield


@contextmanager
def _set(variables: Mapping[str, str | None]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    _assign(variables)
    try:
        yield
    finally:
        _assign(before)


def _assign(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
