# SPDX-License-Identifier: Apache-2.0
"""ROS 2's names as DDS carries them, by the design article "Topic and Service name mapping to DDS".

Topics and types of programs without ROS have none of these forms and keep their names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DISCOVERY_TOPIC = "ros_discovery_info"
DISCOVERY_TYPE = "rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"

_TYPE_HASH = re.compile(rb"(?:^|;)typehash=(RIHS01_[0-9a-f]{64});")


def topic_to_dds(name: str) -> str:
    return f"rt{name}" if name.startswith("/") else name


def topic_from_dds(name: str) -> str | None:
    """Return None of what is not a topic to users: services and ROS 2's own discovery."""
    if name.startswith("rt/"):
        return name[2:]
    if name == DISCOVERY_TOPIC or name.startswith(("rq/", "rr/")):
        return None
    return name


def type_to_dds(name: str) -> str:
    """Turn ``sensor_msgs/msg/PointCloud2`` into ``sensor_msgs::msg::dds_::PointCloud2_``."""
    package, _, rest = name.partition("/")
    kind, _, short = rest.partition("/")
    return f"{package}::{kind}::dds_::{short}_" if short else name


def type_from_dds(name: str) -> str:
    *spaces, short = name.split("::")
    if len(spaces) > 1 and spaces[-1] == "dds_" and short.endswith("_"):
        return "/".join((*spaces[:-1], short[:-1]))
    return name


@dataclass(frozen=True)
class ServiceNames:
    """Topics and types of a service in DDS."""

    request_topic: str
    request_type: str
    reply_topic: str
    reply_type: str


def service_to_dds(name: str, type_: str) -> ServiceNames:
    return ServiceNames(
        f"rq{name}Request",
        type_to_dds(f"{type_}_Request"),
        f"rr{name}Reply",
        type_to_dds(f"{type_}_Response"),
    )


def service_of_request(topic: str, type_: str) -> tuple[str, str] | None:
    """Name and type of the service whose requests go over the topic; None of any other topic."""
    if not (topic.startswith("rq/") and topic.endswith("Request")):
        return None
    return topic[2 : -len("Request")], type_from_dds(type_).removesuffix("_Request")


def service_of_reply(topic: str) -> str | None:
    if not (topic.startswith("rr/") and topic.endswith("Reply")):
        return None
    return topic[2 : -len("Reply")]


def type_hash(user_data: bytes) -> str:
    """Return an endpoint's ``RIHS01_…``; empty where it has none, as before ROS 2 Iron."""
    match = _TYPE_HASH.search(user_data)
    return match[1].decode() if match else ""


def user_data(type_hash_: str) -> bytes:
    return f"typehash={type_hash_};".encode() if type_hash_.startswith("RIHS01_") else b""
